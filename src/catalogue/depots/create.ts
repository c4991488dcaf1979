import { AppError } from '../../core/http/errors.ts'
import type { OperationResult, OperationView, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { CatalogueParts } from '../parts.ts'
import { runMapping } from './run.ts'
import { idleState, type MappingMode, type RunState } from './state.ts'
import { createStoreNames } from './store-names.ts'
import { createViability, type ViabilityCheck } from './viability.ts'

export const serviceKey = 'depotMapping'
/** Runs that read mappings or apply them; one at a time. */
export interface Depots {
  state: RunState
  viability: ViabilityCheck
  /** The running or queued run, or null. */
  active(): OperationView | null
  /**
   * Starts a run. `done` is its result; it never rejects. Throws `conflict` while another run is
   * active.
   */
  begin(
    mode: MappingMode | 'apply',
    options?: { isSilent?: boolean },
  ): { queued: Queued; done: Promise<OperationResult> }
  onNames(listener: () => void): void
  /** Aborts when the service stops. */
  stopping: AbortSignal
  /** At least one mapping was read. */
  hasMappings(): Promise<boolean>
  start(): void
  stop(): void
}

const isUnderWay = ({ type, status }: OperationView) =>
  type === 'depotMapping' && ['pending', 'running', 'cancelling', 'waiting'].includes(status)

function refuseSecond(active: OperationView | null): void {
  if (active === null) return
  throw new AppError('conflict', 'Depots are already being mapped', {
    extra: {
      code: 'OPERATION_CONFLICT',
      stageKey: 'errors.conflict.duplicate',
      activeOperationId: active.id,
      activeOperationType: active.type,
      activeOperationScope: active.scope,
      context: null,
    },
  })
}

/** Notes how a run ended, for the dashboard and the schedule. */
function noteEnd(
  { settings, schedules, clock, log }: CatalogueParts,
  state: RunState,
  { mode, result }: { mode: MappingMode | 'apply'; result: OperationResult },
): void {
  const phases = { completed: 'completed', cancelled: 'cancelled', skipped: 'idle' } as const
  state.phase = result.kind === 'failed' ? 'error' : phases[result.kind]
  state.error = result.kind === 'failed' ? result.error : null
  if (mode === 'apply') return
  schedules.noteRun(serviceKey)
  const at = clock.now().toISOString()
  settings.set('depots.lastRun', { at, mode, outcome: result.kind, error: state.error })
  if (result.kind === 'completed' && state.depotMappingsFound > 0) {
    settings.set('depots.isLoaded', true)
  }
  if (result.kind === 'failed') {
    log.warn({ mode, reason: state.error }, 'names of Steam games could not be read')
  }
}

export function createDepots(deps: CatalogueParts): Depots {
  const { operations, catalogue, hub, log } = deps
  const state = idleState()
  const viability = createViability(deps)
  const listeners: (() => void)[] = []
  const stopping = new AbortController()
  let last: { id: string; end(result: OperationResult): void } | null = null

  function namesChanged(): void {
    for (const listener of listeners) listener()
    hub.publish('DownloadsRefresh', { reason: 'depot-mapping' })
  }
  const storeNames = createStoreNames(deps, { signal: stopping.signal, named: namesChanged })

  const active = () => operations.list().find(isUnderWay) ?? null

  const begin: Depots['begin'] = (mode, { isSilent = false } = {}) => {
    refuseSecond(active())
    const { promise: done, resolve } = Promise.withResolvers<OperationResult>()
    const failed = (error: string): OperationResult => ({ kind: 'failed', error })
    const queued = operations.submit({
      type: 'depotMapping',
      scope: 'alpha',
      variant: mode,
      ...named(mode === 'github' || mode === 'local' ? 'depotImport' : 'depotMapping'),
      isSilent,
      events: { prefix: 'DepotMapping', showNotification: !isSilent },
      async run(context) {
        const { wasSkipped } = state
        Object.assign(state, idleState(), { mode: mode === 'apply' ? null : mode })
        state.wasSkipped = mode === 'apply' && wasSkipped
        const parts = { deps, state, named: namesChanged }
        const result = await runMapping(parts, mode, context).catch((error: unknown) => {
          log.warn({ err: error }, 'mapping of Steam’s depots failed')
          if (context.signal.aborted) return { kind: 'cancelled' } as const
          return failed('The catalogue could not be read or written; the log says why')
        })
        viability.forget()
        noteEnd(deps, state, { mode, result })
        resolve(result)
        if (result.kind === 'completed') storeNames.kick()
        return result
      },
      kill: () => catalogue.kill(),
    })
    last = { id: queued.operationId, end: resolve }
    return { queued, done }
  }

  return {
    state,
    viability,
    active,
    begin,
    onNames: (listener) => void listeners.push(listener),
    hasMappings: async () => (await catalogue.status()).mappings > 0,
    start() {
      // A run that is cancelled while it waits never starts.
      operations.onChange(() => {
        const status = last === null ? null : operations.get(last.id)?.status
        if (status === 'cancelled') last?.end({ kind: 'cancelled' })
      })
    },
    stopping: stopping.signal,
    stop() {
      stopping.abort()
      catalogue.stop()
    },
  }
}
