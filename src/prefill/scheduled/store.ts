/*
 * The documented defaults switch the first schedules of some platforms on. Nothing runs unasked: a
 * first schedule counts as off until somebody has changed it (`change`), or has saved a
 * configuration in which it differs from the one before. A configuration that is saved as it was
 * read chooses nothing.
 */
import { randomUUID } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillSchedule } from '../../../db/state/schema/prefill.ts'
import { ScheduledService, usualScheduledPrefill, type ScheduledPrefill } from './stored.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { scheduledOrder, type Platform } from '../../platforms/platforms.ts'
import { LastResult } from './named-model.ts'

type Row = typeof prefillSchedule.$inferSelect

export const usualName = 'Default'

export interface Schedule {
  /** The platform's key for its first schedule. */
  id: string
  platform: Platform
  name: string
  /** The one that the documented API knows, which always exists. */
  isFirst: boolean
  options: ScheduledService
  /** From when the next run is calculated; null: not yet. */
  basisAt: Date | null
  /** Last run that was completed. */
  lastRunAt: Date | null
  lastResult: LastResult | null
}

type Times = Partial<Pick<Schedule, 'basisAt' | 'lastRunAt' | 'lastResult'>>

/** A first schedule that nobody has named is called by its platform only. */
export const isUnnamed = ({ isFirst, name }: Schedule): boolean => isFirst && name === usualName

/** Name of a schedule among the services of `core/schedules`. */
export const keyOf = ({ id }: Pick<Schedule, 'id'>): string => `scheduledPrefill:${id}`

interface Parts {
  state: StateDatabase
  settings: Settings
}

const checked = (value: unknown): LastResult | null =>
  Value.Check(LastResult, value) ? value : null

export type ScheduleStore = ReturnType<typeof createScheduleStore>

/** The configuration of the documented API, and for which platforms it was chosen. */
function createChoice(settings: Settings) {
  const isChosen = (platform: Platform) => {
    const usual = usualScheduledPrefill[platform]
    const isChanged = !Bun.deepEquals(settings.get('prefill.schedule')[platform], usual)
    return isChanged || settings.get('prefill.chosen').includes(platform)
  }

  return {
    isChosen,
    save(config: ScheduledPrefill, chosen?: Platform): void {
      const all = scheduledOrder.filter((platform) => platform === chosen || isChosen(platform))
      settings.set('prefill.schedule', config)
      settings.set('prefill.chosen', all)
    },
  }
}

/** The schedules of all platforms. */
export function createScheduleStore({ state: { db }, settings }: Parts) {
  const choice = createChoice(settings)

  function first(platform: Platform, row: Row | undefined): Schedule {
    const options = settings.get('prefill.schedule')[platform]
    return {
      id: platform,
      platform,
      name: row?.name ?? usualName,
      isFirst: true,
      options: { ...options, enabled: options.enabled && choice.isChosen(platform) },
      basisAt: row?.basisAt ?? null,
      lastRunAt: row?.lastRunAt ?? null,
      lastResult: checked(row?.lastResult),
    }
  }

  function further(row: Row): Schedule[] {
    const { options, id, platform } = row
    if (id === platform || !Value.Check(ScheduledService, options)) return []
    return [{ ...row, options, isFirst: false, lastResult: checked(row.lastResult) }]
  }

  /** In the order in which they run: by platform; the first one, then the others by name. */
  function list(): Schedule[] {
    const rows = db.select().from(prefillSchedule).all()
    return scheduledOrder.flatMap((platform) => {
      const own = rows.filter((row) => row.platform === platform)
      const named = own.flatMap(further).toSorted((a, b) => a.name.localeCompare(b.name))
      return [
        first(
          platform,
          own.find(({ id }) => id === platform),
        ),
        ...named,
      ]
    })
  }

  return {
    list,
    find: (id: string): Schedule | null => list().find((one) => one.id === id) ?? null,

    add(content: Pick<Schedule, 'platform' | 'name' | 'options'>): string {
      const id = randomUUID()
      db.insert(prefillSchedule)
        .values({ id, ...content })
        .run()
      return id
    },

    configure: (config: ScheduledPrefill) => choice.save(config),

    change({ id, platform, isFirst }: Schedule, name: string, options: ScheduledService): void {
      if (isFirst) {
        choice.save({ ...settings.get('prefill.schedule'), [platform]: options }, platform)
      }
      const row = { name, options: isFirst ? null : options }
      db.insert(prefillSchedule)
        .values({ id, platform, ...row })
        .onConflictDoUpdate({ target: prefillSchedule.id, set: row })
        .run()
    },

    /** Notes times and results; nothing for a schedule that was deleted meanwhile. */
    note({ id, platform, isFirst }: Schedule, times: Times): void {
      if (isFirst) {
        db.insert(prefillSchedule).values({ id, platform }).onConflictDoNothing().run()
      }
      db.update(prefillSchedule).set(times).where(eq(prefillSchedule.id, id)).run()
    },

    remove(id: string): void {
      db.delete(prefillSchedule).where(eq(prefillSchedule.id, id)).run()
    },
  }
}
