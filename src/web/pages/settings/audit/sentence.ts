import type { Static } from '@sinclair/typebox'
import type { AuditPage } from '../../../../access/audit/model.ts'
import { known, t, type Key } from '../../../locales/translate.ts'

export type AuditEntry = Static<typeof AuditPage>['entries'][number]

/** Selects an entry's sentence: the same event reads differently with and without names. */
export function sentenceKey(entry: AuditEntry): Key {
  const { event, actorAccountId, actorSessionId, targetAccountId } = entry
  if (event === 'LoginFailed' && targetAccountId === null) return 'audit.failedUnknown'
  const isByItself = actorAccountId !== null && actorAccountId === targetAccountId
  if (event === 'PasswordChanged' && isByItself) return 'audit.ownPassword'
  const isUnattended = actorAccountId === null && actorSessionId === null
  if (event === 'AccountCreated' && isUnattended) return 'audit.firstAccount'
  return known(`audit.event.${event}`) ?? 'audit.other'
}

/** A null name with an id: the account was deleted since. */
export function sentenceOf(entry: AuditEntry): string {
  const deleted = t('audit.deletedAccount')
  const nobody = t('audit.nobody')
  const nameOf = (id: string | null, name: string | null) =>
    name ?? (id === null ? nobody : deleted)
  const text = t(sentenceKey(entry), {
    event: entry.event,
    actor: nameOf(entry.actorAccountId, entry.actorName),
    target: nameOf(entry.targetAccountId, entry.targetName),
  })
  // Names keep their case; our own words are capitalised at the start.
  const isOurs = text.startsWith(deleted) || text.startsWith(nobody)
  const sentence = isOurs ? text.charAt(0).toUpperCase() + text.slice(1) : text
  return entry.address === null ? sentence : `${sentence} (${entry.address})`
}
