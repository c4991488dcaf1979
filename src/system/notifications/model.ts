import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { operationTypes } from '../../core/operations/contract.ts'
import { noticeKinds } from './message.ts'

/** Ways to reach people. */
const targetKinds = ['webhook', 'ntfy', 'gotify', 'discord', 'telegram', 'smtp'] as const
/** `starttls` refuses a server without it; `none` sends in clear text. */
const mailSecurities = ['tls', 'starttls', 'none'] as const

const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))
const secret = optional(Type.String({ maxLength: 2000 }))

/**
 * Which members a kind needs is in `targets.ts`. Secrets that are left out stay as they are; null
 * removes one.
 */
export const TargetBody = Model('NotificationTargetBody', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: stringUnion(targetKinds),
  isEnabled: Type.Optional(Flag),
  /** Leaves out jobs that went well. */
  onlyProblems: Type.Optional(Flag),
  url: secret,
  token: secret,
  password: secret,
  chatId: optional(Type.String({ maxLength: 100 })),
  host: optional(Type.String({ maxLength: 255 })),
  port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  security: optional(stringUnion(mailSecurities)),
  user: optional(Type.String({ maxLength: 255 })),
  from: optional(Type.String({ maxLength: 255 })),
  to: optional(Type.String({ maxLength: 1000 })),
})
export type TargetBody = Static<typeof TargetBody>

export const EnableBody = Type.Object({ isEnabled: Flag })

export const TargetView = Model('NotificationTarget', {
  id: Text,
  name: Text,
  kind: stringUnion(targetKinds),
  isEnabled: Flag,
  onlyProblems: Flag,
  /** Host of the address, or mail server and recipients; never a path or a token. */
  address: Text,
  chatId: Nullable(Text),
  host: Nullable(Text),
  port: Nullable(Int),
  security: Nullable(stringUnion(mailSecurities)),
  user: Nullable(Text),
  from: Nullable(Text),
  to: Nullable(Text),
  /** Which secrets are stored. */
  secrets: Type.Array(stringUnion(['url', 'token', 'password'])),
  waiting: Int,
  lastSentAtUtc: Nullable(Utc),
  lastError: Nullable(Text),
  lastErrorAtUtc: Nullable(Utc),
})
export type TargetView = Static<typeof TargetView>

const jobTypes = Type.Array(stringUnion(operationTypes), { maxItems: operationTypes.length })

export const NotificationRules = Model('NotificationRules', {
  /** Null: every type. */
  failedJobs: Nullable(jobTypes),
  finishedJobs: jobTypes,
  /** The cache is full in at most so many days; null: never. */
  diskDays: Nullable(Type.Integer({ minimum: 1, maximum: 365 })),
  corruption: Flag,
  signIns: Flag,
  service: Flag,
  /** Domains that led to the cache and no longer do. */
  dns: Flag,
  /** Games that are ready or will be late, and new builds of them. */
  readiness: Flag,
})
export type NotificationRules = Static<typeof NotificationRules>

/** Rules that came later may be left out: they stay as they are. */
export const NotificationRulesBody = Model('NotificationRulesBody', {
  ...NotificationRules.properties,
  readiness: Type.Optional(NotificationRules.properties.readiness),
})
export type NotificationRulesBody = Static<typeof NotificationRulesBody>

/** Of the messages that are sent. */
const Language = stringUnion(['en', 'de'])
export const LanguageBody = Type.Object({ language: Language })
export type LanguageBody = Static<typeof LanguageBody>

/** Times of day `HH:mm` in a zone; an end before the start is on the next day. */
export const QuietHours = Model('QuietHours', { start: Text, end: Text, timeZoneId: Text })
export const QuietHoursBody = Type.Object({ quietHours: Nullable(QuietHours) })

export const Notifications = Model('Notifications', {
  targets: Type.Array(TargetView),
  rules: NotificationRules,
  language: Language,
  /** Meanwhile messages wait. */
  quietHours: Nullable(QuietHours),
  isQuiet: Flag,
  /** Zone of the service, for new quiet hours. */
  timeZoneId: Text,
})
export type Notifications = Static<typeof Notifications>

/** How a message to one target ended. */
export const HistoryEntry = Model('NotificationHistoryEntry', {
  atUtc: Utc,
  kind: stringUnion(noticeKinds),
  title: Text,
  /** The target's name at that time. */
  target: Text,
  /** Why it was given up; null when it was delivered. */
  error: Nullable(Text),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const NotificationHistoryView = Model('NotificationHistory', {
  /** The newest first. */
  entries: Type.Array(HistoryEntry),
})

export const TestResult = Model('NotificationTestResult', {
  isDelivered: Flag,
  error: Nullable(Text),
})
