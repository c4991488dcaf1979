import {
  authorizationUrl,
  BetaRefusal,
  type BetaAddresses,
  type BetaToken,
  type BetaWeb,
} from '../../../engines/beta-connection/web.ts'
import { LoginError, type EngineLogin } from '../engine.ts'
import type { BetaSession } from './session.ts'

const codeCharsMax = 500

/** The code; people also copy the whole page that shows it. */
function codeOf(text: string): string {
  const [, found] = /"authorizationCode"\s*:\s*"([^"]*)"/.exec(text) ?? []
  const code = (found ?? text).trim()
  if (code === '') throw new LoginError('the authorization code is missing')
  if (code.length > codeCharsMax) throw new LoginError('this is not an authorization code')
  return code
}

/** Says what a person can do about a refusal; other errors stay as they are. */
function explained(error: unknown, usual: string): unknown {
  if (!(error instanceof BetaRefusal)) return error
  if (!error.reason.includes('corrective_action_required')) return new LoginError(usual)
  const { correctiveAction } = error
  const what = correctiveAction === null ? '' : ` (${correctiveAction})`
  return new LoginError(
    `Epic Games wants something from this account first${what}: sign in on its website`,
  )
}

/**
 * Replaces a refresh token. Never cancelled: the answer to a request that nobody waits for would be lost,
 * and the token that it replaces is not accepted any more.
 */
export const refreshWith =
  (web: BetaWeb) =>
  (refreshToken: string): Promise<BetaToken> =>
    web.token({ grant_type: 'refresh_token', refresh_token: refreshToken })

/** Signs in with a code that Epic's page shows, or with a token of the manager. */
export function createBetaLogin(
  web: BetaWeb,
  addresses: BetaAddresses,
  session: BetaSession,
): EngineLogin {
  const refresh = refreshWith(web)
  return {
    get signedIn() {
      const known = session.known()
      if (known === null) return null
      const { displayName, authExpiryUtc } = known
      return { displayName, authExpiryUtc, username: null }
    },
    restore: () => session.restore(),
    async signIn({ ask, signal }) {
      const authUrl = authorizationUrl(addresses)
      const code = codeOf(await ask({ credentialType: 'authorization-url', authUrl }))
      try {
        const token = await web.token({ grant_type: 'authorization_code', code }, signal)
        signal.throwIfAborted()
        session.signedIn(token)
      } catch (error) {
        const usual = 'Epic Games did not accept this code; open the link again and copy a new one'
        throw explained(error, usual)
      }
    },
    async signInWith({ refreshToken }) {
      try {
        session.signedIn(await refresh(refreshToken))
      } catch (error) {
        throw explained(error, 'Epic Games did not accept the stored sign-in; sign in again')
      }
    },
    forget: () => session.forget(),
    signOut: async () => session.signOut(),
  }
}
