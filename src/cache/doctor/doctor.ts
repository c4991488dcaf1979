import type { CacheParts } from '../parts.ts'
import type { ObjectReport } from '../../engines/cache/doctor/doctor-contract.ts'
import { serviceOfKeyTag } from '../../engines/cache/format/key-scheme.ts'
import { reportedService } from '../../engines/cache/corruption/structural-evidence.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { nameObject, type AskedObject, type NamedObject } from './object-name.ts'
import { fetchThrough, hostFor, requireProxy } from './refetch.ts'
import { findSuspects, type SuspectQuery } from './suspects.ts'

type RequestedSlice = AskedObject & {
  /** Slice number; absent for all cache files. */
  slice?: number | undefined
}

/** Throws `unavailable` with the reason when the cache cannot be read. */
async function readObject(deps: CacheParts, object: NamedObject): Promise<ObjectReport> {
  const outcome = await deps.cache.doctor.object(object)
  if (outcome.kind === 'refused') throw unavailable(outcome.problem, 10)
  return outcome.report
}

const serviceOf = ({ keyTag }: ObjectReport): string => reportedService(serviceOfKeyTag(keyTag))

/** First byte of a slice, by its number; null for all cache files. Throws `invalid`. */
function startOf({ sliceBytes }: ObjectReport, slice: number | undefined): number | null {
  if (slice === undefined) return null
  if (sliceBytes === 0)
    throw new AppError('invalid', 'slice: this cache does not use slices; omit it')
  return slice * sliceBytes
}

/** The removal itself, once it is its turn. */
async function purgeRun(
  deps: CacheParts,
  object: NamedObject & { sliceStart: number | null; service: string },
  { signal, report }: OperationContext,
): Promise<OperationResult> {
  const { cache, datasources } = deps
  try {
    // Checked again: time may have passed in the queue.
    await datasources.requireClearScheme(object.datasource)
    await datasources.requireWritable({ cache: true, name: object.datasource })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', error: error.message }
  }
  report({ percentComplete: 10, stageKey: 'signalr.corruptionRemove.scanningFiles' })
  const { state, problem, ...counts } = await cache.doctor.purge(object, { signal })
  const { service } = object
  const facts = {
    service,
    ...counts,
    count: counts.filesDeleted,
    files: counts.filesDeleted,
    healed: counts.filesChanged,
  }
  if (state === 'cancelled') return { kind: 'cancelled', fields: facts }
  if (state === 'failed') {
    return { kind: 'failed', error: problem ?? 'Cache files could not be deleted', fields: facts }
  }
  const stageKey = 'signalr.corruptionRemove.completeStructural'
  return { kind: 'completed', stageKey, context: facts, fields: facts }
}

/** The proxy renames a cache file after sending its last byte: it may appear a moment later. */
const settleMs = 200
const settleTries = 10

/** State of the object after a complete fetch; repeated until nothing is missing. */
async function readAfter(
  deps: CacheParts,
  object: NamedObject,
  isWhole: boolean,
): Promise<ObjectReport> {
  for (let left = settleTries; ; left--) {
    const report = await readObject(deps, object)
    const isThere = report.files.length > 0 && report.holes.length === 0
    if (left === 0 || !isWhole || (isThere && report.missingAtEnd === null)) return report
    await Bun.sleep(settleMs)
  }
}

/** Fetches an object once through the cache; reports what was stored before and after. */
async function refetch(deps: CacheParts, asked: RequestedSlice) {
  const object = await nameObject(deps, asked)
  const before = await readObject(deps, object)
  const start = startOf(before, asked.slice)
  const host = await hostFor(deps, object)
  const proxy = await requireProxy(deps, object.datasource)
  const range = start === null ? null : { first: start, last: start + before.sliceBytes - 1 }
  const fetched = await fetchThrough(proxy, { ...object, host }, range)
  return {
    tag: object.tag,
    service: serviceOf(before),
    url: object.target,
    host,
    proxy,
    fetched,
    before,
    after: await readAfter(deps, object, fetched.isWhole && asked.slice === undefined),
  }
}

/** Inspects single objects of the cache, removes their cache files and fetches them again. */
export function createDoctor(deps: CacheParts) {
  const { cache, operations, datasources } = deps
  return {
    suspects: (query: SuspectQuery) => findSuspects(deps, query),

    /** Every cache file of an object. */
    async object(asked: AskedObject) {
      const object = await nameObject(deps, asked)
      const report = await readObject(deps, object)
      return { tag: object.tag, service: serviceOf(report), url: object.target, report }
    },

    /** Removes all cache files of one object, or one of them, and nothing else. */
    async purge(asked: RequestedSlice) {
      const object = await nameObject(deps, asked)
      const report = await readObject(deps, object)
      const sliceStart = startOf(report, asked.slice)
      const files = report.files.filter(
        (file) => sliceStart === null || (file.sliceStart ?? 0) === sliceStart,
      )
      if (files.length === 0)
        throw new AppError('notFound', 'No cache file of this object was found')
      await datasources.requireWritable({ cache: true, name: object.datasource })
      const service = serviceOf(report)
      const name = object.path.split('/').at(-1) ?? object.path
      const queued = operations.submit({
        type: 'corruptionRemoval',
        scope: `service:${service}`,
        ...named('objectRemoval', { object: name.slice(0, 80) }),
        events: { prefix: 'CorruptionRemoval', startedFields: { service } },
        run: (context) => purgeRun(deps, { ...object, sliceStart, service }, context),
        kill: () => cache.forceKill(),
      })
      if (queued.alreadyRunning) {
        // The running one is about another object: joining it would hide that nothing happened.
        throw new AppError(
          'conflict',
          'Cache files of this service are being removed; try again when that ends',
          {
            extra: { activeOperationId: queued.operationId },
          },
        )
      }
      const bytes = files.reduce((sum, { fileBytes }) => sum + fileBytes, 0)
      return {
        ...queued,
        service,
        files: files.length,
        bytes,
        paths: files.map(({ path }) => path),
      }
    },
    refetch: (asked: RequestedSlice) => refetch(deps, asked),
  }
}

export type DoctorService = ReturnType<typeof createDoctor>
