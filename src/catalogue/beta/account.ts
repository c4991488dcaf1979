import type { Core } from '../../core/core.ts'
import type { CatalogueParts } from '../parts.ts'
import { createPlatformAccount } from '../platform-account.ts'
import { BetaRefusal, type BetaWeb } from './web.ts'

/** Page on which a person signs in and is shown the code. */
export function authorizationUrl({ loginBaseUrl, clientId }: Core['config']['beta']): string {
  const target = `${loginBaseUrl}/id/api/redirect?clientId=${clientId}&responseType=code`
  return `${loginBaseUrl}/id/login?redirectUrl=${encodeURIComponent(target)}`
}

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
