/*
 * Signs in to Steam. The worker lives only while a sign-in runs: the library keeps timers and
 * sockets, and ending the worker ends a hanging one. An attempt that waits for a code is kept for
 * five minutes. Steam's own client protocol is tried first, plain HTTPS second; what Steam has
 * answered is never asked again the other way.
 */
import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { SignInOutcome, SignInRequest } from './contract.ts'
import { Engine } from '../host.ts'
import type { AlphaLoginJobs } from './jobs.ts'
import { programScript } from '../../core/lib/program-files.ts'

/** The user's input; transport and time limits are added here. */
export type SignInInput = Pick<
  SignInRequest,
  'accountName' | 'password' | 'code' | 'allowsPhone' | 'guardToken'
>

/** The main thread's view of the Steam sign-in. One call at a time. */
export interface AlphaLogin {
  isBusy(): boolean
  /** Network and Steam errors are outcomes, not rejections. Throws when busy. */
  signIn(input: SignInInput): Promise<SignInOutcome>
  /** Cancels the running or waiting attempt; its call ends as `cancelled`. */
  cancel(): void
}

/** An attempt that waits for a code is closed after this, and its worker ends with it. */
const heldMs = 5 * 60_000
/** What a call may take besides waiting for the phone: two transports, a code, a new start. */
const overheadMs = 100_000

const cancelled: SignInOutcome = { kind: 'refused', reason: 'cancelled', result: null }

export interface AlphaLoginParts {
  config: { alpha: Pick<Config['alpha'], 'webApiBaseUrl' | 'isOwnWebApi' | 'phoneWaitSeconds'> }
  log: Logger
  timers?: Timers
}

export function createAlphaLogin(parts: AlphaLoginParts): AlphaLogin {
  const { config, log, timers } = parts
  const { webApiBaseUrl, isOwnWebApi, phoneWaitSeconds } = config.alpha
  const phoneWaitMs = phoneWaitSeconds * 1000
  const engine = new Engine<AlphaLoginJobs>({
    name: 'alpha-login',
    script: programScript('engines/alpha-login/alpha-login.worker'),
    log,
    timers,
    idleMs: heldMs,
  })
  let isBusy = false
  let isCancelled = false

  async function ask(input: SignInInput): Promise<SignInOutcome> {
    const request = {
      ...input,
      phoneWaitMs,
      webApiBaseUrl: isOwnWebApi ? webApiBaseUrl : null,
    }
    try {
      return await engine.run('signIn', request, { limitMs: phoneWaitMs + overheadMs })
    } catch (error) {
      // Safe to log: only our own texts get here, because the jobs return Steam's errors as
      // outcomes.
      const text = error instanceof Error ? error.message : 'unknown'
      if (!isCancelled) log.warn({ reason: text }, 'the Steam sign-in worker failed')
      return { kind: 'refused', reason: 'busy', result: null }
    }
  }

  return {
    isBusy: () => isBusy,
    async signIn(input) {
      if (isBusy) throw new Error('a sign-in is going on')
      isBusy = true
      isCancelled = false
      const answer = await ask(input)
      isBusy = false
      // An answer that arrives after the user signed out is discarded.
      const outcome = isCancelled ? cancelled : answer
      if (outcome.kind !== 'codeNeeded') engine.kill()
      return outcome
    },
    cancel() {
      isCancelled = true
      engine.kill('was cancelled')
    },
  }
}
