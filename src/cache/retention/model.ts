import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const bytesMax = Number.MAX_SAFE_INTEGER
const daysMax = 3660

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) =>
  Type.Optional(Nullable(schema))

const Condition = stringUnion([
  'storedLongerThan',
  'unusedFor',
  'gameLargerThan',
  'serviceAbove',
  'diskBelow',
])

const Position = Type.Integer({
  minimum: 0,
  maximum: 1000,
  description: 'Rules apply in the order of their positions',
})

export const RuleBody = Model('RetentionRuleBody', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  isEnabled: Type.Optional(Flag),
  position: Type.Optional(Position),
  service: optional(Type.String({ maxLength: 200 })),
  gameKey: optional(Type.String({ maxLength: 400 })),
  datasource: optional(Type.String({ maxLength: 100 })),
  condition: Condition,
  days: optional(Type.Integer({ minimum: 1, maximum: daysMax })),
  bytes: optional(Type.Integer({ minimum: 1, maximum: bytesMax })),
})
export type RuleBody = Static<typeof RuleBody>

export const RuleView = Model('RetentionRule', {
  id: Text,
  name: Text,
  isEnabled: Flag,
  position: Position,
  /** Null for all services. In lower case. */
  service: Nullable(Text),
  gameKey: Nullable(Text),
  datasource: Nullable(Text),
  condition: Condition,
  /** For `storedLongerThan` and `unusedFor`; bytes for the others. */
  days: Nullable(Int),
  bytes: Nullable(Num),
  createdAtUtc: Utc,
  updatedAtUtc: Utc,
})
export type RuleView = Static<typeof RuleView>
export const RuleList = Type.Object({ items: Type.Array(RuleView) })

export const PreviewBody = Type.Object({
  /** One saved rule; absent for all enabled ones. */
  ruleId: optional(Type.String({ maxLength: 100 })),
  /** An unsaved rule; takes precedence over `ruleId`. */
  rule: optional(RuleBody),
})
export type PreviewBody = Static<typeof PreviewBody>

const PreviewGame = Model('PreviewGame', {
  gameKey: Text,
  name: Text,
  service: Text,
  datasources: Type.Array(Text),
  files: Int,
  bytes: Num,
  lastStoredAtUtc: Utc,
  lastUsedAtUtc: Utc,
  why: Text,
  /** `leaves`: would be listed now; the others stay or are already listed. */
  state: stringUnion(['leaves', 'pending', 'pinned', 'spared']),
})

export type PreviewGame = Static<typeof PreviewGame>

export const Preview = Type.Object({
  rules: Type.Array(
    Type.Object({
      ruleId: Nullable(Text),
      name: Text,
      /** Why it currently abstains. */
      abstains: Nullable(Text),
      /** For translations. */
      abstainsKey: Nullable(Text),
      abstainsContext: Nullable(Type.Record(Text, Type.Union([Text, Num]))),
      games: Type.Array(PreviewGame),
      /** There are more than listed here. */
      isCut: Flag,
      /** Of those that would be listed. */
      gameCount: Int,
      files: Int,
      bytes: Num,
    }),
  ),
})

export const PinBody = Type.Object({
  gameKey: Type.String({ minLength: 1, maxLength: 400 }),
  name: optional(Type.String({ maxLength: 300 })),
})
export type PinBody = Static<typeof PinBody>
const PinView = Model('PinView', { gameKey: Text, name: Text, pinnedAtUtc: Utc })
export const PinList = Model('PinList', { items: Type.Array(PinView) })

const PendingView = Model('PendingView', {
  id: Text,
  ruleId: Text,
  ruleName: Text,
  gameKey: Text,
  name: Text,
  service: Text,
  /** At the time it was listed. */
  files: Int,
  bytes: Num,
  reason: Text,
  listedAtUtc: Utc,
  dueAtUtc: Utc,
  /** Its removal has begun; from then on it is cancelled like other operations. */
  startedAtUtc: Nullable(Utc),
  operationId: Nullable(Text),
  problem: Nullable(Text),
})
export const PendingList = Type.Object({ items: Type.Array(PendingView) })
export const Spared = Type.Object({ sparedUntilUtc: Utc })
export const RemovalBegun = Type.Object({ operationId: Text, message: Text })
export const Asked = Type.Object({ listed: Int, abstained: Int })

export const RetentionSettings = Model('RetentionSettings', {
  /** Hours between listing and removal. */
  undoHours: Type.Number({ minimum: 0, maximum: 720 }),
  /** Days that a rule spares a game after it was taken off the list. */
  sparedDays: Type.Integer({ minimum: 1, maximum: daysMax }),
})
