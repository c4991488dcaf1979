import { inSlices } from '../../core/lib/in-slices.ts'
import type { CacheEngine } from '../../engines/cache/cache-engine.ts'
import type { KeyScheme, ObjectName } from '../../engines/cache/contract.ts'
import type { Candidate } from './store.ts'
import { evidenceOf, isEvictedBy } from './verdict.ts'

/** Names per query to the index. */
const namesMax = 8000

/** Trees of the index by name, ignoring case. */
export class Trees {
  readonly #byName: Map<string, { datasource: string; scheme: KeyScheme }>

  constructor(roots: readonly { datasource: string; scheme: KeyScheme }[]) {
    this.#byName = new Map(roots.map((root) => [root.datasource.toLowerCase(), root]))
  }

  /** Null when no longer configured. */
  schemeOf(datasource: string): KeyScheme | null {
    return this.#byName.get(datasource.toLowerCase())?.scheme ?? null
  }

  nameOf(datasource: string): string {
    return this.#byName.get(datasource.toLowerCase())?.datasource ?? datasource
  }
}

/**
 * Ids whose flag must change; `found` are those of `present` with a cache file. Most downloads are
 * present, so one object of each is checked first.
 */
export async function judge(
  cache: Pick<CacheEngine, 'present'>,
  trees: Trees,
  batch: readonly Candidate[],
): Promise<{ evicted: number[]; present: number[]; found: number[] }> {
  const samples = batch.map((download) => namesOf(trees, download))
  const first = await ask(
    cache,
    samples.map((names) => names.slice(0, 1)),
  )
  const rest = await ask(
    cache,
    samples.map((names, at) => (first[at]?.includes(true) === true ? [] : names.slice(1))),
  )
  const evicted: number[] = []
  const present: number[] = []
  const found: number[] = []
  batch.forEach((download, at) => {
    const evidence = evidenceOf([...(first[at] ?? []), ...(rest[at] ?? [])])
    const scheme = trees.schemeOf(download.datasource)
    const isEvicted = isEvictedBy({ ...download, evidence, scheme })
    if (isEvicted === null || isEvicted === download.isEvicted) return
    if (isEvicted) evicted.push(download.id)
    else present.push(download.id)
    if (evidence === 'present') found.push(download.id)
  })
  return { evicted, present, found }
}

function namesOf(trees: Trees, { datasource, tag, objectKeys }: Candidate): ObjectName[] {
  const tree = trees.nameOf(datasource)
  return objectKeys.map((key) => {
    const space = key.indexOf(' ')
    return {
      datasource: tree,
      tag,
      uri: key.slice(space + 1),
      firstByte: Number(key.slice(0, space)),
    }
  })
}

/** Looks up groups of names in queries of a bounded size; returns the same groups. */
async function ask(
  cache: Pick<CacheEngine, 'present'>,
  groups: readonly ObjectName[][],
): Promise<(boolean | null)[][]> {
  const answers: (boolean | null)[] = []
  for (const names of inSlices(groups.flat(), namesMax)) {
    answers.push(...(await cache.present(names)))
  }
  let at = 0
  return groups.map((group) => answers.slice(at, (at += group.length)))
}
