import type { Watch } from '../engine.ts'
import {
  awayText,
  isHere,
  Machines,
  summed,
  type NodeHost,
  type NodeHosts,
} from '../remote/hosts.ts'
import { added } from '../../core/lib/added.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { CacheEngine } from './cache-engine.ts'
import {
  nothingRemoved,
  type Candidate,
  type CandidateRemoval,
  type Corruption,
} from './corruption/corruption-contract.ts'
import {
  nothingFreed,
  type ObjectName,
  type RemovalOptions,
  type RemovalOutcome,
  type RemovalProgress,
  type RemovalSelection,
  type RootState,
  type SizeScan,
  type WalkOutcome,
  type WalkProgress,
} from './contract.ts'

/** Ids of contents of a node begin here, times its slot: an index never has so many. */
const idsOfNode = 2 ** 40

const slotOfId = (id: number): number => Math.floor(id / idsOfNode)
const shownId = (host: NodeHost, id: number): number => host.slot * idsOfNode + id
const ownId = (id: number): number => id % idsOfNode

const notWalked = (datasource: string, problem: string): WalkOutcome => ({
  datasource,
  state: 'failed',
  problem,
  files: 0,
  bytes: 0,
  directories: 0,
  hexDirectories: 0,
  added: 0,
  removed: 0,
  headersRead: 0,
  bytesRead: 0,
  sparseFiles: 0,
  links: 0,
  specialFiles: 0,
  foreignEntries: 0,
  temporaryFiles: 0,
  ioErrors: 0,
  durationMs: 0,
})

const worse = { complete: 0, cancelled: 1, failed: 2 } as const

/** The worst state, and the first problem. */
const worstOf = (outcomes: readonly Pick<RemovalOutcome, 'state' | 'problem'>[]) => ({
  state: outcomes
    .map(({ state }) => state)
    .reduce((worst, state) => (worse[state] > worse[worst] ? state : worst), 'complete'),
  problem: outcomes.find(({ problem }) => problem !== null)?.problem ?? null,
})

const sumOfRemovals = (outcomes: RemovalOutcome[]): RemovalOutcome => ({
  ...outcomes.reduce(added, nothingFreed),
  ...worstOf(outcomes),
  lost: outcomes.flatMap(({ lost = [] }) => lost),
})

const lostWith = (datasources: readonly string[], problem: string): RemovalOutcome => ({
  ...nothingFreed,
  lost: [{ datasources, problem }],
})

type Caches = Machines<'cache'>

async function walk(
  caches: Caches,
  options: Parameters<CacheEngine['walk']>[0],
  run: Watch<WalkProgress>,
): Promise<WalkOutcome[]> {
  const { datasource } = options
  if (datasource !== null) {
    const host = caches.hostOf(datasource)
    if (host !== null && !isHere(host)) return [notWalked(datasource, awayText(host))]
    return caches.of(datasource).walk(options, run)
  }
  const engines = caches.all()
  const percents = engines.map(() => 0)
  const walks = engines.map((engine, at) =>
    engine.walk(options, {
      signal: run.signal,
      progress(report) {
        percents[at] = report.percentComplete
        const percentComplete = percents.reduce((sum, one) => sum + one, 0) / percents.length
        run.progress({ ...report, percentComplete })
      },
    }),
  )
  const outcomes = (await Promise.all(walks)).flat()
  const away = caches.hosts.all().filter((host) => !isHere(host))
  const missing = away.flatMap((host) =>
    host.datasources().map((name) => notWalked(name, awayText(host))),
  )
  return [...outcomes, ...missing]
}

/** A tree of a node that is away. */
const unreachable = (root: RootState, problem: string): RootState => ({
  ...root,
  state: 'failed',
  problem,
  problemKey: null,
  problemContext: null,
  isConclusive: false,
})

async function present(caches: Caches, names: ObjectName[]): Promise<(boolean | null)[]> {
  const found = new Map<ObjectName, boolean | null>()
  for (const [host, own] of Map.groupBy(names, ({ datasource }) => caches.hostOf(datasource))) {
    if (host !== null && !isHere(host)) continue
    const answers = await (host?.cache ?? caches.local).present(own)
    for (const [at, name] of own.entries()) found.set(name, answers[at] ?? null)
  }
  return names.map((name) => found.get(name) ?? null)
}

/** The selection's parts by slot. */
function partsOf(caches: Caches, selection: RemovalSelection): [number, RemovalSelection][] {
  if (selection.kind === 'contents') {
    return [...Map.groupBy(selection.contentIds, slotOfId)].map(([slot, ids]) => [
      slot,
      { kind: 'contents', contentIds: ids.map(ownId) },
    ])
  }
  const slotOf = ({ datasource }: { datasource: string }) => caches.hostOf(datasource)?.slot ?? 0
  return [...Map.groupBy(selection.files, slotOf)].map(([slot, files]) => [
    slot,
    { kind: 'files', files },
  ])
}

/** On all machines at once; one that fails does not end the others. */
async function remove(
  caches: Caches,
  selection: RemovalSelection,
  { run, options }: { run: Watch<RemovalProgress>; options: RemovalOptions | undefined },
): Promise<RemovalOutcome> {
  const parts = partsOf(caches, selection)
  if (parts.every(([slot]) => slot === 0)) return caches.local.remove(selection, run, options)
  const reporter = summed<RemovalProgress>((sum) => run.progress(sum))
  const removals = parts.map(([slot, part]) => {
    const engine = caches.ofSlot(slot)
    const host = caches.hosts.all().find((one) => one.slot === slot)
    if (engine === undefined) return Promise.resolve(lostWith([], 'The node was removed'))
    const removal = engine.remove(part, { signal: run.signal, progress: reporter() }, options)
    return slot === 0
      ? removal
      : removal.catch((error) => lostWith(host?.datasources() ?? [], errorText(error)))
  })
  return sumOfRemovals(await Promise.all(removals))
}

/** On all machines at once; one that fails does not end the others. */
async function removeCandidates(
  caches: Caches,
  candidates: Candidate[],
  removal: (engine: CacheEngine, own: Candidate[]) => Promise<CandidateRemoval>,
): Promise<CandidateRemoval> {
  const parts = [...Map.groupBy(candidates, ({ datasource }) => caches.hostOf(datasource))]
  const removals = parts.map(async ([host, own]): Promise<CandidateRemoval> => {
    if (host === null) return removal(caches.local, own)
    const failed = (problem: string) => ({ ...nothingRemoved(), state: 'failed' as const, problem })
    if (!isHere(host)) return failed(awayText(host))
    return removal(host.cache, own).catch((error: unknown) => failed(errorText(error)))
  })
  const outcomes = await Promise.all(removals)
  return {
    ...outcomes.reduce(added, nothingRemoved()),
    ...worstOf(outcomes),
    kept: outcomes.flatMap(({ kept }) => kept),
  }
}

/** Scans are stored here, whatever machine the files are on. */
const joinCorruption = (caches: Caches): Corruption => ({
  ...caches.local.corruption,
  beginStructural: (datasource, mode) =>
    caches.of(datasource).corruption.beginStructural(datasource, mode),
  structuralFindings: (input, run) =>
    caches.of(input.datasource).corruption.structuralFindings(input, run),
  endStructural: (datasource, isComplete) =>
    caches.of(datasource).corruption.endStructural(datasource, isComplete),
  removeStructural: (candidates, run) =>
    removeCandidates(caches, candidates, ({ corruption }, own) =>
      corruption.removeStructural(own, run),
    ),
  removeMissed: (candidates, run) =>
    removeCandidates(caches, candidates, ({ corruption }, own) =>
      corruption.removeMissed(own, run),
    ),
})

/** Sizes of all machines; null without one here. */
async function sizes(
  caches: Caches,
  own: SizeScan | null,
  of: (cache: CacheEngine) => Promise<SizeScan | null>,
): Promise<SizeScan | null> {
  if (own === null) return null
  const others = await Promise.all(caches.others().map((cache) => of(cache).catch(() => null)))
  return others.reduce<SizeScan>((sum, one) => (one === null ? sum : addSizes(sum, one)), own)
}

/** Contents of nodes have ids that tell the node. */
const joinContents = (caches: Caches): Pick<CacheEngine, 'contents' | 'paths' | 'samplePaths'> => ({
  async contents() {
    const others = caches.here().map(async (host) => {
      const contents = await host.cache.contents().catch(() => [])
      return contents.map((content) => ({ ...content, id: shownId(host, content.id) }))
    })
    return [...(await caches.local.contents()), ...(await Promise.all(others)).flat()]
  },
  async paths(contentIds, limit) {
    const found: string[] = []
    for (const [slot, ids] of Map.groupBy(contentIds, slotOfId)) {
      const left = limit - found.length
      if (left <= 0) break
      const paths = caches.ofSlot(slot)?.paths(ids.map(ownId), left)
      found.push(...((await (slot === 0 ? paths : paths?.catch(() => []))) ?? []))
    }
    return found
  },
  async samplePaths(contents) {
    const found: Record<number, string[]> = {}
    for (const [slot, own] of Map.groupBy(contents, ({ id }) => slotOfId(id))) {
      const asked = own.map((content) => ({ ...content, id: ownId(content.id) }))
      const none: Record<number, string[]> = {}
      const paths = caches.ofSlot(slot)?.samplePaths(asked)
      const answer = (await (slot === 0 ? paths : paths?.catch(() => none))) ?? none
      for (const [id, list] of Object.entries(answer)) {
        found[slot * idsOfNode + Number(id)] = list
      }
    }
    return found
  },
})

/** One index of the caches here and on nodes; each action goes to the machine of its datasource. */
export function joinCaches(local: CacheEngine, hosts: NodeHosts): CacheEngine {
  const caches = new Machines('cache', local, hosts)
  return {
    ...local,
    ...joinContents(caches),
    corruption: joinCorruption(caches),
    doctor: {
      object: (request) => caches.of(request.datasource).doctor.object(request),
      tagsOf: (request, tags) => caches.of(request.datasource).doctor.tagsOf(request, tags),
      purge: (request, run) => caches.of(request.datasource).doctor.purge(request, run),
    },
    walk: (options, run) => walk(caches, options, run),
    roots: caches.lists((cache) => cache.roots(), unreachable),
    present: (names) => present(caches, names),
    remove: (selection, run, options) => remove(caches, selection, { run, options }),
    clear: (options, run) => caches.of(options.datasource).clear(options, run),
    async forceKill() {
      await Promise.all(caches.all().map((cache) => cache.forceKill()))
    },
    onChange(listener) {
      local.onChange(listener)
      hosts.onHost(({ cache }) => cache.onChange(listener))
      hosts.onChange(listener)
    },
    lastSizeScan: async () =>
      sizes(caches, await local.lastSizeScan(), (cache) => cache.lastSizeScan()),
    async saveSizeScan(facts) {
      const own = await local.saveSizeScan(facts)
      const { scanDurationMs } = facts
      const save = (cache: CacheEngine) => cache.saveSizeScan({ scanDurationMs, usage: [] })
      return (await sizes(caches, own, save)) ?? own
    },
  }
}

const addSizes = (one: SizeScan, other: SizeScan): SizeScan => ({
  ...added(one, other),
  scanDurationMs: Math.max(one.scanDurationMs, other.scanDurationMs),
})
