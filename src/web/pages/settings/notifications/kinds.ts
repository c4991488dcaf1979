import type { Key } from '../../../locales/translate.ts'
import type { TargetKind } from './queries.ts'

interface Kind {
  label: Key
  /** Where its address or token comes from. */
  hint: Key
  fields: readonly FieldName[]
}

export type FieldName =
  'url' | 'token' | 'chatId' | 'host' | 'port' | 'user' | 'password' | 'from' | 'to'

export const kinds: Record<TargetKind, Kind> = {
  ntfy: { label: 'notify.ntfy', hint: 'notify.ntfyHint', fields: ['url', 'token'] },
  gotify: { label: 'notify.gotify', hint: 'notify.gotifyHint', fields: ['url', 'token'] },
  discord: { label: 'notify.discord', hint: 'notify.discordHint', fields: ['url'] },
  telegram: { label: 'notify.telegram', hint: 'notify.telegramHint', fields: ['token', 'chatId'] },
  smtp: {
    label: 'notify.smtp',
    hint: 'notify.smtpHint',
    fields: ['host', 'port', 'user', 'password', 'from', 'to'],
  },
  webhook: { label: 'notify.webhook', hint: 'notify.webhookHint', fields: ['url'] },
}

export const kindNames: readonly TargetKind[] = [
  'ntfy',
  'gotify',
  'discord',
  'telegram',
  'smtp',
  'webhook',
]

interface FieldRule {
  label: Key
  isSecret?: boolean
  isOptional?: boolean
  placeholder?: string
}

export const fieldRules: Record<FieldName, FieldRule> = {
  url: { label: 'notify.url', isSecret: true },
  token: { label: 'notify.token', isSecret: true },
  chatId: { label: 'notify.chatId', placeholder: '-1001234567890' },
  host: { label: 'notify.host', placeholder: 'mail.example.org' },
  port: { label: 'notify.port', placeholder: '587' },
  user: { label: 'notify.user', isOptional: true },
  password: { label: 'notify.password', isSecret: true, isOptional: true },
  from: { label: 'notify.from', placeholder: 'larder@example.org' },
  to: { label: 'notify.to', placeholder: 'me@example.org' },
}
