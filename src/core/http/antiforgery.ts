import type { Caller } from '../caller.ts'
import { antiforgeryCookie, readCookie } from './cookies.ts'
import { AppError } from './errors.ts'

export const antiforgeryHeader = 'X-Antiforgery-Token'

const tokenCharsMax = 256

/** Writes that need no token (`antiforgery: false`), each with what proves the caller instead. */
export const withoutAntiforgery: Readonly<Record<string, string>> = {
  'POST /api/account-setup/first-admin': 'the installation key in the body',
  'POST /api/account-setup/open-main-admin-recovery': 'the installation key in the body',
  'POST /api/account-setup/recover-main-admin': 'the installation key in the body',
  'POST /api/Setup/credentials': 'the installation key in a header; a session is checked there',
  'POST /api/Setup/external': 'the installation key in a header; a session is checked there',
}

/** Tokens are bound to a session, or to not having one. */
const subjectOf = (caller: Caller): string => caller.sessionId ?? 'anonymous'

/** Issues and checks the tokens that prove that a change comes from our own page. */
export class Antiforgery {
  readonly #secret: string

  /** The secret is kept in the data directory, so that tokens survive a restart. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** The token the caller holds already when it is still good, else a fresh one. */
  issue(request: Request, caller: Caller): string {
    const held = readCookie(request, antiforgeryCookie)
    // Kept: a page that is sending at this moment has read the token before.
    if (held !== null && this.#isGood(held, caller)) return held
    return Bun.CSRF.generate(this.#secret, { sessionId: subjectOf(caller), expiresIn: 0 })
  }

  /** Throws 400 unless the header holds a token of this very caller, the one in the cookie. */
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
