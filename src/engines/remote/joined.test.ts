import { beforeEach, describe, expect, test } from 'bun:test'
import type { CacheEngine } from '../cache/cache-engine.ts'
import type { Candidate } from '../cache/corruption/corruption-contract.ts'
import type { CacheContent, RemovalOutcome, RemovalSelection } from '../cache/contract.ts'
import { joinCaches } from '../cache/joined.ts'
import { joinDisks } from '../disk/joined.ts'
import { emptySpeeds, type LogEngine } from '../logs/contract.ts'
import { startingStatus } from '../logs/facade.ts'
import { joinLogs } from '../logs/joined.ts'
import type { ProxyControl, ReopenAvailability } from '../proxy/contract.ts'
import { joinProxies } from '../proxy/joined.ts'
import type { SpeedSnapshot } from '../logs/wire.ts'
import { shownPath, type NodeHost, type NodeHosts } from './hosts.ts'

/** What the engines of one machine were asked. */
let asked: [machine: string, what: string][]

const client = (clientIp: string, bytesPerSecond: number) => ({
  clientIp,
  bytesPerSecond,
  totalBytes: 2 * bytesPerSecond,
  activeGames: 1,
  cacheHitBytes: bytesPerSecond,
  cacheMissBytes: bytesPerSecond,
})
const speedsOf = (clients: ReturnType<typeof client>[]): SpeedSnapshot => ({
  ...emptySpeeds(new Date(0)),
  totalBytesPerSecond: clients.reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0),
  clientSpeeds: clients,
  entriesInWindow: clients.length,
  hasActiveDownloads: clients.length > 0,
})

const contentOf = (machine: string, id: number): CacheContent => ({
  id,
  datasource: machine,
  tag: 'steam',
  service: 'steam',
  titleKey: `alpha:${id}`,
  files: 1,
  bytes: 10,
  lastStoredAt: 2,
  sampleUris: [],
})

const removed = (filesDeleted: number): RemovalOutcome => ({
  state: 'complete',
  filesDeleted,
  bytesFreed: 10 * filesDeleted,
  alreadyMissing: 0,
  filesChanged: 0,
  directoriesRemoved: 0,
  problem: null,
  permissionErrors: 0,
})

const signalled = (target: string): ReopenAvailability => ({
  isEnabled: true,
  canReopen: true,
  way: 'process',
  target,
  hint: 'none',
  command: null,
})

/** Engines of one machine, as far as these tests ask them. */
function machine(name: string, clients: ReturnType<typeof client>[]) {
  const note = (what: string) => void asked.push([name, what])
  const logs = {
    speeds: () => speedsOf(clients),
    onSpeeds() {},
    onShipped() {},
    status: () => ({ ...startingStatus, state: 'following', backlogBytes: 5 }),
    setPrefillRuns: (runs: unknown[]) => note(`runs ${runs.length}`),
    setSlices: (slices: object) => note(`slices ${Object.keys(slices).join()}`),
    positions: () => Promise.resolve([{ datasource: name, problem: 'none' }]),
    countedRequests: () => Promise.resolve([{ datasource: name, byService: { steam: 1 } }]),
  } as unknown as LogEngine
  const cache = {
    onChange() {},
    contents: () => Promise.resolve([contentOf(name, 1), contentOf(name, 2)]),
    corruption: {
      removeStructural(candidates: unknown[]) {
        note(`candidates ${candidates.length}`)
        const none = { problem: null, alreadyMissing: 0, healed: 0, kept: [] }
        return Promise.resolve({ ...none, state: 'complete', filesDeleted: candidates.length })
      },
    },
    present: (names: unknown[]) => Promise.resolve(names.map(() => name !== 'barn')),
    remove(selection: RemovalSelection) {
      note(JSON.stringify(selection))
      if (name === 'barn') return Promise.reject(new Error('the disk is dead'))
      return Promise.resolve(removed(selection.kind === 'contents' ? 1 : 0))
    },
  } as unknown as CacheEngine
  const disk = {
    ask(question: string, path: string) {
      note(`${question} ${path}`)
      return Promise.resolve({ mountPoint: '/', device: '/dev/sda1', capacityBytes: 1 })
    },
    stop() {},
  } as unknown as NodeHost['disk']
  const proxy: ProxyControl = {
    availability: () => Promise.resolve(signalled(name)),
    reopenLogs() {
      note('reopen')
      return Promise.resolve({ ...signalled(name), isDone: true, message: 'Done', detail: null })
    },
  }
  return { logs, cache, disk, proxy }
}

class StandIn implements NodeHost {
  readonly logScan = {} as NodeHost['logScan']
  readonly proxy
  readonly disk
  readonly cache
  readonly logs
  readonly name: string
  readonly slot: number
  since: Date | null = null

  constructor(name: string, slot: number, clients: ReturnType<typeof client>[]) {
    this.name = name
    this.slot = slot
    const { disk, cache, logs, proxy } = machine(name, clients)
    this.proxy = proxy
    this.disk = disk
    this.cache = cache
    this.logs = logs
  }

  awaySince = () => this.since
  datasources = () => [this.name]
  cacheAddress = () => null
}

let nodes: StandIn[]
let changed: (host: NodeHost) => void
const hosts: NodeHosts = {
  all: () => nodes,
  onHost: (listener) => nodes.forEach(listener),
  onChange: (listener) => {
    const before = changed
    changed = (host) => {
      before(host)
      listener(host)
    }
  },
}

beforeEach(() => {
  asked = []
  changed = () => {}
  nodes = [
    new StandIn('attic', 1, [client('10.0.0.5', 300), client('10.0.0.6', 20)]),
    new StandIn('barn', 2, [client('10.0.0.5', 1000)]),
  ]
})
const here = () => machine('here', [client('10.0.0.5', 7)])

describe('logs of several machines', () => {
  test('a client of several caches is one client, and sums are those of its parts', () => {
    const logs = joinLogs(here().logs, hosts)
    const { clientSpeeds, totalBytesPerSecond, entriesInWindow } = logs.speeds()
    expect(clientSpeeds.map((one) => [one.clientIp, one.bytesPerSecond])).toEqual([
      ['10.0.0.5', 1307],
      ['10.0.0.6', 20],
    ])
    const sum = clientSpeeds.reduce((total, one) => total + one.bytesPerSecond, 0)
    expect(totalBytesPerSecond).toBe(sum)
    expect(entriesInWindow).toBe(4)
    expect(logs.status().backlogBytes).toBe(15)
  })

  test('a node that goes away no longer adds to speeds, which are published', () => {
    const logs = joinLogs(here().logs, hosts)
    const seen: number[] = []
    logs.onSpeeds(({ totalBytesPerSecond }) => seen.push(totalBytesPerSecond))
    for (const node of nodes) {
      node.since = new Date()
      changed(node)
    }
    expect(seen).toEqual([1007, 7])
  })

  test('a node that connects gets what groups have set', () => {
    const [attic, barn] = nodes
    if (attic === undefined || barn === undefined) throw new Error('there are two nodes')
    barn.since = new Date()
    const logs = joinLogs(here().logs, hosts)
    logs.setSlices({ attic: 1024 })
    expect(asked.map(([name]) => name)).toEqual(['here', 'attic'])
    barn.since = null
    changed(barn)
    expect(asked.slice(2)).toEqual([
      ['barn', 'runs 0'],
      ['barn', 'slices attic'],
    ])
  })

  test('folders of a node that goes away are not missing: the node is away', async () => {
    const logs = joinLogs(here().logs, hosts)
    const problems = async () =>
      (await logs.positions()).map(({ datasource, problem }) => `${datasource} ${problem}`)
    expect(await problems()).toEqual(['here none', 'attic none', 'barn none'])
    for (const node of nodes) node.since = new Date()
    expect(await problems()).toEqual(['here none', 'attic node_away', 'barn node_away'])
  })

  test('without nodes, all is as the own engine says', () => {
    nodes = []
    const { logs: local } = here()
    const logs = joinLogs(local, hosts)
    expect(logs.speeds()).toEqual(local.speeds())
    expect(logs.status()).toEqual(local.status())
  })
})

describe('caches of several machines', () => {
  const run = { signal: new AbortController().signal, progress() {} }

  test('ids of contents are unique, and lead back to their machine', async () => {
    const caches = joinCaches(here().cache, hosts)
    const contents = await caches.contents()
    expect(new Set(contents.map(({ id }) => id)).size).toBe(6)
    expect(contents.every(({ id }) => Number.isSafeInteger(id))).toBe(true)
    const contentIds = contents.map(({ id }) => id)
    const outcome = await caches.remove({ kind: 'contents', contentIds }, run)
    const own = JSON.stringify({ kind: 'contents', contentIds: [1, 2] })
    expect(asked).toEqual(['here', 'attic', 'barn'].map((name) => [name, own]))
    // One machine fails; the others are done.
    expect(outcome).toMatchObject({
      state: 'complete',
      filesDeleted: 2,
      lost: [{ datasources: ['barn'], problem: 'the disk is dead' }],
    })
  })

  test('candidates on a node that is away do not keep those of others', async () => {
    const [attic] = nodes
    if (attic !== undefined) attic.since = new Date(0)
    const caches = joinCaches(here().cache, hosts)
    const candidates = ['attic', 'barn', 'here'].map((datasource) => ({ datasource }) as Candidate)
    expect(await caches.corruption.removeStructural(candidates, run)).toEqual({
      state: 'failed',
      problem: 'The node attic is away since 1970-01-01T00:00:00.000Z',
      filesDeleted: 2,
      alreadyMissing: 0,
      healed: 0,
      kept: [],
    })
    expect(asked.map(([name]) => name)).toEqual(['barn', 'here'])
  })

  test('nothing can be concluded about a node that is away', async () => {
    const [attic] = nodes
    if (attic !== undefined) attic.since = new Date()
    const caches = joinCaches(here().cache, hosts)
    const names = ['barn', 'attic', 'here', 'attic', 'barn'].map((datasource) => ({
      datasource,
      tag: 'steam',
      uri: '/a',
      firstByte: 0,
    }))
    expect(await caches.present(names)).toEqual([false, null, true, null, false])
    expect((await caches.contents()).map(({ datasource }) => datasource)).toEqual([
      'here',
      'here',
      'barn',
      'barn',
    ])
  })
})

test('a path says on which machine it is; disks of two machines are two', async () => {
  const disks = joinDisks(here().disk, hosts)
  const spaces = await Promise.all(
    ['/cache', shownPath('attic', '/cache'), shownPath('barn', '/cache')].map((path) =>
      disks.ask('space', path),
    ),
  )
  expect(asked).toEqual(['here', 'attic', 'barn'].map((name) => [name, 'space /cache']))
  expect(new Set(spaces.map((space) => `${space?.device} ${space?.mountPoint}`)).size).toBe(3)
  asked = []
  expect(await disks.ask('stackSettings', shownPath('attic', '/.env'))).toBeNull()
  const [attic] = nodes
  if (attic !== undefined) attic.since = new Date()
  expect(await disks.ask('space', shownPath('attic', '/cache'))).toBeNull()
  expect(asked).toEqual([])
})

describe('proxies of several machines', () => {
  test('all are signalled; one on a node that is away is named', async () => {
    const proxies = joinProxies(here().proxy, hosts, true)
    expect(await proxies.reopenLogs()).toMatchObject({ isDone: true, target: 'here' })
    expect(asked.map(([name]) => name)).toEqual(['here', 'attic', 'barn'])
    const [attic] = nodes
    if (attic !== undefined) attic.since = new Date(0)
    expect(await proxies.reopenLogs()).toMatchObject({
      isDone: false,
      message: 'attic: The node attic is away since 1970-01-01T00:00:00.000Z',
    })
    expect(await proxies.availability()).toMatchObject({ canReopen: true, target: 'here' })
  })

  test('a service whose caches are all on nodes does not speak of its own', async () => {
    const proxies = joinProxies(here().proxy, hosts, false)
    expect(await proxies.availability()).toMatchObject({ target: 'attic: attic' })
    await proxies.reopenLogs()
    expect(asked.map(([name]) => name)).toEqual(['attic', 'barn'])
    nodes = []
    expect(await proxies.availability()).toMatchObject({ target: 'here' })
  })
})
