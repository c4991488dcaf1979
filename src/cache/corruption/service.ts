/*
 * A scan says what it did not judge. The page shows coverage beside the result, what each method
 * proves, and the reason for every file without a verdict. An earlier scan can be read by its
 * address, but nothing can be removed with it. Selected files go with the address of one request,
 * so 300 at once; a whole service has no limit.
 */
import type { CacheParts } from '../parts.ts'
import { operationConflict } from '../../core/http/errors.ts'
import {
  unfinished,
  type OperationRequest,
  type Operations,
  type Queued,
} from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { Later } from '../away/later.ts'
import { demoteAfterRemovals } from './demotion.ts'
import {
  readDetection,
  scopeOf,
  type Detection,
  type DetectionQuery,
  type DetectionRun,
} from './detection.ts'
import { runMissed } from './missed-run.ts'
import type { DetectionStatus } from './model.ts'
import { createRemovals } from './removal.ts'
import { createSavedScans } from './saved.ts'
import { runStructural } from './structural-run.ts'

/** A scan with other settings must end first; an identical one is joined. */
function refuseOther(operations: Operations, scope: string): void {
  const other = operations
    .list()
    .filter(({ type, status }) => type === 'corruptionDetection' && unfinished.has(status))
    .find((one) => one.scope !== scope)
  if (other !== undefined) {
    const state = other.status === 'waiting' ? 'queued' : 'running'
    throw operationConflict(`Another corruption scan is already ${state}`, other)
  }
}

function requestOf(deps: CacheParts, run: DetectionRun): OperationRequest {
  const { detection } = run
  const isStructural = detection.method === 'structural'
  const mode = isStructural ? detection.mode : null
  return {
    type: 'corruptionDetection',
    scope: scopeOf(detection),
    ...nameOf(detection),
    events: {
      prefix: 'CorruptionDetection',
      startedFields: { detectionMethod: detection.method, scanMode: mode },
    },
    run: (context) =>
      isStructural
        ? runStructural(deps, Object.assign(run, { mode: detection.mode }), context)
        : runMissed(deps, detection, context),
    async kill() {
      if (isStructural) await deps.cache.forceKill()
      else deps.logScan.forceKill()
    },
  }
}

const nameOf = (detection: Detection) => {
  if (detection.method !== 'structural') return named('corruptionMissed')
  const isFull = detection.mode === 'full'
  return named(isFull ? 'corruptionStructuralFull' : 'corruptionStructuralIncremental')
}

function messageOf({ queued, alreadyRunning }: Queued): string {
  if (alreadyRunning) return `This scan is already ${queued ? 'queued' : 'running'}`
  return queued ? 'The scan is queued behind other operations' : 'The scan was started'
}

const modeOf = (detection: Detection) => (detection.method === 'structural' ? detection.mode : null)

/** Runs corruption scans, one at a time. */
function createDetecting(deps: CacheParts) {
  const { operations, datasources } = deps
  let last: DetectionRun | null = null

  return {
    async detect(query: DetectionQuery) {
      const detection = readDetection(query)
      await datasources.requireClearScheme()
      refuseOther(operations, scopeOf(detection))
      const run: DetectionRun = {
        operationId: '',
        detection,
        effectiveMode: null,
        baselineStatus: null,
        resumed: null,
        summary: null,
      }
      const queued = operations.submit(requestOf(deps, run))
      if (!queued.alreadyRunning) last = Object.assign(run, { operationId: queued.operationId })
      const facts = { detectionMethod: detection.method, scanMode: modeOf(detection) }
      return { ...queued, message: messageOf(queued), ...facts }
    },

    /** The running scan, or the last one. */
    status(): DetectionStatus {
      const operation = last === null ? null : operations.find(last.operationId)
      const run = operation === null ? null : last
      return {
        isRunning: operation?.status === 'running',
        operationId: operation?.id ?? null,
        status: operation?.status ?? null,
        message: operation?.error ?? operation?.message ?? null,
        stageKey: operation?.stageKey ?? null,
        context: operation?.context ?? {},
        percentComplete: operation?.percentComplete ?? null,
        startTime: operation?.startedAt?.toISOString() ?? null,
        detectionMethod: run?.detection.method ?? null,
        scanMode: run === null ? null : modeOf(run.detection),
        effectiveScanMode: run?.effectiveMode ?? null,
        baselineStatus: run?.baselineStatus ?? null,
        resumed: run?.resumed ?? null,
        scanSummary: run?.summary ?? null,
      }
    },
  }
}

export type CorruptionService = ReturnType<typeof createCorruptionService>

/** Finds corrupted files, stores the findings, and removes them. */
export function createCorruptionService(deps: CacheParts & { later: Later }) {
  return {
    /** Starts demoting current scans after other removals. */
    start: () => demoteAfterRemovals(deps),
    ...createDetecting(deps),
    ...createSavedScans(deps),
    ...createRemovals(deps),
  }
}
