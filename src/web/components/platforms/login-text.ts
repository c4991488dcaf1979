import { hasAccounts, type AccountPlatform, type Platform } from '../../../platforms/platforms.ts'
import { t, type Key } from '../../locales/translate.ts'

const texts: Readonly<Record<AccountPlatform, Key>> = {
  alpha: 'prefill.loginAlpha',
  beta: 'prefill.loginBeta',
  epsilon: 'prefill.loginEpsilon',
}

/** How a platform signs in. */
export const loginText = (platform: Platform): string =>
  t(hasAccounts(platform) ? texts[platform] : 'prefill.loginNone')
