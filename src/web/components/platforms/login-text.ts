import { hasAccounts, type Platform } from '../../../platforms/platforms.ts'
import { t } from '../../locales/translate.ts'

/** How a platform signs in. */
export const loginText = (platform: Platform): string =>
  t(hasAccounts(platform) ? `prefill.login.${platform}` : 'prefill.loginNone')
