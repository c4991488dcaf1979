import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'
import type { Key } from '../../../locales/translate.ts'

interface Kind {
  label: Key
  /** Where its address or token comes from. */
  hint: Key
  /** A `?` marks those that may be left empty. */
  fields: readonly (FieldName | `${FieldName}?`)[]
}

export type FieldName =
  'url' | 'token' | 'chatId' | 'host' | 'port' | 'user' | 'password' | 'from' | 'to'

export const kinds: Record<TargetKind, Kind> = {
  ntfy: { label: 'notify.ntfy', hint: 'notify.ntfyHint', fields: ['url', 'token?'] },
  gotify: { label: 'notify.gotify', hint: 'notify.gotifyHint', fields: ['url', 'token'] },
  discord: { label: 'notify.discord', hint: 'notify.discordHint', fields: ['url'] },
  telegram: { label: 'notify.telegram', hint: 'notify.telegramHint', fields: ['token', 'chatId'] },
  smtp: {
    label: 'notify.smtp',
    hint: 'notify.smtpHint',
    fields: ['host', 'port?', 'user?', 'password?', 'from', 'to'],
  },
  webhook: { label: 'notify.webhook', hint: 'notify.webhookHint', fields: ['url'] },
}

// The keys of a table are its kinds.
export const kindNames = Object.keys(kinds) as TargetKind[]

/** Names and whether they may be left empty. */
export const fieldsOf = (kind: TargetKind) =>
  kinds[kind].fields.map((field) => ({
    // A field is its name, with or without the mark.
    name: field.replace('?', '') as FieldName,
    isOptional: field.endsWith('?'),
  }))

interface FieldRule {
  label: Key
  isSecret?: boolean
  placeholder?: string
}

export const fieldRules: Record<FieldName, FieldRule> = {
  url: { label: 'notify.url', isSecret: true },
  token: { label: 'notify.token', isSecret: true },
  chatId: { label: 'notify.chatId', placeholder: '-1001234567890' },
  host: { label: 'notify.host', placeholder: 'mail.example.org' },
  port: { label: 'notify.port' },
  user: { label: 'notify.user' },
  password: { label: 'notify.password', isSecret: true },
  from: { label: 'notify.from', placeholder: 'larder@example.org' },
  to: { label: 'notify.to', placeholder: 'me@example.org' },
}

const refreshMs = 10_000

/** Targets, rules and quiet hours; the number of waiting messages changes without a request. */
export const useNotifications = () =>
  useAccountRead(keys.notifications, api.ext.notifications.get, { refetchInterval: refreshMs })

export type Notifications = NonNullable<ReturnType<typeof useNotifications>['data']>

export type Target = Notifications['targets'][number]

export type TargetKind = Target['kind']

export type Rules = Notifications['rules']
