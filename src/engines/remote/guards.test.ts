import { describe, expect, test } from 'bun:test'
import { normalize } from 'node:path'
import { jsonMutations } from '../../../test/support/json-mutations.ts'
import { corruptionJobs } from '../cache/corruption/corruption-jobs.ts'
import { doctorJobs } from '../cache/doctor/doctor-jobs.ts'
import { indexJobs } from '../cache/index/index-jobs.ts'
import { removalJobs } from '../cache/removal/removal-jobs.ts'
import { diskJobs } from '../disk/jobs.ts'
import { logScanJobs } from '../log-scan/jobs.ts'
import { createGuards, JobRefused, type Own } from './guards.ts'
import { isRecord } from '../../core/lib/record.ts'
import { nodeEngines, type NodeEngine } from './messages.ts'

const source = {
  name: 'attic',
  logPath: '/srv/logs',
  cachePath: '/srv/cache',
  schemeOverride: 'auto',
} as const
const root = {
  datasource: 'attic',
  path: source.cachePath,
  scheme: 'monolithic',
  sliceBytes: 1024,
} as const
const own: Own = {
  dataPath: '/srv/data',
  timeZone: 'UTC',
  datasources: [source],
  roots: () => Promise.resolve([root]),
  canReopen: () => Promise.resolve(false),
  logStart: (facts) => ({ dataPath: '/srv/data', ...facts }),
}
const guards = createGuards(own)

const file = {
  stem: 'access.log',
  name: 'access.log.1',
  path: '/srv/logs/access.log.1',
  compression: 'none',
  device: '1',
  inode: '2',
  size: 1,
  modifiedMs: 2,
  order: [1, 'a'],
}
const period = { logPath: source.logPath, timeZone: 'UTC', fromS: 0, toS: 1 }
const tail = { ...period, scheme: 'monolithic', sliceBytes: 1024 }
const object = { datasource: 'attic', tag: 'steam', path: '/depot/1', target: '/depot/1?a' }
const digest = 'abcdef0123456789abcdef0123456789'
const candidates = [
  {
    id: 'a',
    datasource: 'attic',
    service: 'steam',
    exactPaths: [`/srv/cache/89/67/${digest}`],
    evidence: { kind: 'structural' },
  },
]
const retention = {
  policy: {
    rotateAboveMib: 1,
    rotateAfterDays: null,
    compresses: true,
    keepDays: null,
    keepGib: null,
  },
  canRotate: true,
}

const scans = {
  repeatedMisses: { ...tail, cachePath: source.cachePath, threshold: 3 },
  repeats: { ...tail, client: null },
  hosts: { ...tail, tag: 'steam', path: '/depot/1' },
  download: { ...tail, startS: 0, client: 'c', tag: 't', titleKey: 'k', isPrefill: false },
  traffic: period,
  samples: tail,
  listLogs: { logPath: source.logPath },
  countFile: { file, logPath: source.logPath, timeZone: 'UTC', known: null },
}
/** A valid input of each job that a node takes. */
const inputs: Record<NodeEngine, Record<string, unknown>> = {
  disk: {
    space: source.cachePath,
    cacheFolderFacts: source.cachePath,
    logFolderFacts: source.logPath,
    logSample: source.logPath,
    folderAccess: source.cachePath,
    keys: source.cachePath,
  },
  'log-scan': scans,
  'log-tails': scans,
  'log-counts': scans,
  cache: {
    start: { dataPath: '/', roots: [{ ...root, path: '/' }] },
    configure: [{ ...root, path: '/etc' }],
    walk: { datasource: 'attic', depth: 'headers', accept: false },
    roots: null,
    contents: null,
    present: [{ datasource: 'attic', tag: 'steam', uri: '/depot/1', firstByte: 0 }],
    paths: { contentIds: [1], limit: 5 },
    samplePaths: [{ id: 1, datasource: 'attic', tag: 'steam', sampleUris: ['/depot/1'] }],
    remove: {
      selection: { kind: 'files', files: [{ datasource: 'attic', digest }] },
      removesEmptyFolders: true,
      networkDatasources: [],
    },
    clear: { datasource: 'attic', mode: 'full', threads: 2 },
    lastSizeScan: null,
    saveSizeScan: { dataPath: '/', scanDurationMs: 1, usage: [] },
    deletionSeconds: { dataPath: '/', totalFiles: 1, hexDirectories: 1 },
    beginStructural: { datasource: 'attic', mode: 'full' },
    structuralFindings: { datasource: 'attic', walk: { datasource: 'attic' } },
    endStructural: { datasource: 'attic', isComplete: true },
    removeStructural: candidates,
    removeMissed: candidates,
    object,
    tagsOf: { request: object, tags: ['steam'] },
    purge: { ...object, sliceStart: null },
  },
  logs: {
    start: { dataPath: '/', config: { datasources: [{ ...source, logPath: '/etc' }] } },
    resolveMismatch: { choice: 'goOn' },
    emptyHistory: { startAt: 'end', forgetsTitles: false },
    holdShipping: null,
    releaseShipping: null,
    beginReading: null,
    positions: null,
    setPosition: { datasource: 'attic', to: 'end' },
    process: { datasource: null },
    removeLines: { datasource: 'attic', filter: { kind: 'service', service: 'steam' } },
    deleteLogs: { datasource: 'attic' },
    logRetentionStatus: retention,
    applyLogRetention: retention,
    untilShipped: { withinMs: 10 },
    setPrefillRuns: [],
    setSlices: { attic: 1024 },
    reuseCurves: null,
    reopened: { mark: 'a' },
    quarantine: null,
    retryQuarantine: null,
    countedRequests: null,
  },
  proxy: { availability: null, reopenLogs: null },
}
test('the node decides whether its logs are rotated', async () => {
  for (const job of ['logRetentionStatus', 'applyLogRetention']) {
    expect(await guards('logs', job, retention)).toEqual({ ...retention, canRotate: false })
  }
})

const cases = nodeEngines.flatMap((engine) =>
  Object.entries(inputs[engine]).map(([job, input]) => ({ engine, job, input })),
)

const outside = [
  '/',
  '/etc',
  '/etc/passwd',
  '/srv',
  '/srv/cachette',
  '/srv/cache/',
  '/srv/cache/..',
  '/srv/cache/../../etc/passwd',
  '/srv/logs/../data/hot.sqlite',
  '/srv/logs/secret.txt',
  '/srv/logs/http/../../data/access.log',
  '/srv/data/security/node.json',
  './srv/cache',
  'srv/cache',
  '',
  '\0',
  '/srv/cache\0/etc',
  `../../${digest}`,
  `/srv/cache/89/../../../etc/${digest}`,
  'Attic',
  'other',
  '__proto__',
]
const values: unknown[] = [...outside, null, -1, 1e300, Number.NaN, [], {}, ['/etc'], { path: '/' }]

const folders = new Set(['logPath', 'cachePath', 'dataPath', 'exactPaths'])

/** Texts of an input that a worker opens. */
function* opened(value: unknown, key: string): Generator<string> {
  if (typeof value === 'string') {
    if (folders.has(key)) yield value
    return
  }
  if (!isRecord(value) && !Array.isArray(value)) return
  for (const [name, member] of Object.entries(value)) {
    const isOfList = Array.isArray(value) ? key : name
    // Paths of URLs are members of this name, too.
    const isFile = name === 'path' && (key === 'file' || key === 'roots')
    yield* opened(member, isFile ? 'dataPath' : isOfList)
  }
}

const isOwn = (path: string) =>
  normalize(path) === path &&
  ['/srv/logs', '/srv/cache', '/srv/data'].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  )
/** The worker unlinks a path only where the name belongs in the datasource's own tree. */
const isCacheFile = (path: string) => path.startsWith('/') && normalize(path) === path

describe('jobs of a node', () => {
  test('cover those of its engines, except what only the node itself does', () => {
    const guarded = (engine: NodeEngine) => new Set(Object.keys(inputs[engine]))
    const missing = (engine: NodeEngine, jobs: object) =>
      Object.keys(jobs).filter((job) => !guarded(engine).has(job))
    expect(missing('disk', diskJobs)).toEqual(['stackSettings'])
    expect(missing('log-scan', logScanJobs)).toEqual([])
    const cacheJobs = { ...indexJobs, ...corruptionJobs, ...removalJobs, ...doctorJobs }
    expect(missing('cache', cacheJobs).toSorted()).toEqual([
      'candidates',
      'clearScans',
      'deleteScan',
      'demoteScans',
      'dropCandidates',
      'saveScan',
      'scans',
      'stop',
    ])
  })

  test.each(cases)('$engine: $job takes its own input', async ({ engine, job, input }) => {
    await guards(engine, job, input)
  })

  test.each(cases)('$engine: $job never leaves the own folders', async ({ engine, job, input }) => {
    for (const hostile of jsonMutations(input, values)) {
      let taken: unknown = null
      try {
        taken = await guards(engine, job, hostile)
      } catch (error) {
        if (!(error instanceof JobRefused)) throw error
        continue
      }
      const list = [...opened(engine === 'disk' ? { dataPath: taken } : taken, '')]
      const isAllowed = job.startsWith('remove') ? isCacheFile : isOwn
      expect(list.filter((path) => !isAllowed(path))).toEqual([])
      if (job === 'configure') expect(taken).toEqual([root])
    }
  })

  test.each([
    ['logs', 'connect'],
    ['logs', 'stop'],
    ['cache', 'stop'],
    ['cache', 'saveScan'],
    ['disk', 'stackSettings'],
    ['disk', 'constructor'],
    ['cache', '__proto__'],
  ] as const)('%s: %s is refused', (engine, job) => {
    expect(() => guards(engine, job, null)).toThrow(JobRefused)
  })
})
