/*
 * A scan is a deeper walk. The walk judges every header it reads, so a structural scan is a walk
 * of greater depth (`full` reads all headers, `incremental` those whose fingerprint changed and
 * all earlier findings) and the index is its baseline. It survives a crash and resumes. Every
 * finding is read once more, with its fingerprint before and after, before it becomes a candidate.
 */
import { join } from 'node:path'
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import { skipReasons, structuralIssues, type WalkOutcome } from '../contract.ts'
import {
  maxCandidates,
  type Candidate,
  type CandidateProgress,
  type StructuralFindings,
  type StructuralStart,
} from './corruption-contract.ts'
import type { Coverage, DisagreementEvidence, EffectiveMode, ScanMode } from './wire.ts'
import { stableAgeMs } from '../index/directory-pass.ts'
import { siblingFacts } from './disagreement.ts'
import { pathOfDigest } from '../format/key.ts'
import { turn, type CacheSession } from '../index/session.ts'
import type { RootRow } from '../index/rows.ts'
import type { CacheStore } from '../index/store.ts'
import { inspect, structuralCandidate } from './structural-evidence.ts'
import { maxObjects, oddObjects, suspiciousObjects } from './structural-objects.ts'
import { canonicalPath, listTree } from '../index/tree.ts'

const reportEveryMs = 250
/** A tree not scanned for this long starts over. */
const keptMs = 30 * 86_400_000
const retried = ['changed', 'replaced', 'io_error', 'cancelled'] as const

interface StateRow {
  baseline: 'none' | 'building' | 'ready' | 'incomplete'
  mode: EffectiveMode
  committedAt: number | null
  openedAt: number
}

const stateOf = (store: CacheStore, rootId: number): StateRow | null =>
  store.database
    .query<StateRow, [number]>(
      `SELECT baseline, mode, committed_at AS committedAt, opened_at AS openedAt
         FROM structural_state WHERE root_id = ?`,
    )
    .get(rootId)

export function rootNamed(session: CacheSession, datasource: string): RootRow {
  const root = session.rootOf(datasource)
  if (root === null) throw new Error(`there is no cache called ${datasource}`)
  return root
}

/**
 * Chooses the depth of a scan and records that it is running. An interrupted scan (after a crash,
 * too) resumes where its walk stopped.
 */
export function beginStructural(
  session: CacheSession,
  input: { datasource: string; mode: ScanMode; nowMs: number },
): StructuralStart {
  const { store } = session
  const root = rootNamed(session, input.datasource)
  const known = stateOf(store, root.id)
  const isFresh = known !== null && input.nowMs - known.openedAt < keptMs
  const hasBaseline = isFresh && known.committedAt !== null
  const effectiveMode: EffectiveMode =
    input.mode === 'full' ? 'full' : hasBaseline ? 'incremental' : 'baseline'
  const depth = effectiveMode === 'incremental' ? 'fingerprints' : 'headers'
  // Written by the walk.
  const interrupted = store.meta(`walk:${root.id}`) as { depth: string } | null
  const resumed =
    isFresh &&
    known.baseline !== 'ready' &&
    known.mode === effectiveMode &&
    interrupted?.depth === depth &&
    root.nextDir > 0
  store.database
    .query(
      `INSERT INTO structural_state (root_id, baseline, mode, next_dir, progress, started_at,
         committed_at, opened_at) VALUES (?1, 'building', ?2, 0, '{}', ?3, ?4, ?3)
       ON CONFLICT (root_id) DO UPDATE SET baseline = 'building', mode = ?2, opened_at = ?3,
         committed_at = ?4`,
    )
    .run(root.id, effectiveMode, input.nowMs, hasBaseline ? known.committedAt : null)
  const revalidated = store.database
    .query<{ count: number }, [number]>(
      'SELECT count(*) AS count FROM cache_file WHERE root_id = ? AND issues <> 0',
    )
    .get(root.id)
  return {
    effectiveMode,
    depth,
    resumed,
    filesExpected: root.files,
    filesRevalidated: revalidated?.count ?? 0,
  }
}

/** An unfinished scan keeps the older baseline. */
export function endStructural(
  session: CacheSession,
  input: { datasource: string; isComplete: boolean; nowMs: number },
): void {
  const root = rootNamed(session, input.datasource)
  session.store.database
    .query(
      `UPDATE structural_state SET baseline = ?, committed_at = coalesce(?, committed_at)
         WHERE root_id = ?`,
    )
    .run(input.isComplete ? 'ready' : 'incomplete', input.isComplete ? input.nowMs : null, root.id)
}

const headIssueBits = structuralIssues.reduce(
  (bits, issue, index) => (issue === 'slice_disagreement' ? bits : bits | (1 << index)),
  0,
)

/**
 * Findings that a finished walk left in the index, with evidence read from the files themselves.
 */
export async function findStructural(
  session: CacheSession,
  input: { datasource: string; walk: WalkOutcome; nowMs: number },
  context: JobContext<CandidateProgress>,
): Promise<StructuralFindings> {
  const finder = new Finder(session, input, context)
  await finder.broken()
  await finder.disagreeing()
  return finder.findings()
}

class Finder {
  readonly #store: CacheStore
  readonly #root: RootRow
  readonly #path: string
  readonly #input: { datasource: string; walk: WalkOutcome; nowMs: number }
  readonly #context: JobContext<CandidateProgress>
  readonly #candidates = new Map<string, Candidate>()
  #notStored = 0
  #notCompared = 0
  readonly #isDue = pace(reportEveryMs)

  constructor(
    session: CacheSession,
    input: { datasource: string; walk: WalkOutcome; nowMs: number },
    context: JobContext<CandidateProgress>,
  ) {
    this.#store = session.store
    this.#root = rootNamed(session, input.datasource)
    this.#path = listTree(canonicalPath(this.#root.path)).path
    this.#input = input
    this.#context = context
  }

  /** Files whose own header or length is wrong. */
  async broken(): Promise<void> {
    const rows = this.#store.database
      .query<{ digest: string }, [number, number, number]>(
        `SELECT lower(hex(digest)) AS digest FROM cache_file
           WHERE root_id = ? AND issues & ? <> 0 ORDER BY dir, digest LIMIT ?`,
      )
      .all(this.#root.id, headIssueBits, maxCandidates)
    this.#notStored += Math.max(0, this.#countBroken() - rows.length)
    for (const [index, { digest }] of rows.entries()) {
      if (this.#context.isCancelled()) return
      await this.#add(digest, null)
      this.#report(index + 1, rows.length)
    }
  }

  /** Slices that belong to different versions of one object. */
  async disagreeing(): Promise<void> {
    const hashes = suspiciousObjects(this.#store, this.#root.id)
    this.#notCompared = Math.max(0, hashes.length - maxObjects)
    const compared = hashes.slice(0, maxObjects)
    const tree = { rootId: this.#root.id, path: this.#path }
    let done = 0
    for await (const object of oddObjects(this.#store, tree, compared)) {
      if (this.#context.isCancelled()) return
      if (object === null) {
        this.#report(++done, compared.length)
        await turn()
        continue
      }
      for (const { slice, fields } of object.odd) {
        const { etag, lastModifiedAt, totalLength } = slice
        await this.#add(slice.digest, {
          fields,
          own: { etag, lastModifiedAt, totalLength },
          siblings: siblingFacts(object.slices, slice),
          slicesCompared: object.slices.length,
        })
      }
    }
  }

  findings(): StructuralFindings {
    return {
      candidates: [...this.#candidates.values()],
      coverage: coverageOf(this.#store, this.#root.id, this.#input.walk),
      stateEntries: this.#input.walk.files,
      invalidFiles: this.#candidates.size + this.#notStored,
      filesPendingRetry: this.#countSkipped(retried),
      candidatesNotStored: this.#notStored,
      objectsNotCompared: this.#notCompared,
    }
  }

  /** Reads the file once more; only a problem that persists becomes a candidate. */
  async #add(digest: string, disagreement: DisagreementEvidence | null): Promise<void> {
    if (this.#candidates.size >= maxCandidates) {
      this.#notStored++
      return
    }
    const path = join(this.#path, pathOfDigest(digest))
    const inspection = await inspect(path)
    if (inspection.kind !== 'read') return
    if (this.#input.nowMs - inspection.modifiedMs < stableAgeMs) return
    const issues = [...inspection.head.issues]
    if (disagreement !== null) issues.push('slice_disagreement')
    if (issues.length === 0) return
    const place = { datasource: this.#input.datasource, path }
    const finding = { issues, disagreement, nowMs: this.#input.nowMs }
    const candidate = structuralCandidate(place, inspection, finding)
    this.#candidates.set(path, candidate)
  }

  #report(filesDone: number, filesTotal: number): void {
    if (!this.#isDue()) return
    this.#context.progress({ pass: 'checking', filesDone, filesTotal })
  }

  #countBroken(): number {
    const count = this.#store.database.query<{ count: number }, [number, number]>(
      'SELECT count(*) AS count FROM cache_file WHERE root_id = ? AND issues & ? <> 0',
    )
    return count.get(this.#root.id, headIssueBits)?.count ?? 0
  }

  #countSkipped(reasons: readonly (typeof retried)[number][]): number {
    const numbers = reasons.map((reason) => skipReasons.indexOf(reason) + 1)
    const count = this.#store.database.query<{ count: number }, [number, string]>(
      `SELECT count(*) AS count FROM cache_file
         WHERE root_id = ? AND skipped IN (SELECT value FROM json_each(?))`,
    )
    return count.get(this.#root.id, JSON.stringify(numbers))?.count ?? 0
  }
}

/** Coverage of the scan, from the index: it holds a verdict for every file. */
function coverageOf(store: CacheStore, rootId: number, walk: WalkOutcome): Coverage {
  const rows = store.database
    .query<{ skipped: number; files: number; broken: number }, [number, number]>(
      `SELECT skipped, count(*) AS files, sum(issues & ?2 <> 0) AS broken FROM cache_file
         WHERE root_id = ?1 GROUP BY skipped`,
    )
    .all(rootId, headIssueBits)
  const skippedByReason: Record<string, number> = {}
  let filesSeen = 0
  let checked = 0
  let broken = 0
  for (const row of rows) {
    filesSeen += row.files
    if (row.skipped === 0) {
      checked += row.files
      broken += row.broken
    } else skippedByReason[skipReasons[row.skipped - 1] ?? 'io_error'] = row.files
  }
  const { links, specialFiles, foreignEntries, ioErrors, bytesRead } = walk
  const unopened = { symlink: links, special_file: specialFiles, foreign_path: foreignEntries }
  for (const [reason, count] of Object.entries(unopened)) {
    if (count > 0) skippedByReason[reason] = (skippedByReason[reason] ?? 0) + count
  }
  return {
    filesSeen: filesSeen + links + specialFiles + foreignEntries,
    filesChecked: checked,
    consistent: checked - broken,
    bytesRead,
    sparseFiles: walk.sparseFiles,
    skippedByReason,
    ioErrors,
  }
}
