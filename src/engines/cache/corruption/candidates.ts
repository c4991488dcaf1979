import { basename, relative } from 'node:path'
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import type { StructuralIssue } from '../contract.ts'
import {
  nothingRemoved,
  type Candidate,
  type CandidateProgress,
  type CandidateRemoval,
  type MissEvidence,
} from './corruption-contract.ts'
import type { StructuralEvidence } from './wire.ts'
import { isSamePrint, printOf, type ExactPrint } from '../format/fingerprint.ts'
import { pathOfDigest } from '../format/key.ts'
import type { CacheSession } from '../index/session.ts'
import { unlinkCacheFile } from '../removal/unlink-cache-file.ts'
import { inspect } from './structural-evidence.ts'
import { rootNamed } from './structural-scan.ts'
import { objectsOf, oddObjects } from './structural-objects.ts'
import { canonicalPath, diskProblem, listTree, TreeProblem } from '../index/tree.ts'

/** Reports at most four times a second. */
const reportEveryMs = 250

/** `same`: as found, so it can be removed while it has this print. */
type Verdict = 'missing' | 'healed' | 'changed' | { kind: 'same'; print: ExactPrint }

/** One file of a candidate. */
interface Target {
  candidate: Candidate
  path: string
  tree: string
  /** Of the file that was found; null if the scan did not store it. */
  print: ExactPrint | null
}

class Removal {
  readonly outcome = nothingRemoved()
  readonly #context: JobContext<CandidateProgress>
  readonly #total: number
  readonly #isDue = pace(reportEveryMs)

  constructor(context: JobContext<CandidateProgress>, total: number) {
    this.#context = context
    this.#total = total
  }

  get isCancelled(): boolean {
    return this.#context.isCancelled()
  }

  report(pass: CandidateProgress['pass'], filesDone: number): void {
    if (!this.#isDue(filesDone >= this.#total)) return
    this.#context.progress({ pass, filesDone, filesTotal: this.#total })
  }

  count(verdict: 'missing' | 'healed', { candidate }: Target): void {
    if (verdict === 'missing') this.outcome.alreadyMissing++
    else {
      this.outcome.healed++
      this.outcome.kept.push(candidate.id)
    }
  }

  cancelled(): CandidateRemoval {
    return { ...this.outcome, state: 'cancelled' }
  }

  failed(problem: string): CandidateRemoval {
    return { ...this.outcome, state: 'failed', problem }
  }
}

interface Place {
  rootId: number
  path: string
}

/** Current path of the candidates' hash directories. Throws TreeProblem. */
function placesOf(session: CacheSession, candidates: readonly Candidate[]): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const { datasource } of candidates) {
    if (places.has(datasource)) continue
    const root = rootNamed(session, datasource)
    places.set(datasource, { rootId: root.id, path: listTree(canonicalPath(root.path)).path })
  }
  return places
}

const placeOf = (places: ReadonlyMap<string, Place>, datasource: string): Place =>
  places.get(datasource) ?? { rootId: 0, path: '' }

/** Whether a scan of this tree can have stored the path: no other path is ever unlinked. */
const isCacheFileOf = (treePath: string, path: string): boolean =>
  relative(treePath, path) === pathOfDigest(basename(path))

/** Corrupted files may have no readable key: the rest of the tree must be that of a cache. */
function requireCache({ store }: CacheSession, places: ReadonlyMap<string, Place>): void {
  const intact = store.database.query<object, [number]>(
    'SELECT 1 FROM cache_file WHERE root_id = ? AND content_id > 0 LIMIT 1',
  )
  for (const { rootId, path } of places.values()) {
    if (intact.get(rootId) !== null) continue
    throw new TreeProblem(`${path} contains no cache files, so nothing in it was deleted`)
  }
}

const textOf = (error: unknown, path: string): string =>
  error instanceof TreeProblem ? error.message : diskProblem(error, basename(path))

/** See `Corruption.removeStructural`. */
export async function removeStructural(
  session: CacheSession,
  candidates: readonly Candidate[],
  context: JobContext<CandidateProgress>,
): Promise<CandidateRemoval> {
  const places = placesOf(session, candidates)
  requireCache(session, places)
  const odd = await stillOdd(session, candidates, places)
  const targets = candidates.map((candidate) => ({
    candidate,
    path: candidate.exactPaths[0] ?? '',
    tree: placeOf(places, candidate.datasource).path,
    print: evidenceOf(candidate).fingerprint,
  }))
  return await removeChecked(targets, context, (target) => structuralVerdict(target, odd))
}

/** See `Corruption.removeMissed`. */
export async function removeMissed(
  session: CacheSession,
  candidates: readonly Candidate[],
  context: JobContext<CandidateProgress>,
): Promise<CandidateRemoval> {
  const places = placesOf(session, candidates)
  const targets = candidates.flatMap((candidate) => {
    const { prints = [] } = missEvidenceOf(candidate)
    const tree = placeOf(places, candidate.datasource).path
    return candidate.exactPaths.map((path, index) => {
      return { candidate, path, tree, print: prints[index] ?? null }
    })
  })
  return await removeChecked(targets, context, missedVerdict)
}

/** Checks all files before it removes the first, and each again right before its unlink. */
async function removeChecked(
  targets: readonly Target[],
  context: JobContext<CandidateProgress>,
  verdictOf: (target: Target) => Promise<Verdict>,
): Promise<CandidateRemoval> {
  const removal = new Removal(context, targets.length)
  const wanted: Target[] = []
  for (const [index, target] of targets.entries()) {
    if (removal.isCancelled) return removal.cancelled()
    removal.report('checking', index + 1)
    const verdict = await verdictOf(target)
    if (verdict === 'changed') return removal.failed(changedText(target))
    if (typeof verdict === 'object') wanted.push(target)
    else removal.count(verdict, target)
  }
  for (const [index, target] of wanted.entries()) {
    if (removal.isCancelled) return removal.cancelled()
    try {
      const verdict = await verdictOf(target)
      const end = typeof verdict === 'object' ? unlinkSame(target, verdict.print) : verdict
      if (end === 'changed') return removal.failed(changedText(target))
      if (end === 'removed') removal.outcome.filesDeleted++
      else removal.count(end, target)
    } catch (error) {
      return removal.failed(textOf(error, target.path))
    }
    removal.report('removing', targets.length - wanted.length + index + 1)
  }
  return removal.outcome
}

const unlinkSame = ({ tree, path }: Target, print: ExactPrint) =>
  unlinkCacheFile(tree, basename(path), (now) => isSamePrint(printOf(now), print))

const changedText = ({ path }: Target): string =>
  `${basename(path)} has changed since the scan; nothing more was removed. Scan again.`

/** Throws for a candidate of another kind of scan. */
function evidenceOf({ evidence }: Candidate): StructuralEvidence {
  if (evidence.kind === 'structural') return evidence
  throw new Error('a candidate without structural evidence')
}

function missEvidenceOf({ evidence }: Candidate): MissEvidence {
  if (evidence.kind === 'repeated_miss') return evidence
  throw new Error('a candidate without repeated misses')
}

/** Digests of the candidates whose slices still disagree with the others of their object. */
async function stillOdd(
  session: CacheSession,
  candidates: readonly Candidate[],
  places: ReadonlyMap<string, Place>,
): Promise<ReadonlySet<string>> {
  const odd = new Set<string>()
  const byDatasource = Map.groupBy(
    candidates.filter((one) => evidenceOf(one).issues.includes('slice_disagreement')),
    ({ datasource }) => datasource,
  )
  for (const [datasource, ones] of byDatasource) {
    const tree = placeOf(places, datasource)
    const digests = ones.map(({ exactPaths }) => basename(exactPaths[0] ?? ''))
    const hashes = objectsOf(session.store, tree.rootId, digests)
    for await (const object of oddObjects(session.store, tree, hashes)) {
      for (const { slice } of object?.odd ?? []) odd.add(`${datasource}/${slice.digest}`)
    }
  }
  return odd
}

async function structuralVerdict(
  { candidate, path, tree }: Target,
  odd: ReadonlySet<string>,
): Promise<Verdict> {
  if (!isCacheFileOf(tree, path)) return 'changed'
  const now = await inspect(path)
  if (now.kind === 'gone') return 'missing'
  if (now.kind === 'skipped') return 'changed'
  const issues: StructuralIssue[] = [...now.head.issues]
  if (odd.has(`${candidate.datasource}/${basename(path)}`)) issues.push('slice_disagreement')
  const then = evidenceOf(candidate)
  const isSame = isSamePrint(now.print, then.fingerprint)
  if (issues.length === 0) return isSame || now.head.key !== null ? 'healed' : 'changed'
  const isAsFound = isSame && issues.join() === then.issues.join()
  return isAsFound ? { kind: 'same', print: now.print } : 'changed'
}

/** A file that is no longer the one that was missed, but still holds its key, was stored anew. */
async function missedVerdict({ candidate, path, tree, print }: Target): Promise<Verdict> {
  if (!isCacheFileOf(tree, path)) return 'changed'
  const now = await inspect(path)
  if (now.kind === 'gone') return 'missing'
  if (now.kind === 'skipped') return 'changed'
  const { key, issues, hasVary } = now.head
  const same: Verdict = { kind: 'same', print: now.print }
  if (print !== null && isSamePrint(now.print, print)) return same
  if (key === null || issues.includes('cache_key_path_mismatch')) return 'changed'
  const isUnused = now.modifiedMs < Date.parse(missEvidenceOf(candidate).firstSeen) && !hasVary
  return print === null && isUnused ? same : 'healed'
}
