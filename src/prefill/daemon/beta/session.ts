import { Type, type Static } from '@sinclair/typebox'
import { OutsideError } from '../../../core/lib/outside.ts'
import { BetaRefusal, type BetaToken } from '../../../engines/beta-connection/web.ts'
import { LoginError } from '../engine.ts'
import { loginFile } from '../login-file.ts'

/** An access token is renewed when it is valid for less than this. */
const renewBeforeMs = 10 * 60_000

/** What is stored of a sign-in. */
const Stored = Type.Object({
  refreshToken: Type.String({ minLength: 1 }),
  accountId: Type.Union([Type.String(), Type.Null()]),
  displayName: Type.Union([Type.String(), Type.Null()]),
  authExpiryUtc: Type.Union([Type.String(), Type.Null()]),
})
type Stored = Static<typeof Stored>

interface Session extends Stored {
  accessToken: string
  /** Monotonic. */
  untilMs: number
}

const storedOf = ({ refresh_token, account_id, ...token }: BetaToken): Stored => ({
  refreshToken: refresh_token,
  accountId: account_id ?? null,
  displayName: token.displayName?.slice(0, 100) ?? null,
  authExpiryUtc:
    token.refresh_expires === undefined
      ? null
      : new Date(Date.now() + token.refresh_expires * 1000).toISOString(),
})

const sessionOf = (token: BetaToken): Session => ({
  ...storedOf(token),
  accessToken: token.access_token,
  untilMs: performance.now() + token.expires_in * 1000,
})

const ended = () => new LoginError('Epic Games ended the sign-in; sign in again')

export type BetaSession = ReturnType<typeof createSession>

/**
 * The sign-in of one account: its refresh token in a file, access tokens in memory. `refresh` replaces
 * a refresh token.
 */
export function createSession(configPath: string, refresh: (token: string) => Promise<BetaToken>) {
  const file = loginFile(configPath, 'beta', Stored)
  let session: Session | null = null
  let renewal: Promise<void> | null = null
  /** Changes when the session in memory is another one: a renewal that began before is not used. */
  let epoch = 0

  function forget(): void {
    epoch++
    session = null
  }

  function signOut(): void {
    forget()
    file.remove()
  }

  async function renew(refreshToken: string): Promise<void> {
    const begun = epoch
    const isStored = () => file.read()?.refreshToken === refreshToken
    try {
      const token = await refresh(refreshToken)
      if (begun === epoch) session = sessionOf(token)
      // Not after somebody signed out, or in with another account.
      if (begun === epoch || isStored()) file.write(storedOf(token))
    } catch (error) {
      if (!(error instanceof BetaRefusal)) throw error
      if (isStored()) signOut()
      else if (begun === epoch) forget()
      throw ended()
    }
  }

  /** One renewal at a time: a second one would send a token that was replaced. */
  const renewed = (refreshToken: string): Promise<void> =>
    (renewal ??= renew(refreshToken).finally(() => (renewal = null)))

  function current(): Session {
    if (session === null) throw ended()
    return session
  }

  /** While the service does not answer, the token that there is serves until its end. */
  async function keepFresh(): Promise<void> {
    const { refreshToken, untilMs } = current()
    if (untilMs - performance.now() > renewBeforeMs) return
    await renewed(refreshToken).catch((error: unknown) => {
      if (!(error instanceof OutsideError) || untilMs < performance.now()) throw error
    })
  }

  return {
    /** Null: nobody is signed in. */
    known: (): Omit<Stored, 'refreshToken'> | null => session,
    /** Id of the account; null: not known. Throws LoginError when nobody is signed in. */
    accountId: () => current().accountId,
    signedIn(token: BetaToken): void {
      epoch++
      file.write(storedOf(token))
      session = sessionOf(token)
    },
    /** Signs in with what is stored; false without it. Rejects with LoginError when it is refused. */
    async restore(): Promise<boolean> {
      const stored = file.read()
      if (stored === null) return false
      await renewed(stored.refreshToken)
      return session !== null
    },
    /** Rejects with LoginError when nobody is signed in, or not any more. */
    async authorized<T>(ask: (accessToken: string) => Promise<T>): Promise<T> {
      await keepFresh()
      const used = current()
      try {
        return await ask(used.accessToken)
      } catch (error) {
        if (!(error instanceof BetaRefusal)) throw error
      }
      // Epic may end an access token before its time.
      if (current().accessToken === used.accessToken) await renewed(used.refreshToken)
      return ask(current().accessToken)
    },
    forget,
    signOut,
  }
}
