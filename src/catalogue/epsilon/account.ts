import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'
import { deviceOf } from './device.ts'
import {
  EpsilonRefusal,
  type EpsilonTokens,
  type MicrosoftToken,
  type Signing,
  type EpsilonAuthorization,
} from './tokens.ts'

const credentialName = 'epsilon.refreshToken'

/** What requests about titles and packages need. */
export interface EpsilonAccess {
  titles: EpsilonAuthorization
  packages: { header: string; device: Signing }
}

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
      const device = deviceOf(credentials)
      const signing: Signing = {
        ...device,
        sign: (request) => device.sign(request, clock.now()),
      }
      const user = await web.userToken(await account.accessToken(), signal)
      const titles = await web.authorization({ user, device: null }, 'http://xboxlive.com', signal)
      const token = await web.deviceToken(signing, signal)
      const packages = await web.authorization(
        { user, device: { token, signing } },
        'http://update.xboxlive.com',
        signal,
      )
      return { titles, packages: { header: packages.header, device: signing } }
    },
  }
}
