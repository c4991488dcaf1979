import type { Caller } from '../caller.ts'
import { antiforgeryCookie, readCookie } from './cookies.ts'
import { AppError } from './errors.ts'

export const antiforgeryHeader = 'X-Antiforgery-Token'

const tokenCharsMax = 256

/**
 * Writes without a token (`antiforgery: false`), or with one only in a session (`'inSession'`), each
 * with what authenticates the caller instead.
 */
export const withoutAntiforgery: Readonly<Record<string, string>> = {
  'POST /api/account-setup/first-admin': 'the installation key in the body',
  'POST /api/account-setup/open-main-admin-recovery': 'the installation key in the body',
  'POST /api/account-setup/recover-main-admin': 'the installation key in the body',
  'POST /api/Setup/credentials': 'the installation key in a header; a session is checked there',
  'POST /api/Setup/external': 'the installation key in a header; a session is checked there',
  'POST /api/auth/guest': 'nothing: without a session there is none to lose',
  'POST /api/auth/logout': 'nothing: without a session there is none to end',
}

/** A token is bound to a session, or to having none. */
const subjectOf = (caller: Caller): string => caller.sessionId ?? 'anonymous'

/** Issues and checks the tokens that prove that a change comes from our own page. */
export class Antiforgery {
  readonly #secret: string

  /** The secret is stored in the data directory, so that tokens survive a restart. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** The caller's current token while valid, else a new one. */
  issue(request: Request, caller: Caller): string {
    const held = readCookie(request, antiforgeryCookie)
    // Kept: a page may be sending a request with the token that it read before.
    if (held !== null && this.#isGood(held, caller)) return held
    return Bun.CSRF.generate(this.#secret, { sessionId: subjectOf(caller), expiresIn: 0 })
  }

  /** Throws 400 unless the header holds this caller's token and matches the cookie. */
  check(request: Request, caller: Caller): void {
    const sent = request.headers.get(antiforgeryHeader)
    const cookie = readCookie(request, antiforgeryCookie)
    const isSame = cookie === null || cookie === sent
    if (sent === null || !isSame || !this.#isGood(sent, caller)) {
      throw new AppError('invalid', 'The antiforgery token is missing or does not belong to you', {
        extra: { stageKey: 'errors.antiforgery.rejected' },
      })
    }
  }

  #isGood(token: string, caller: Caller): boolean {
    if (token === '' || token.length > tokenCharsMax) return false
    return Bun.CSRF.verify(token, {
      secret: this.#secret,
      sessionId: subjectOf(caller),
      maxAge: 0,
    })
  }
}
