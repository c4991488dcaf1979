import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Nullable } from '../lib/schema.ts'
import { ScheduleSettings } from './schedule-settings.ts'

export interface SettingRule<T extends TSchema = TSchema> {
  schema: T
  fallback: Static<T>
}

/** Declares a setting with its form and its default. */
export const rule = <T extends TSchema>(schema: T, fallback: Static<T>): SettingRule<T> => ({
  schema,
  fallback,
})

export const flag = (fallback: boolean) => rule(Type.Boolean(), fallback)
/** Null stands for `not set`, so the default is null, too. */
export const text = Nullable(Type.String())
export const amount = (maximum: number) => Nullable(Type.Integer({ minimum: 1, maximum }))

/** Declared settings, in a form that an interface can extend. */
export type Declared<D> = D

/**
 * Every setting of the dashboard and the API; `src/app.ts` adds those of the groups with
 * `declare module`.
 */
export interface SettingRules extends Declared<typeof coreSettings> {}
export type SettingKey = keyof SettingRules
export type SettingValue<K extends SettingKey> = Static<SettingRules[K]['schema']>

/** Settings that belong to no group. */
export const coreSettings = {
  /** The last time that was trusted, milliseconds; see `src/core/schedules/trusted-clock.ts`. */
  'clock.trustedAt': rule(Nullable(Type.Integer()), null),
  /** Created once; the history records which installation's positions it holds. */
  'installation.id': rule(text, null),
  'setup.isCompleted': flag(false),
  /** Stays true when the owner reopens the set-up. */
  'setup.wasCompleted': flag(false),
  /** What an operator changed of the schedules, by service; see `src/core/schedules`. */
  'schedules.changes': rule(Type.Record(Type.String(), Type.Partial(ScheduleSettings)), {}),
}
