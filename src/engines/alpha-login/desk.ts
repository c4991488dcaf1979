import type { ITransport } from 'steam-session'
import { LoginAttempt } from './attempt.ts'
import type { SignInOutcome, SignInRequest } from './contract.ts'
import { isAnswer, refusalOf } from './results.ts'
import { WebTransport } from './web-transport.ts'

const usualWebApi = 'https://api.steampowered.com'

/** Ways to Steam, best first; null is the library's own. */
export type Ways = (request: SignInRequest) => (ITransport | null)[]

export interface DeskOptions {
  ways?: Ways
  startWaitMs?: number
}

/** Reaching Steam on one way, both requests of the start together. */
const startWaitMsDefault = 30_000

/** Some networks let nothing but plain HTTPS out: it comes second. */
const usualWays: Ways = ({ webApiBaseUrl }) =>
  webApiBaseUrl === null ? [null, new WebTransport(usualWebApi)] : [new WebTransport(webApiBaseUrl)]

/**
 * Begins an attempt on the first way that leads to Steam. What Steam itself has answered is final;
 * another way would get the same answer.
 */
async function begin(request: SignInRequest, options: DeskOptions): Promise<LoginAttempt> {
  const { ways = usualWays, startWaitMs = startWaitMsDefault } = options
  let failure: unknown
  for (const transport of ways(request)) {
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
export class LoginDesk {
  readonly #options: DeskOptions
  #held: LoginAttempt | null = null

  constructor(options: DeskOptions = {}) {
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
    // The attempt ended at Steam while somebody typed the code: it may still do for a new one.
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

  /** The attempt that this call goes on with; any other one is given up. */
  #take(request: SignInRequest): LoginAttempt | null {
    const held = this.#held
    this.#held = null
    if (held === null) return null
    // Without a code, and nothing to tap: whoever asks again wants another mail.
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
