import { operationConflict } from '../../core/http/errors.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { createMappingJobs } from '../mapping-jobs.ts'
import type { CatalogueParts } from '../parts.ts'
import { runMapping } from './run.ts'
import { idleState, type MappingMode, type RunState } from './state.ts'
import { createStoreNames } from './store-names.ts'
import { createViability } from './viability.ts'

export const serviceKey = 'depotMapping'

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

/** `OperationResult`: a run that is skipped. */
interface BeginOptions {
  isSilent?: boolean
  choose?: (signal: AbortSignal) => Promise<MappingMode | 'apply' | OperationResult>
}

export type Depots = ReturnType<typeof createDepots>

/** Runs that read mappings or apply them; one at a time. */
export function createDepots(deps: CatalogueParts) {
  const { operations, catalogue, hub, log } = deps
  const state = idleState()
  const viability = createViability(deps)
  const listeners: (() => void)[] = []
  const stopping = new AbortController()
  const jobs = createMappingJobs(operations, 'depotMapping')

  function namesChanged(): void {
    for (const listener of listeners) listener()
    hub.publish('DownloadsRefresh', { reason: 'depot-mapping' })
  }
  const storeNames = createStoreNames(deps, { signal: stopping.signal, named: namesChanged })

  /**
   * Starts a run. `done` is its result; it never rejects. With `choose` the run itself finds out
   * what it does, or why it is skipped. Throws `conflict` while another run is active.
   */
  const begin = (
    mode: MappingMode | 'apply',
    { isSilent = false, choose = () => Promise.resolve(mode) }: BeginOptions = {},
  ) => {
    const active = jobs.active()
    if (active !== null) throw operationConflict('Depots are already being mapped', active)
    const failed = (error: string): OperationResult => ({ kind: 'failed', error })
    return jobs.begin({
      scope: 'alpha',
      variant: mode,
      ...named(mode === 'github' || mode === 'local' ? 'depotImport' : 'depotMapping'),
      isSilent,
      events: { prefix: 'DepotMapping', showNotification: !isSilent },
      async run(context) {
        let chosen = mode
        async function chooseAndRun(): Promise<OperationResult> {
          const choice = await choose(context.signal)
          if (typeof choice !== 'string') return choice
          chosen = choice
          const { pendingFullScan } = state
          Object.assign(state, idleState())
          if (chosen === 'apply') state.pendingFullScan = pendingFullScan
          return runMapping({ deps, state, named: namesChanged }, chosen, context)
        }
        const result = await chooseAndRun().catch((error: unknown) => {
          log.warn({ err: error }, 'mapping of Steam’s depots failed')
          if (context.signal.aborted) return { kind: 'cancelled' } as const
          return failed('The catalogue could not be read or written; the log says why')
        })
        if (result.kind === 'skipped') return result
        viability.forget()
        noteEnd(deps, state, { mode: chosen, result })
        if (result.kind === 'completed') storeNames.kick()
        return result
      },
      kill: () => catalogue.kill(),
    })
  }

  return {
    state,
    viability,
    /** The running or queued run, or null. */
    active: jobs.active,
    joined: () => jobs.joined(),
    begin,
    onNames: (listener: () => void): void => void listeners.push(listener),
    /** At least one mapping was read. */
    hasMappings: async (): Promise<boolean> => (await catalogue.status()).mappings > 0,
    stop(): void {
      stopping.abort()
      catalogue.stop()
    },
  }
}
