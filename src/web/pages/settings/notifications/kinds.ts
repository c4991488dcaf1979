import type { TargetKind } from './queries.ts'

export type FieldName =
  'url' | 'token' | 'chatId' | 'host' | 'port' | 'user' | 'password' | 'from' | 'to'

/** Fields of each kind; a `?` marks those that may be left empty. */
export const kinds: Record<TargetKind, readonly (FieldName | `${FieldName}?`)[]> = {
  ntfy: ['url', 'token?'],
  gotify: ['url', 'token'],
  discord: ['url'],
  telegram: ['token', 'chatId'],
  smtp: ['host', 'port?', 'user?', 'password?', 'from', 'to'],
  webhook: ['url'],
}

// The keys of a table are its kinds.
export const kindNames = Object.keys(kinds) as TargetKind[]

/** Names and whether they may be left empty. */
export const fieldsOf = (kind: TargetKind) =>
  kinds[kind].map((field) => ({
    // A field is its name, with or without the mark.
    name: field.replace('?', '') as FieldName,
    isOptional: field.endsWith('?'),
  }))

const secretFields: readonly FieldName[] = ['url', 'token', 'password']
export const isSecret = (name: FieldName): boolean => secretFields.includes(name)

export const examples: Partial<Record<FieldName, string>> = {
  chatId: '-1001234567890',
  host: 'mail.example.org',
  from: 'larder@example.org',
  to: 'me@example.org',
}
