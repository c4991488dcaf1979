import { isUnreachable, Refusal } from './refusal.ts'
import { t, type Key, type Values } from '../locales/translate.ts'

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
  'errors.antiforgery.rejected': 'refused.token',
  'errors.corruption.outdated': 'refused.scanOutdated',
  'errors.depotMapping.noAppList': 'refused.noAppList',
  'errors.depotMapping.noMappings': 'refused.noMappings',
  'errors.depotMapping.setupIncomplete': 'refused.setup',
  'errors.engine.failed': 'refused.engineFailed',
  'errors.engine.restarting': 'refused.engineRestarting',
  'errors.engine.silent': 'refused.disk',
  'errors.logs.busy': 'refused.logsBusy',
  'errors.logs.processing': 'refused.logsProcessing',
  'errors.logs.removing': 'refused.logsRemoving',
  'errors.readOnly.cache': 'refused.cacheReadOnly',
  'errors.readOnly.logs': 'refused.logsReadOnly',
  'errors.statusCheck.running': 'refused.checkRunning',
  'errors.unavailable.history': 'refused.history',
  'errors.unavailable.historySlow': 'refused.historySlow',
  'errors.unavailable.storage': 'refused.storage',
  'errors.unexpected': 'refused.unexpected',
  'signalr.depotMapping.skippedAlphaUnreachable': 'refused.steam',
}

/** Why a server outside could not be used, as the service says it. */
const reasons = [
  [/^(\S+) answered with status (\d+)$/, 'refused.status'],
  [/^(\S+) cannot be reached$/, 'refused.unreachable'],
  [/^(\S+) did not answer in time$/, 'refused.late'],
  [/^(\S+) redirects to another address, which is not followed$/, 'refused.redirect'],
  [/^(\S+) has a certificate that is not trusted$/, 'refused.certificate'],
] as const

/** The text, or the server's while the part with the texts is not loaded. */
function known(key: Key, values: Values, fallback: string): string {
  const text = t(key, values)
  return text === key ? fallback : text
}

/** A reason in the server's words, translated where it has a known form. */
export function reasonText(reason: string): string {
  for (const [pattern, key] of reasons) {
    const [, host, status = ''] = pattern.exec(reason) ?? []
    if (host !== undefined) return known(key, { host, status }, reason)
  }
  return reason
}

/** The values of a text; reasons among them as the reader knows them. */
const valuesOf = (context: Refusal['context']): Values =>
  Object.fromEntries(
    Object.entries(context).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : reasonText(String(value)),
    ]),
  )

/** A refusal in the user's language if its key is known, else the server's text. */
export function refusalText(error: Error): string {
  if (isUnreachable(error)) return t('trouble.unreachable')
  if (!(error instanceof Refusal)) return reasonText(error.message)
  if (error.status === 429) return t('refused.tooMany', { seconds: error.retryAfterSeconds ?? 60 })
  if (error.status === 403 && error.stageKey === null && error.message.startsWith('HTTP')) {
    return t('trouble.forbidden')
  }
  const key = error.stageKey === null ? undefined : texts[error.stageKey]
  if (key === undefined) return reasonText(error.message)
  return known(key, valuesOf(error.context), error.message)
}
