import { basename, relative } from 'node:path'
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import type { StructuralIssue } from '../contract.ts'
import type {
  Candidate,
  CandidateProgress,
  CandidateRemoval,
  StructuralEvidence,
} from './corruption-contract.ts'
import { isSamePrint, printOf } from '../format/fingerprint.ts'
import { pathOfDigest } from '../format/key.ts'
import type { CacheSession } from '../index/session.ts'
import { unlinkCacheFile } from '../removal/unlink-cache-file.ts'
import { inspect } from './structural-evidence.ts'
import { rootNamed } from './structural-scan.ts'
import { objectsOf, oddObjects } from './structural-objects.ts'
import { canonicalPath, diskProblem, listTree, TreeProblem } from '../index/tree.ts'

/** Reports at most four times a second. */
const reportEveryMs = 250

type Verdict = 'missing' | 'healed' | 'same' | 'changed'

class Removal {
  readonly outcome: CandidateRemoval = {
    state: 'complete',
    problem: null,
    filesDeleted: 0,
    alreadyMissing: 0,
    healed: 0,
  }
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

  count(verdict: 'missing' | 'healed'): void {
    if (verdict === 'missing') this.outcome.alreadyMissing++
    else this.outcome.healed++
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
  const removal = new Removal(context, candidates.length)
  const places = placesOf(session, candidates)
  requireCache(session, places)
  const odd = await stillOdd(session, candidates, places)
  const wanted: Candidate[] = []
  for (const [index, candidate] of candidates.entries()) {
    if (removal.isCancelled) return removal.cancelled()
    removal.report('checking', index + 1)
    const verdict = await verdictOf(candidate, placeOf(places, candidate.datasource), odd)
    if (verdict === 'changed') return removal.failed(changedText(candidate))
    if (verdict === 'same') wanted.push(candidate)
    else removal.count(verdict)
  }
  for (const [index, candidate] of wanted.entries()) {
    if (removal.isCancelled) return removal.cancelled()
    const verdict = await verdictOf(candidate, placeOf(places, candidate.datasource), odd)
    if (verdict === 'changed') return removal.failed(changedText(candidate))
    const path = candidate.exactPaths[0] as string
    try {
      if (verdict !== 'same') removal.count(verdict)
      else {
        const print = evidenceOf(candidate).fingerprint
        const tree = placeOf(places, candidate.datasource).path
        const end = unlinkCacheFile(tree, basename(path), (now) => isSamePrint(printOf(now), print))
        if (end === 'changed') return removal.failed(changedText(candidate))
        if (end === 'removed') removal.outcome.filesDeleted++
        else removal.count('missing')
      }
    } catch (error) {
      return removal.failed(textOf(error, path))
    }
    removal.report('removing', candidates.length - wanted.length + index + 1)
  }
  return removal.outcome
}

const changedText = ({ exactPaths }: Candidate): string =>
  `${basename(exactPaths[0] ?? '')} has changed since the scan; nothing more was removed. Scan again.`

/** Throws for a candidate of another kind of scan. */
function evidenceOf({ evidence }: Candidate): StructuralEvidence {
  if (evidence.kind === 'structural') return evidence
  throw new Error('a candidate without structural evidence')
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

async function verdictOf(
  candidate: Candidate,
  place: Place,
  odd: ReadonlySet<string>,
): Promise<Verdict> {
  const path = candidate.exactPaths[0] ?? ''
  if (!isCacheFileOf(place.path, path)) return 'changed'
  const now = await inspect(path)
  if (now.kind === 'gone') return 'missing'
  if (now.kind === 'skipped') return 'changed'
  const issues: StructuralIssue[] = [...now.head.issues]
  if (odd.has(`${candidate.datasource}/${basename(path)}`)) issues.push('slice_disagreement')
  const then = evidenceOf(candidate)
  const isSame = isSamePrint(now.print, then.fingerprint)
  if (issues.length === 0) return isSame || now.head.key !== null ? 'healed' : 'changed'
  return isSame && issues.join() === then.issues.join() ? 'same' : 'changed'
}

/** See `Corruption.removeMissed`. */
export async function removeMissed(
  session: CacheSession,
  candidates: readonly Candidate[],
  context: JobContext<CandidateProgress>,
): Promise<CandidateRemoval> {
  const places = placesOf(session, candidates)
  const files = candidates.flatMap(({ datasource, exactPaths }) =>
    exactPaths.map((path) => ({ path, tree: placeOf(places, datasource).path })),
  )
  const removal = new Removal(context, files.length)
  for (const { path, tree } of files) {
    if (!isCacheFileOf(tree, path)) return removal.failed(`${basename(path)} is not a cache file`)
  }
  for (const [index, { path, tree }] of files.entries()) {
    if (removal.isCancelled) return removal.cancelled()
    try {
      const end = unlinkCacheFile(tree, basename(path), () => true)
      if (end === 'changed') return removal.failed(`${basename(path)} is no regular file`)
      if (end === 'removed') removal.outcome.filesDeleted++
      else removal.count('missing')
    } catch (error) {
      return removal.failed(textOf(error, path))
    }
    removal.report('removing', index + 1)
    await Promise.resolve()
  }
  return removal.outcome
}
