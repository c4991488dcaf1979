import type { ITransport } from 'steam-session'
import { LoginAttempt } from './attempt.ts'
import type { SignInOutcome, SignInRequest } from './contract.ts'
import { isAnswer, refusalOf } from './results.ts'
import { WebTransport } from './web-transport.ts'

const usualWebApi = 'https://api.steampowered.com'

/** Transports to Steam in order of preference; null is the library's own. */
export type Transports = (request: SignInRequest) => (ITransport | null)[]

export interface SignInOptions {
  transports?: Transports
  startWaitMs?: number
}

/** Limit for both start requests together on one transport. */
const startWaitMsDefault = 30_000

/** HTTPS is the fallback: some networks allow nothing else. */
const usualTransports: Transports = ({ webApiBaseUrl }) =>
  webApiBaseUrl === null ? [null, new WebTransport(usualWebApi)] : [new WebTransport(webApiBaseUrl)]

/**
 * Begins an attempt on the first transport that reaches Steam. Steam's own answer is final; another
 * transport would get the same one.
 */
export async function begin(
  request: SignInRequest,
  options: SignInOptions = {},
): Promise<LoginAttempt> {
  const { transports = usualTransports, startWaitMs = startWaitMsDefault } = options
  let failure: unknown
  for (const transport of transports(request)) {
    const attempt = new LoginAttempt(request, transport)
    try {
      await attempt.start(request, startWaitMs)
      return attempt
    } catch (error) {
      attempt.close()
      failure = error
      if (isAnswer(error)) break
    }
  }
  throw failure
}

/** Keeps the one attempt that waits for a code between calls. */
export class PendingSignIn {
  readonly #options: SignInOptions
  #held: LoginAttempt | null = null

  constructor(options: SignInOptions = {}) {
    this.#options = options
  }

  async signIn(request: SignInRequest): Promise<SignInOutcome> {
    const held = this.#take(request)
    if (held === null) return this.#signInAnew(request)
    if (!held.hasFailed()) {
      const outcome = this.#keep(held, await held.resume(request))
      const isExpired = outcome.kind === 'codeNeeded' && outcome.isExpired
      if (!isExpired || request.code === null) return outcome
    }
    // The attempt expired at Steam before the code came: a new attempt may still accept it.
    held.close()
    const outcome = await this.#signInAnew(request)
    return outcome.kind === 'codeNeeded' ? { ...outcome, isExpired: true } : outcome
  }

  async #signInAnew(request: SignInRequest): Promise<SignInOutcome> {
    try {
      const attempt = await begin(request, this.#options)
      return this.#keep(attempt, await attempt.settle(request))
    } catch (error) {
      return refusalOf(error)
    }
  }

  /** The attempt that this call continues; closes any other one. */
  #take(request: SignInRequest): LoginAttempt | null {
    const held = this.#held
    this.#held = null
    if (held === null) return null
    // A repeated call without a code, and no phone to tap: the user wants another email.
    const isWorthIt = request.code !== null || held.canDoWithoutCode()
    if (isWorthIt && held.belongsTo(request)) return held
    held.close()
    return null
  }

  #keep(attempt: LoginAttempt, outcome: SignInOutcome): SignInOutcome {
    if (outcome.kind === 'codeNeeded' && !outcome.isExpired) this.#held = attempt
    else attempt.close()
    return outcome
  }
}
