/*
 * Removing a finding checks everything again. All chosen files are checked first and each once
 * more right before it is unlinked. Missing and healed ones are counted; one that is neither, nor
 * exactly as it was found, ends the run. A repeatedly missed file that was stored anew counts as
 * healed; one that a scan of an older version found goes only if it has that key and is older than
 * its misses. Removing repeatedly missed slices also takes exactly the lines of the evidence out
 * of the logs (lines that are equal in every field go together), except those of files that stay.
 * Downloads and traffic stay: the bytes did flow.
 */
import type { CacheParts } from '../parts.ts'
import type { SavedScan } from '../../engines/cache/corruption/corruption-contract.ts'
import { AppError } from '../../core/http/errors.ts'
import { named } from '../../core/operations/names.ts'
import {
  OperationRefused,
  unfinished,
  type OperationContext,
  type OperationRequest,
  type OperationResult,
  type Queued,
} from '../../core/operations/contract.ts'
import { only, reachOf, type Reach, type WhenAway } from '../away/away.ts'
import type { Later, LaterJobs } from '../away/later.ts'
import { checkScanId, checkService, currentScan } from './checks.ts'
import { runRemoval, type RemovalPart } from './removal-run.ts'

/** Ids in one query string; URL length limits allow no more anyway. */
const maxIds = 10_000

/** Scan of each running or queued removal, by operation. */
const scanOfRemoval = new WeakMap<CacheParts['operations'], Map<string, string>>()

/** The running removal of findings of this scan, if any. */
export function activeRemovalOf(
  { operations }: Pick<CacheParts, 'operations'>,
  scanId: string,
): boolean {
  for (const [operationId, id] of scanOfRemoval.get(operations) ?? []) {
    const status = operations.get(operationId)?.status
    if (id === scanId && status !== undefined && unfinished.has(status)) return true
  }
  return false
}

function remember({ operations }: CacheParts, operationId: string, scanId: string): void {
  const known = scanOfRemoval.get(operations) ?? new Map<string, string>()
  for (const id of known.keys()) if (operations.get(id) === null) known.delete(id)
  known.set(operationId, scanId)
  scanOfRemoval.set(operations, known)
}

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, maxIds)

/** Throws the caller's errors before anything is queued. Returns the caches to act upon. */
async function checkGates(
  { config, datasources, nodeHosts }: CacheParts,
  scan: SavedScan,
  { candidates, whenAway, later }: Pick<RemovalPart, 'candidates' | 'whenAway' | 'later'>,
): Promise<Reach> {
  for (const { datasource } of candidates) {
    if (config.datasources.some(({ name }) => name === datasource)) continue
    throw new AppError('conflict', `Datasource ${datasource} is no longer configured`)
  }
  const needed = (datasource: string) => candidates.some((one) => one.datasource === datasource)
  const reach = later === undefined ? reachOf(nodeHosts, whenAway, needed) : only(later.datasources)
  const has = (datasource: string) => needed(datasource) && reach.has(datasource)
  await datasources.requireClearScheme()
  await datasources.requireWritable({ cache: true, logs: scan.method === 'repeated_miss', has })
  return reach
}

async function runPart(
  deps: Parts,
  part: RemovalPart,
  context: OperationContext,
): Promise<OperationResult> {
  try {
    // Read again: time may have passed in the queue.
    const scan = await currentScan(deps, part.scan.id)
    const reach = await checkGates(deps, scan, part)
    if (part.whenAway === 'later') {
      const { service, candidateIds } = part
      const work = { kind: 'corruption', scanId: scan.id, service, candidateIds } as const
      deps.later.keep(reach.left, { work, subject: service })
    }
    const candidates = part.candidates.filter(({ datasource }) => reach.has(datasource))
    return await runRemoval(deps, { ...part, candidates, reach }, context)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { message, refusal } = error
    if (refusal === 'unavailable') return { kind: 'failed', error: message }
    return { kind: 'failed', error: message, stageKey: 'signalr.corruptionRemove.stale' }
  }
}

type Parts = CacheParts & { later: Later }

/** The part of a node that is back: what is left of the findings there. */
const takeUp =
  (deps: Parts): LaterJobs['corruption'] =>
  ({ scanId, service, candidateIds }, later) => {
    const queued = deps.operations.submit({
      type: 'corruptionRemoval',
      scope: `service:${service}`,
      variant: later.variant,
      ...later.name,
      events: { prefix: 'CorruptionRemoval', startedFields: { service } },
      async run(context) {
        const scan = (await deps.cache.corruption.scans()).find(({ id }) => id === scanId)
        if (scan === undefined) {
          const error = 'The scan was deleted'
          return { kind: 'failed', error, stageKey: 'signalr.corruptionRemove.stale' }
        }
        const found = await deps.cache.corruption.candidates(scanId, service)
        const candidates = found.filter(
          ({ id, datasource }) =>
            later.datasources.includes(datasource) && (candidateIds?.includes(id) ?? true),
        )
        const one = { index: 0, count: 1, candidateIds, whenAway: 'refuse' } as const
        return runPart(deps, { scan, service, candidates, later, ...one }, context)
      },
      kill: () => deps.cache.forceKill(),
    })
    remember(deps, queued.operationId, scanId)
    return queued
  }

/** Equal for the same candidates of the same scan, in any order. */
function variantOf({ scan, candidates }: RemovalPart): string {
  const ids = candidates.map(({ id }) => id).sort()
  return `${scan.id}:${new Bun.CryptoHasher('sha256').update(ids.join('\n')).digest('hex')}`
}

function requestOf(deps: Parts, part: RemovalPart, next: () => void): OperationRequest {
  const { service } = part
  return {
    type: 'corruptionRemoval',
    scope: `service:${service}`,
    variant: variantOf(part),
    ...named('corruptionRemoval', { service }),
    events: {
      prefix: 'CorruptionRemoval',
      startedFields: { service, detectionMethod: part.scan.method },
    },
    async run(context) {
      try {
        return await runPart(deps, part, context)
      } finally {
        // One after another: the next starts when this one has ended, whatever its outcome.
        if (!context.signal.aborted) next()
      }
    },
    kill: () => deps.cache.forceKill(),
  }
}

/** Starts or queues the first part; the rest follow it. Throws OperationRefused. */
function submit(deps: Parts, parts: RemovalPart[]): Queued | null {
  const [first, ...rest] = parts
  if (first === undefined) return null
  const queued = deps.operations.submit(requestOf(deps, first, () => follow(deps, rest)))
  remember(deps, queued.operationId, first.scan.id)
  // The identical job that is already running does not know of the other parts.
  if (queued.alreadyRunning) follow(deps, rest)
  return queued
}

/** Submits the next parts after a finished one, which must not fail when the queue is full. */
function follow(deps: Parts, parts: RemovalPart[]): void {
  try {
    submit(deps, parts)
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    const services = parts.map(({ service }) => service)
    deps.log.warn({ err: error, services }, 'could not remove corrupted files')
  }
}

interface Query {
  scanId?: string | undefined
  whenAway?: WhenAway | undefined
}

/** Removes the findings of a current scan. */
export function createRemovals(deps: Parts) {
  const { cache, later } = deps
  return {
    takeUp: takeUp(deps),

    /** Removes a scan's findings for one service: all, or the given candidates. */
    async removeService(service: string, query: Query & { candidateIds?: string | undefined }) {
      const name = checkService(service)
      const scan = await currentScan(deps, checkScanId(query.scanId))
      const all = await cache.corruption.candidates(scan.id, name)
      const ids = new Set(listOf(query.candidateIds))
      const known = new Set(all.map(({ id }) => id))
      const unknown = [...ids].find((id) => !known.has(id))
      if (unknown !== undefined) {
        throw new AppError(
          'invalid',
          'candidateIds contains an id that is not a candidate of this scan',
        )
      }
      const candidates = ids.size === 0 ? all : all.filter(({ id }) => ids.has(id))
      if (candidates.length === 0) throw new AppError('notFound', 'Nothing to remove')
      const { whenAway = 'refuse' } = query
      await checkGates(deps, scan, { candidates, whenAway })
      if (whenAway === 'later') later.requireCapacity()
      const candidateIds = ids.size === 0 ? null : [...ids]
      const queued = submit(deps, [
        { scan, service: name, candidates, candidateIds, whenAway, index: 0, count: 1 },
      ])
      if (queued === null) throw new AppError('notFound', 'Nothing to remove')
      return {
        ...queued,
        message: `Removal of ${candidates.length} corrupted files`,
        service: name,
      }
    },

    /** Removes a scan's findings, service by service. */
    async removeAll(query: Query & { services?: string | undefined }) {
      const scan = await currentScan(deps, checkScanId(query.scanId))
      const wanted = listOf(query.services).map((service) => service.toLowerCase())
      const unknown = wanted.find((service) => !Object.hasOwn(scan.counts, service))
      if (unknown !== undefined) {
        throw new AppError('invalid', 'services contains a service without findings in this scan')
      }
      const services = wanted.length === 0 ? Object.keys(scan.counts) : [...new Set(wanted)]
      if (services.length === 0) {
        const message = 'The scan found nothing that could be removed'
        return { message, operationId: null, queued: false }
      }
      const found = await cache.corruption.candidates(scan.id, null)
      const all = found.filter(({ service }) => services.includes(service))
      const { whenAway = 'refuse' } = query
      await checkGates(deps, scan, { candidates: all, whenAway })
      if (whenAway === 'later') later.requireCapacity()
      const count = services.length
      const parts = services.map((service, index) => {
        const candidates = all.filter((candidate) => candidate.service === service)
        return { scan, service, candidates, candidateIds: null, whenAway, index, count }
      })
      const queued = submit(deps, parts)
      const message = `Removal of corrupted files of ${count} ${count === 1 ? 'service' : 'services'}`
      return { message, operationId: queued?.operationId ?? null, queued: queued?.queued ?? false }
    },
  }
}
