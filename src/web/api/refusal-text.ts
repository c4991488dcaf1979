import { antiforgeryToken } from './antiforgery.ts'
import { isUnreachable, Refusal } from './refusal.ts'
import { known, t, type Values } from '../locales/translate.ts'

/** Why a server outside could not be used, as the service says it. */
const reasons = [
  [/^(\S+) answered with status (\d+)$/, 'refused.status'],
  [/^(\S+) cannot be reached$/, 'refused.unreachable'],
  [/^(\S+) did not answer in time$/, 'refused.late'],
  [/^(\S+) redirects to another address, which is not followed$/, 'refused.redirect'],
  [/^(\S+) has a certificate that is not trusted$/, 'refused.certificate'],
  [/^(\S+) refused with (\d+)$/, 'refused.mailCode'],
  [/^(\S+) closed the connection$/, 'refused.mailClosed'],
  [/^(\S+) does not answer as a mail server$/, 'refused.mailUnknown'],
  [/^(\S+) does not offer STARTTLS$/, 'refused.mailStarttls'],
  [/^(\S+) does not use TLS on this port$/, 'refused.mailTls'],
] as const

/** A reason in the server's words, translated where it has a known form. */
export function reasonText(reason: string): string {
  for (const [pattern, key] of reasons) {
    const [, host, status = ''] = pattern.exec(reason) ?? []
    if (host !== undefined) return known(key) === null ? reason : t(key, { host, status })
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

/** A refusal in the user's language if there is a text for its key, whose dots are dashes there. */
export function refusalText(error: Error): string {
  if (isUnreachable(error)) return t('trouble.unreachable')
  if (!(error instanceof Refusal)) return reasonText(error.message)
  if (error.status === 429) return t('refused.tooMany', { seconds: error.retryAfterSeconds ?? 60 })
  if (error.status === 403 && error.stageKey === null && error.message.startsWith('HTTP')) {
    return t('trouble.forbidden')
  }
  // Blocked, or kept for the same name over HTTPS: a reload would not help.
  const isWithoutCookies =
    error.stageKey === 'errors.antiforgery.rejected' && antiforgeryToken(document.cookie) === null
  if (isWithoutCookies) return t('refused.noCookies')
  const key = known(`refused.${error.stageKey?.replace('errors.', '').replaceAll('.', '-')}`)
  return key === null ? reasonText(error.message) : t(key, valuesOf(error.context))
}
