import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import type { SignInOutcome, SignInRequest } from './contract.ts'
import { Engine } from '../host.ts'
import type { AlphaLoginJobs } from './jobs.ts'

/** What somebody has typed; how Steam is reached and how long is waited is added here. */
export type SignInInput = Pick<
  SignInRequest,
  'accountName' | 'password' | 'code' | 'allowsPhone' | 'guardToken'
>

/** The main thread's view of signing in on Steam. One call at a time. */
export interface AlphaLogin {
  isBusy(): boolean
  /** Never rejects for anything outside; what goes wrong is an outcome. Throws when busy. */
  signIn(input: SignInInput): Promise<SignInOutcome>
  /** Gives up what is going on or waits for a code; the call then ends as `cancelled`. */
  cancel(): void
}

/** An attempt that waits for a code is given up after this; its worker ends with it. */
const heldMs = 5 * 60_000
/** What a call may take besides the wait for the phone: two ways to Steam, a code, a new start. */
const overheadMs = 100_000

const cancelled: SignInOutcome = { kind: 'refused', reason: 'cancelled', result: null }

export interface AlphaLoginParts {
  config: Pick<Config, 'alpha'>
  log: Logger
  timers?: Timers
}

export function createAlphaLogin(parts: AlphaLoginParts): AlphaLogin {
  const { config, log, timers = systemTimers } = parts
  const { webApiBaseUrl, isOwnWebApi, phoneWaitSeconds } = config.alpha
  const phoneWaitMs = phoneWaitSeconds * 1000
  const engine = new Engine<AlphaLoginJobs>({
    name: 'alpha-login',
    script: new URL('./alpha-login.worker.ts', import.meta.url).href,
    log,
  })
  let isBusy = false
  let isCancelled = false
  let stopWaiting = () => {}

  async function ask(input: SignInInput): Promise<SignInOutcome> {
    const request = {
      ...input,
      phoneWaitMs,
      webApiBaseUrl: isOwnWebApi ? webApiBaseUrl : null,
    }
    const stopDeadline = timers.after(phoneWaitMs + overheadMs, () => engine.kill('no answer'))
    try {
      return await engine.run('signIn', request)
    } catch (error) {
      // Only texts of ours get here: the worker's jobs answer with outcomes.
      const text = error instanceof Error ? error.message : 'unknown'
      if (!isCancelled) log.warn({ reason: text }, 'the Steam sign-in worker failed')
      return { kind: 'refused', reason: 'busy', result: null }
    } finally {
      stopDeadline()
    }
  }

  return {
    isBusy: () => isBusy,
    async signIn(input) {
      if (isBusy) throw new Error('a sign-in is going on')
      isBusy = true
      isCancelled = false
      stopWaiting()
      const answer = await ask(input)
      isBusy = false
      // An answer that was on its way when somebody signed out is not used.
      const outcome = isCancelled ? cancelled : answer
      if (outcome.kind === 'codeNeeded') stopWaiting = timers.after(heldMs, () => engine.kill())
      else engine.kill()
      return outcome
    },
    cancel() {
      isCancelled = true
      stopWaiting()
      engine.kill('cancelled')
    },
  }
}
