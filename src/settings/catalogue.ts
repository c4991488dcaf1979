import { Type, type Static, type TSchema } from '@sinclair/typebox'

interface SettingRule<T extends TSchema> {
  schema: T
  fallback: Static<T>
}

const rule = <T extends TSchema>(schema: T, fallback: Static<T>): SettingRule<T> => ({
  schema,
  fallback,
})

const flag = (fallback: boolean) => rule(Type.Boolean(), fallback)
/** Null stands for `not set`, so its default is null too. */
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const text = Nullable(Type.String())

/** Everything that is set in the dashboard or over the API, with its form and its default. */
export const settingRules = {
  'setup.isCompleted': flag(false),
  'setup.currentStep': rule(text, null),
  'setup.dataSourceChoice': rule(text, null),
  'setup.completedPlatforms': rule(text, null),
  'cache.deleteMode': rule(
    Type.Union([Type.Literal('preserve'), Type.Literal('full'), Type.Literal('rsync')]),
    'preserve',
  ),
  'alpha.authMode': rule(
    Nullable(Type.Union([Type.Literal('anonymous'), Type.Literal('authenticated')])),
    null,
  ),
  'depots.crawlMode': rule(
    Type.Union([Type.Literal('github'), Type.Literal('incremental')]),
    'github',
  ),
  'guest.isLocked': flag(false),
  'guest.durationHours': rule(Nullable(Type.Integer({ minimum: 1, maximum: 720 })), null),
} as const

type Rules = typeof settingRules
export type SettingKey = keyof Rules
export type SettingValue<K extends SettingKey> = Static<Rules[K]['schema']>
