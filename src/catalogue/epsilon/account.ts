import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'
import {
  EpsilonRefusal,
  type EpsilonAccess,
  type EpsilonTokens,
  type MicrosoftToken,
} from '../../engines/epsilon-connection/tokens.ts'
import { deviceOf } from './device.ts'

const credentialName = 'epsilon.refreshToken'

export type EpsilonAccount = ReturnType<typeof createEpsilonAccount>

/**
 * The installation's one Microsoft account. The device key is sealed at rest too, and stays after a
 * sign-out: it names the installation, not the account.
 */
export function createEpsilonAccount(deps: CatalogueParts, web: EpsilonTokens) {
  const { clock, credentials } = deps
  const account = createPlatformAccount(deps, {
    credentialName,
    title: 'Xbox',
    company: 'Microsoft',
    Refusal: EpsilonRefusal,
    refresh: (secret) => web.refresh(secret),
  })
  return {
    ...account,
    /** Stores a new sign-in; its name follows. Throws SealError. */
    signedIn: (token: MicrosoftToken) => account.signedIn(token, null),

    rename(gamertag: string): void {
      const kept = credentials.read(credentialName)
      if (kept.state === 'kept') credentials.keep(credentialName, kept.secret, gamertag)
    },

    /** Goes through the token services. Throws EpsilonRefusal, OutsideError, SealError. */
    async authorize(signal: AbortSignal): Promise<EpsilonAccess> {
      const device = deviceOf(credentials, () => clock.now())
      return web.access(await account.accessToken(), device, signal)
    },
  }
}
