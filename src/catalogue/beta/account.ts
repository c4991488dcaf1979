import { BetaRefusal, type BetaWeb } from '../../engines/beta-connection/web.ts'
import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'

export type BetaAccount = ReturnType<typeof createBetaAccount>

/** The installation's one Epic account. */
export function createBetaAccount(deps: CatalogueParts, web: BetaWeb) {
  const account = createPlatformAccount(deps, {
    credentialName: 'beta.refreshToken',
    title: 'Epic Games',
    company: 'Epic Games',
    Refusal: BetaRefusal,
    refresh: (secret) => web.token({ grant_type: 'refresh_token', refresh_token: secret }),
  })
  return {
    ...account,
    /** Throws BetaRefusal, OutsideError, SealError. */
    async signIn(code: string, signal: AbortSignal): Promise<void> {
      const token = await web.token({ grant_type: 'authorization_code', code }, signal)
      signal.throwIfAborted()
      account.signedIn(token, account.displayName())
    },
  }
}
