/*
 * What a node does for its service. Each job that the service may ask for has a line here, which
 * checks the input and puts the node's own folders in the place of those that it names; any other
 * job is refused. A folder has to be one of the node's configuration, a log file one that the log
 * engine reads, and a cache file has the name of one; below the tree of a cache the workers hold each
 * folder open, so that no link is followed. Nothing is asked of a disk here, which may be dead. So
 * whatever the service sends, no job leaves the node's folders.
 */
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { DatasourceConfig } from '../../core/config.ts'
import { Flag, LargeInt, Nullable, Num, stringUnion } from '../../core/lib/schema.ts'
import type { CacheJobs } from '../cache/cache.worker.ts'
import type { CacheRoot } from '../cache/contract.ts'
import type { DiskJobs } from '../disk/jobs.ts'
import type { LogScanJobs } from '../log-scan/jobs.ts'
import { LogRetentionInput } from '../logs/log-retention/wire.ts'
import type { LogJobs } from '../logs/logs.worker.ts'
import { readName } from '../logs/files/discovery.ts'
import { MismatchChoice } from '../logs/wire.ts'
import type { ProxyJobs } from '../proxy/joined.ts'
import {
  cacheFileName,
  Candidates,
  ClearOptions,
  Content,
  CountFileRequest,
  Datasource,
  DownloadLogRequest,
  EmptyingRequest,
  HostsRequest,
  listOf,
  LogPeriod,
  LogScanRequest,
  LongText,
  Name,
  ObjectName,
  ObjectRequest,
  RemovalRequest,
  RemovalSelection,
  RepeatsRequest,
  Runs,
  TailRequest,
  type PrefillRun,
} from '../inputs.ts'
import { isRecord } from '../../core/lib/record.ts'
import type { NodeEngine } from './messages.ts'

/** Returns the input with which the node runs the job, or its promise. Throws JobRefused. */
export type Guards = (engine: NodeEngine, job: string, input: unknown) => unknown

/** The node does not do that. */
export class JobRefused extends Error {}

export interface Own {
  dataPath: string
  timeZone: string
  datasources: readonly DatasourceConfig[]
  /** The trees of the caches as they are now. */
  roots(): Promise<CacheRoot[]>
  /** Whether the node's proxy can be made to reopen its logs. */
  canReopen(): Promise<boolean>
  /** Input of the log engine's `start`. */
  logStart(facts: { prefillRuns: PrefillRun[] }): unknown
}

type Guard = (input: unknown) => unknown
/** Of the jobs that a service may ask for; any other job of the engine is refused. */
type Guarded<Jobs> = Partial<Record<keyof Jobs, Guard>>

/** Accepts the schema's values only, as `then` makes them the node's own. */
const of =
  <T extends TSchema>(schema: T, then: (input: Static<T>) => unknown = (input) => input): Guard =>
  (input) => {
    if (Value.Check(schema, input)) return then(input)
    const [first] = Value.Errors(schema, input)
    throw new JobRefused(`the node refuses the job: ${first?.path} ${first?.message}`)
  }

const nothing: Guard = () => null

/** Resolves the names of folders and files to the node's own. */
function placesOf({ datasources }: Pick<Own, 'datasources'>) {
  const caches = datasources.map(({ cachePath }) => cachePath)
  const logs = datasources.map(({ logPath }) => logPath)
  const one = (folders: readonly string[]) => (path: string) => {
    const own = folders.find((folder) => folder === path)
    if (own === undefined) throw new JobRefused('the node refuses a folder that is not its own')
    return own
  }
  const name = (wanted: string) => {
    const found = datasources.find((source) => source.name === wanted)
    if (found === undefined) throw new JobRefused('the node has no datasource of this name')
    return found
  }
  return {
    folder: one([...caches, ...logs]),
    cache: one(caches),
    log: one(logs),
    name,
    /** An input whose datasource is an own one, or all of them. */
    named: <T extends { datasource: string | null }>(input: T): T => {
      if (input.datasource !== null) name(input.datasource)
      return input
    },
    /** A file that the log engine would read. */
    logFile: (folder: string, path: string): string => {
      const isThere = [folder, join(folder, 'http')].includes(dirname(path))
      if (isThere && normalize(path) === path && readName(basename(path)) !== null) return path
      throw new JobRefused('the node refuses a file that is no log of its own')
    },
    /** The worker unlinks it only where its name belongs in the datasource's tree. */
    cacheFile: (path: string): void => {
      const isPlain = isAbsolute(path) && normalize(path) === path
      if (isPlain && cacheFileName.test(basename(path))) return
      throw new JobRefused('the node refuses a file that is no cache file')
    },
  }
}

type Places = ReturnType<typeof placesOf>

function diskGuards({ folder, cache, log }: Places) {
  return {
    space: of(LongText, folder),
    cacheFolderFacts: of(LongText, cache),
    logFolderFacts: of(LongText, log),
    logSample: of(LongText, log),
    folderAccess: of(LongText, cache),
    keys: of(LongText, cache),
  } satisfies Guarded<DiskJobs>
}

function scanGuards({ cache, log, logFile }: Places, { timeZone }: Own) {
  const inLog = <T extends { logPath: string }>(input: T) => ({
    ...input,
    logPath: log(input.logPath),
    timeZone,
  })
  return {
    repeatedMisses: of(LogScanRequest, (input) => ({
      ...inLog(input),
      cachePath: cache(input.cachePath),
    })),
    repeats: of(RepeatsRequest, inLog),
    hosts: of(HostsRequest, inLog),
    download: of(DownloadLogRequest, inLog),
    traffic: of(LogPeriod, inLog),
    samples: of(TailRequest, inLog),
    listLogs: of(Type.Object({ logPath: LongText }), ({ logPath }) => ({ logPath: log(logPath) })),
    countFile: of(CountFileRequest, (input) => {
      const own = inLog(input)
      const path = logFile(own.logPath, input.file.path)
      return { ...own, file: { ...input.file, path } }
    }),
  } satisfies Guarded<LogScanJobs>
}

function indexGuards({ named }: Places, own: Own) {
  const dataPath = { dataPath: LongText }
  const withData = <T extends object>(input: T) => ({ ...input, dataPath: own.dataPath })
  return {
    start: async () => ({ dataPath: own.dataPath, roots: await own.roots() }),
    configure: () => own.roots(),
    walk: of(
      Type.Object({
        datasource: Datasource,
        depth: stringUnion(['directories', 'fingerprints', 'headers']),
        accept: Flag,
      }),
      named,
    ),
    roots: nothing,
    contents: nothing,
    present: of(listOf(ObjectName, 10_000)),
    paths: of(Type.Object({ contentIds: listOf(LargeInt, 100_000), limit: LargeInt })),
    samplePaths: of(listOf(Content, 1_000_000)),
    lastSizeScan: nothing,
    saveSizeScan: of(
      Type.Object({
        ...dataPath,
        scanDurationMs: Num,
        usage: listOf(Type.Object({ mountPoint: LongText, usedBytes: Num }), 1000),
      }),
      withData,
    ),
    deletionSeconds: of(
      Type.Object({ ...dataPath, totalFiles: LargeInt, hexDirectories: LargeInt }),
      withData,
    ),
  } satisfies Guarded<CacheJobs>
}

function fileGuards({ name, named, cacheFile }: Places) {
  const candidates = of(Candidates, (list) => {
    for (const { datasource, exactPaths } of list) {
      name(datasource)
      exactPaths.forEach(cacheFile)
    }
    return list
  })
  return {
    remove: of(
      Type.Object({
        selection: RemovalSelection,
        removesEmptyFolders: Flag,
        networkDatasources: listOf(Name, 1000),
      }),
    ),
    clear: of(ClearOptions, named),
    beginStructural: of(
      Type.Object({ datasource: Name, mode: stringUnion(['full', 'incremental']) }),
      named,
    ),
    structuralFindings: of(
      Type.Object({ datasource: Name, walk: Type.Object({ datasource: Name }) }),
      named,
    ),
    endStructural: of(Type.Object({ datasource: Name, isComplete: Flag }), named),
    removeStructural: candidates,
    removeMissed: candidates,
    object: of(ObjectRequest, named),
    tagsOf: of(
      Type.Object({ request: Type.Omit(ObjectRequest, ['tag']), tags: listOf(LongText, 200) }),
      (input) => ({ ...input, request: named(input.request) }),
    ),
    purge: of(Type.Object({ ...ObjectRequest.properties, sliceStart: Nullable(LargeInt) }), named),
  } satisfies Guarded<CacheJobs>
}

const proxyGuards = { availability: nothing, reopenLogs: nothing } satisfies Guarded<ProxyJobs>

function logGuards({ named }: Places, own: Own) {
  // A file is rotated only where its own proxy goes on in a new one.
  const retention = of(LogRetentionInput, async (input) => ({
    ...input,
    canRotate: await own.canReopen(),
  }))
  return {
    // The service never knows the node's folders, and the node learns no address of a history.
    start: (input) => {
      const config = isRecord(input) && isRecord(input['config']) ? input['config'] : {}
      const prefillRuns = config['prefillRuns'] ?? []
      return own.logStart({ prefillRuns: Value.Check(Runs, prefillRuns) ? prefillRuns : [] })
    },
    resolveMismatch: of(Type.Object({ choice: MismatchChoice })),
    emptyHistory: of(EmptyingRequest),
    holdShipping: nothing,
    releaseShipping: nothing,
    beginReading: nothing,
    positions: nothing,
    setPosition: of(
      Type.Object({ datasource: Datasource, to: stringUnion(['beginning', 'end']) }),
      named,
    ),
    process: of(Type.Object({ datasource: Datasource }), named),
    removeLines: of(RemovalRequest, named),
    deleteLogs: of(Type.Object({ datasource: Name }), named),
    logRetentionStatus: retention,
    applyLogRetention: retention,
    untilShipped: of(Type.Object({ withinMs: Type.Number({ minimum: 0, maximum: 600_000 }) })),
    setPrefillRuns: of(Runs),
    setSlices: of(Type.Record(Name, LargeInt)),
    reuseCurves: nothing,
    reopened: of(Type.Object({ mark: Name })),
    quarantine: nothing,
    retryQuarantine: nothing,
    countedRequests: nothing,
  } satisfies Guarded<LogJobs>
}

/** The jobs that a node with this configuration takes. */
export function createGuards(own: Own): Guards {
  const places = placesOf(own)
  const scans = scanGuards(places, own)
  const guards: Record<NodeEngine, ReadonlyMap<string, Guard>> = {
    disk: new Map(Object.entries(diskGuards(places))),
    'log-scan': new Map(Object.entries(scans)),
    'log-tails': new Map(Object.entries(scans)),
    'log-counts': new Map(Object.entries(scans)),
    cache: new Map(Object.entries({ ...indexGuards(places, own), ...fileGuards(places) })),
    logs: new Map(Object.entries(logGuards(places, own))),
    proxy: new Map(Object.entries(proxyGuards)),
  }
  return (engine, job, input) => {
    const guard = guards[engine].get(job)
    if (guard === undefined)
      throw new JobRefused(`the node does not run the job ${job.slice(0, 40)}`)
    return guard(input)
  }
}
