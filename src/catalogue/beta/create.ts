import type { OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { catalogueSettings } from '../settings.ts'
import { createBetaWeb } from '../../engines/beta-connection/web.ts'
import { createMappingJobs, type MappingJobs } from '../mapping-jobs.ts'
import type { CatalogueParts } from '../parts.ts'
import { createBetaAccount, type BetaAccount } from './account.ts'
import { applyBeta } from './apply.ts'
import { storeInterval } from './interval.ts'
import { runBeta, type BetaParts, type BetaPhase, type BetaRun } from './refresh.ts'
import { BetaStore } from './store.ts'

export const serviceKey = 'betaMapping'

/** Names of Epic's games: the account, what is stored, and the runs. */
export interface Beta {
  account: BetaAccount
  store: BetaStore
  jobs: MappingJobs
  phase: () => BetaPhase
  begin(
    run: BetaRun & { failed?: (error: unknown) => void },
    isSilent: boolean,
  ): { queued: Queued; done: Promise<OperationResult> }
  /**
   * Asks for the address of every game's image again; returns how many have one. 0 without a
   * sign-in. Never rejects.
   */
  refreshImages(): Promise<number>
  start(): void
  stop(): void
}

/** `onNamed` is called after downloads got other names. */
export function createBeta(deps: CatalogueParts, onNamed: () => void): Beta {
  const { clock, config, history, hub, log, operations, outside, schedules } = deps
  const web = createBetaWeb(outside, config.beta)
  const account = createBetaAccount(deps, web)
  const store = new BetaStore(deps.state, clock.now())
  const jobs = createMappingJobs(operations, 'betaMapping')
  let phase: BetaPhase = 'Idle'

  function namesChanged(): void {
    onNamed()
    hub.publish('DownloadsRefresh', { reason: 'beta-mapping' })
  }
  const setPhase = (next: BetaPhase) => void (phase = next)
  const parts: BetaParts = { deps, web, account, store, phase: setPhase, named: namesChanged }

  const begin: Beta['begin'] = (run, isSilent) =>
    jobs.begin({
      scope: 'beta',
      variant: run.kind,
      ...named(run.kind === 'login' ? 'betaSignIn' : 'betaMapping'),
      isSilent,
      events: { prefix: 'BetaMapping', showNotification: !isSilent },
      async run(context) {
        const result = await runBeta(parts, run, context)
        // It collected as much as a scheduled one: the next one is an interval away.
        if (!isSilent && result.kind === 'completed') schedules.noteRun(serviceKey)
        return result
      },
    })

  /** Titles that came while the history was away, and those of a new history. */
  function applyWhenReady(): void {
    if (history.status().state !== 'ready') return
    applyBeta(deps, store).then(
      (titles) => titles > 0 && namesChanged(),
      (error: unknown) => log.info({ err: error }, 'names of Epic games were not applied'),
    )
  }

  return {
    account,
    store,
    jobs,
    phase: () => phase,
    begin,
    refreshImages: imageRefresh(deps, { account, store, jobs, begin }),
    start() {
      history.onStatus(applyWhenReady)
      applyWhenReady()
      account.start()
      scheduleRefresh(deps, { account, jobs, begin })
    },
    stop: account.stop,
  }
}

/** Asks for the address of every game's image again. */
const imageRefresh =
  (
    { clock }: CatalogueParts,
    { account, store, jobs, begin }: Pick<Beta, 'account' | 'store' | 'jobs' | 'begin'>,
  ) =>
  async (): Promise<number> => {
    if (!account.isSignedIn() || jobs.active() !== null) return 0
    const since = clock.now()
    store.forgetDescriptions()
    await begin({ kind: 'refresh' }, true).done
    return store.imagesSince(since)
  }

/** The scheduled refresh; operators can change it. */
function scheduleRefresh(
  { schedules, settings }: CatalogueParts,
  { account, jobs, begin }: Pick<Beta, 'account' | 'jobs' | 'begin'>,
): void {
  schedules.register({
    serviceKey,
    intervalHours: () => settings.get('beta.intervalHours'),
    runOnStartup: false,
    card: {
      notificationMode: 'manual',
      operationType: 'betaMapping',
      operationScope: 'beta',
      interval: {
        usual: catalogueSettings['beta.intervalHours'].fallback,
        set: (hours) => void storeInterval(settings, hours),
        reset: () => settings.clear('beta.intervalHours'),
      },
      hindrance: () => ({ awaitingSignIn: !account.isSignedIn() }),
    },
    run: (_trigger, { isSilent }) =>
      jobs.active() === null ? begin({ kind: 'refresh' }, isSilent).queued : undefined,
  })
}
