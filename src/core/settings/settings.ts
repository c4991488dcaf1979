/*
 * Settings made in the dashboard or over the API. Each group declares its own in `settings.ts`,
 * one row per key with its schema and default, and `src/app.ts` puts them together. A stored value
 * that no longer fits its schema reads as the default. `installation.ts` creates the installation
 * id at the first start; the history is bound to it.
 */
import { Value } from '@sinclair/typebox/value'
import { eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { setting } from '../../../db/state/schema/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { SettingKey, SettingRules, SettingValue } from './rules.ts'

/** Settings changed at run time. The main thread is the only reader and writer. */
export interface Settings {
  /** The stored value, or the default without one or if its form is no longer valid. */
  get<K extends SettingKey>(key: K): SettingValue<K>
  /** Throws when the value does not match this key's form: a mistake of the caller. */
  set<K extends SettingKey>(key: K, value: SettingValue<K>): void
  /** Resets to the default. */
  clear(key: SettingKey): void
  isSet(key: SettingKey): boolean
}

/** `rules` are the form and the default of every setting. */
export function createSettings({ db }: StateDatabase, clock: Clock, rules: SettingRules): Settings {
  const values = new Map<string, unknown>()
  for (const row of db.select().from(setting).all()) values.set(row.key, row.value)

  const has = (key: SettingKey) =>
    values.has(key) && Value.Check(rules[key].schema, values.get(key))

  function clear(key: SettingKey): void {
    db.delete(setting).where(eq(setting.key, key)).run()
    values.delete(key)
  }

  return {
    isSet: has,
    clear,
    get<K extends SettingKey>(key: K) {
      // Checked against the schema of this key right before.
      return (has(key) ? values.get(key) : rules[key].fallback) as SettingValue<K>
    },
    set(key, value) {
      if (!Value.Check(rules[key].schema, value)) {
        throw new Error(`setting ${key}: the value does not match its schema`)
      }
      if (value === null) return clear(key)
      const row = { value, updatedAt: clock.now() }
      db.insert(setting)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: setting.key, set: row })
        .run()
      values.set(key, structuredClone(value))
    },
  }
}
