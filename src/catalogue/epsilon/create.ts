import { createEpsilonLibrary } from '../../engines/epsilon-connection/library.ts'
import {
  createEpsilonTokens,
  type DeviceCode,
  type EpsilonTokens,
} from '../../engines/epsilon-connection/tokens.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { createMappingJobs, type MappingJobs } from '../mapping-jobs.ts'
import type { CatalogueParts } from '../parts.ts'
import { createEpsilonAccount, type EpsilonAccount } from './account.ts'
import { applyEpsilon } from './apply.ts'
import { runEpsilon, type EpsilonParts, type EpsilonRun } from './refresh.ts'
import { EpsilonStore } from './store.ts'

const serviceKey = 'epsilonMapping'
const refreshHours = 12

/** Names of Xbox titles: the account, what is stored, and the runs. */
export interface Epsilon {
  account: EpsilonAccount
  store: EpsilonStore
  jobs: MappingJobs
  tokens: EpsilonTokens
  /** The sign-in that runs, and whether it still waits for its code to be approved. */
  login(): { isWaiting: boolean } | null
  /** Waits in a job until the code is approved, and collects titles then. Returns the job's id. */
  followLogin(code: DeviceCode): string
  /** A refresh that a person sees. Returns the job's id. */
  refresh(): string
  start(): void
  stop(): void
}

const authStage = (status: string) =>
  `signalr.epsilon.mapping.${status === 'waiting' ? 'authenticating' : status}`

/** `onNamed` is called after downloads got other names. */
export function createEpsilon(deps: CatalogueParts, onNamed: () => void): Epsilon {
  const { config, history, hub, log, operations, outside, schedules } = deps
  const tokens = createEpsilonTokens(outside, config.epsilon)
  const account = createEpsilonAccount(deps, tokens)
  const store = new EpsilonStore(deps.state)
  const jobs = createMappingJobs(operations, 'epsilonMapping')
  const follower = loginFollower(deps, (run) => begin(run, false))

  function namesChanged(): void {
    onNamed()
    hub.publish('DownloadsRefresh', { reason: 'epsilon-mapping' })
  }
  const library = createEpsilonLibrary(outside, config.epsilon)
  const parts: EpsilonParts = { deps, web: tokens, library, account, store, named: namesChanged }

  const begin = (run: EpsilonRun, isSilent: boolean) =>
    jobs.begin({
      scope: 'epsilon',
      // Every code is a sign-in of its own, even while an earlier one ends.
      variant: run.kind === 'login' ? run.code.user_code : run.kind,
      ...named(run.kind === 'login' ? 'epsilonSignIn' : 'epsilonMapping'),
      isSilent,
      events: { prefix: 'EpsilonMapping', showNotification: !isSilent },
      run: (context) => runEpsilon(parts, run, context),
    })

  /** Titles that came while the history was away, and those of a new history. */
  function applyWhenReady(): void {
    if (history.status().state !== 'ready') return
    applyEpsilon(deps, store).then(
      (titles) => titles > 0 && namesChanged(),
      (error: unknown) => log.info({ err: error }, 'names of Xbox titles were not applied'),
    )
  }

  return {
    account,
    store,
    jobs,
    tokens,
    ...follower,
    refresh: () => begin({ kind: 'refresh' }, false).queued.operationId,
    start() {
      history.onStatus(applyWhenReady)
      applyWhenReady()
      account.start()
      schedules.register({
        serviceKey,
        intervalHours: refreshHours,
        runOnStartup: false,
        card: {
          notificationMode: 'manual',
          operationType: 'epsilonMapping',
          operationScope: 'epsilon',
          hindrance: () => ({ awaitingSignIn: !account.isSignedIn() }),
        },
        run: (_trigger, { isSilent }) =>
          jobs.active() === null ? begin({ kind: 'refresh' }, isSilent).queued : undefined,
      })
    },
    stop: account.stop,
  }
}

/** Publishes how a sign-in goes on. */
function loginFollower(
  { hub, schedules }: CatalogueParts,
  begin: (run: EpsilonRun) => ReturnType<MappingJobs['begin']>,
): Pick<Epsilon, 'login' | 'followLogin'> {
  let login: { isWaiting: boolean } | null = null

  const announce = (operationId: string, status: string, error: string | null = null) => {
    const facts = { operationId, status, stageKey: authStage(status), message: null, error }
    hub.publish('EpsilonMappingAuthStateChanged', facts)
  }

  return {
    login: () => login,
    followLogin(code) {
      const current = { isWaiting: true }
      const approved = () => {
        current.isWaiting = false
        // A sign-in collects as much as a refresh: the next one is an interval away.
        schedules.noteRun(serviceKey)
        announce(operationId, 'completed')
      }
      const { queued, done } = begin({ kind: 'login', code, approved })
      const { operationId } = queued
      login = current
      announce(operationId, 'waiting')
      const ended = (result: OperationResult) => {
        if (login === current) login = null
        if (!current.isWaiting) return
        const error = result.kind === 'failed' ? result.error : null
        announce(operationId, result.kind === 'cancelled' ? 'cancelled' : 'failed', error)
      }
      void done.then(ended)
      return operationId
    },
  }
}
