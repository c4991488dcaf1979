import { isUnreachable, Refusal } from './refusal.ts'
import { t, type Key } from '../locales/translate.ts'

const texts: Record<string, Key> = {
  'errors.login.invalidCredentials': 'refused.credentials',
  'errors.accountSetup.apiKeyRequired': 'refused.key',
  'errors.accountSetup.accountExists': 'refused.exists',
  'errors.accountSetup.claimWindowClosed': 'refused.window',
  'errors.accountSetup.recoveryWindowClosed': 'refused.recoveryClosed',
  'errors.accountSetup.mainAdminNotFound': 'refused.notOwner',
  'errors.accounts.notFound': 'refused.accountGone',
  'errors.accounts.roleNotAssignable': 'refused.role',
  'errors.accounts.adminRoleRequiresMainAdmin': 'refused.adminByOwner',
  'errors.accounts.usernameTaken': 'refused.nameTaken',
  'errors.accounts.mainAdminProtected': 'refused.ownerProtected',
  'errors.accounts.selfProtected': 'refused.self',
  'errors.accounts.wipeRequiresMainAdmin': 'refused.wipe',
  'errors.password.accountRequired': 'refused.noAccount',
  'errors.password.locked': 'refused.locked',
  'errors.password.incorrect': 'refused.password',
}

/** A refusal in the user's language if its key is known, else the server's text. */
export function refusalText(error: Error): string {
  if (isUnreachable(error)) return t('trouble.unreachable')
  if (!(error instanceof Refusal)) return error.message
  if (error.status === 429) return t('refused.tooMany', { seconds: error.retryAfterSeconds ?? 60 })
  if (error.status === 403 && error.stageKey === null && error.message.startsWith('HTTP')) {
    return t('trouble.forbidden')
  }
  const key = error.stageKey === null ? undefined : texts[error.stageKey]
  return key === undefined ? error.message : t(key)
}
