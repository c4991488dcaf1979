import { randomInt } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import { faultOf } from '../../../engines/alpha-connection/connection.ts'
import { tokenEnd } from '../../../engines/alpha-login/token.ts'
import type { Outside } from '../../../core/lib/outside.ts'
import { LoginError, type EngineLogin, type SignedIn } from '../engine.ts'
import { loginFile } from '../login-file.ts'
import { createAlphaClient, type AlphaClient } from './client.ts'
import { signInToAlpha } from './sign-in.ts'

const Stored = Type.Object({
  username: Type.String(),
  refreshToken: Type.String(),
  /** With it Steam skips the code by mail. */
  guardToken: Type.Union([Type.String(), Type.Null()]),
  /** Distinguishes sessions of one account from one address. */
  logonId: Type.Integer(),
})
type StoredAccount = Static<typeof Stored>

/** The service itself logs on with the numbers above. */
const logonIdMax = 16_384
/** A token that ends sooner is not worth a log-on. */
const leftMs = 24 * 3_600_000

const stateOf = ({ username, refreshToken }: StoredAccount): SignedIn => ({
  displayName: null,
  username,
  authExpiryUtc: tokenEnd(refreshToken)?.toISOString() ?? null,
})

export interface AccountParts {
  configPath: string
  addresses: { cmListBaseUrl: string; webApiBaseUrl: string; isOwnWebApi: boolean }
  outside: Outside
  /** The account is another one from now on, or none. */
  changed: () => void
}

/** The sign-in to Steam, and the connection in its name. */
export interface Account {
  login: EngineLogin
  /** Throws when nobody is signed in. */
  client(): AlphaClient
  close(): Promise<void>
}

/** The connection in the name of the account, once Steam has accepted it. */
function createSession({ addresses, outside, changed }: AccountParts, refused: () => void) {
  const session = {
    client: null as AlphaClient | null,
    signedIn: null as SignedIn | null,
    forget() {
      session.signedIn = null
      void session.client?.close()
      session.client = null
      changed()
    },
    /** Rejects with LoginError when Steam refuses the token. */
    async logOn(account: StoredAccount, signal: AbortSignal): Promise<void> {
      session.forget()
      const { refreshToken, logonId } = account
      const access = { cmListBaseUrl: addresses.cmListBaseUrl, account: { refreshToken, logonId } }
      const client = createAlphaClient({ access, outside, refused })
      try {
        await client.licenses(signal)
      } catch (error) {
        await client.close()
        const fault = faultOf(error)
        if (fault?.isRefused !== true) throw error
        throw new LoginError(`Steam refuses the stored sign-in (${fault.result})`)
      }
      session.client = client
      session.signedIn = stateOf(account)
    },
  }
  return session
}

export function createAccount(parts: AccountParts): Account {
  const { webApiBaseUrl, isOwnWebApi } = parts.addresses
  const file = loginFile(parts.configPath, 'alpha', Stored)
  const session = createSession(parts, () => {
    session.forget()
    // The name and the number of the session stay.
    const stored = file.read()
    if (stored !== null) file.write({ ...stored, refreshToken: '' })
  })

  /** Kept before it is used: Steam names a new token once. */
  async function keep(account: Omit<StoredAccount, 'logonId'>, signal: AbortSignal) {
    const whole = { ...account, logonId: file.read()?.logonId ?? randomInt(logonIdMax) }
    file.write(whole)
    await session.logOn(whole, signal)
  }

  const login: EngineLogin = {
    get signedIn() {
      return session.signedIn
    },
    async restore(signal) {
      const stored = file.read()
      const end = stored === null ? null : tokenEnd(stored.refreshToken)
      if (stored === null || end === null || end.getTime() < Date.now() + leftMs) return false
      await session.logOn(stored, signal)
      return true
    },
    async signIn(dialog) {
      const { accountName, refreshToken, guardToken } = await signInToAlpha(dialog, {
        webApiBaseUrl: isOwnWebApi ? webApiBaseUrl : null,
        guardTokenOf(name) {
          const stored = file.read()
          return stored?.username.toLowerCase() === name.toLowerCase() ? stored.guardToken : null
        },
      })
      await keep({ username: accountName, refreshToken, guardToken }, dialog.signal)
    },
    async signInWith({ refreshToken, username = '' }, signal) {
      await keep({ username, refreshToken, guardToken: null }, signal)
    },
    forget: () => session.forget(),
    signOut() {
      session.forget()
      file.remove()
      return Promise.resolve()
    },
  }

  return {
    login,
    client() {
      if (session.client === null) throw new Error('Nobody is signed in to Steam')
      return session.client
    },
    async close() {
      await session.client?.close()
    },
  }
}
