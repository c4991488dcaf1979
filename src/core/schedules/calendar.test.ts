import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../settings/settings.ts'
import { createSchedules } from './create.ts'
import type { Schedules } from './contract.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const key = 'cacheSnapshot'
let state: StateDatabase
let time: ManualTime
/** When and why runs began. */
let runs: string[]
let isFailing = false

beforeEach(() => {
  state = openState(tempFolder('calendar'))
  time = new ManualTime('2026-03-28T12:00:00.000Z')
  runs = []
  isFailing = false
})
afterEach(() => state.close())

/** A process whose set-up is done, with one service. */
function processWith(runOnStartup = false): Schedules {
  const settings = createSettings(state, time, settingRules)
  settings.set('setup.isCompleted', true)
  const operations = { active: () => null }
  const parts = { state, settings, operations, clock: time, log: quietLog, timers: time }
  const schedules = createSchedules(parts)
  schedules.register({
    serviceKey: key,
    intervalHours: 1,
    runOnStartup,
    card: { notificationMode: 'manual', operationType: null },
    run(trigger, { isSilent }) {
      runs.push(`${time.now().toISOString().slice(0, 16)} ${trigger}${isSilent ? '' : ' shown'}`)
      if (isFailing) throw new Error('no disk')
    },
  })
  schedules.start()
  return schedules
}

const daily = { expression: '30 2 * * *', timeZoneId: 'Europe/Berlin' }
const nextRunAt = (schedules: Schedules) => schedules.list()[0]?.nextRunAt?.toISOString() ?? null

describe('a calendar schedule', () => {
  test('replaces the interval, across the change to daylight saving time', async () => {
    const schedules = processWith()
    schedules.change(key, { customSchedule: daily })
    await time.advance(60 * hourMs)
    expect(runs).toEqual(['2026-03-29T01:00 interval', '2026-03-30T00:30 interval'])
    expect(nextRunAt(schedules)).toBe('2026-03-31T00:30:00.000Z')
    schedules.change(key, { customSchedule: null })
    expect(nextRunAt(schedules)).toBe('2026-03-31T00:00:00.000Z')
    schedules.stop()
  })

  test('is stored, and a run missed while the process was off is not made up for', async () => {
    const first = processWith()
    first.change(key, { customSchedule: daily })
    first.stop()
    await time.advance(20 * hourMs)
    const second = processWith()
    await time.advance(hourMs)
    expect(runs).toEqual([])
    expect(nextRunAt(second)).toBe('2026-03-30T00:30:00.000Z')
    second.stop()
  })

  test('a clock that jumps over a run by hours misses it; by minutes it runs late', async () => {
    const schedules = processWith()
    schedules.change(key, { customSchedule: { expression: '0 15 * * *', timeZoneId: 'UTC' } })
    await time.advance(minuteMs)
    time.set(4 * hourMs)
    await time.advance(minuteMs)
    expect(runs).toEqual([])
    expect(nextRunAt(schedules)).toBe('2026-03-29T15:00:00.000Z')
    // 2026-03-29T14:55, then eleven minutes at once.
    await time.advance(22 * hourMs + 53 * minuteMs)
    time.set(11 * minuteMs)
    await time.advance(minuteMs)
    expect(runs).toEqual(['2026-03-29T15:06 interval'])
    schedules.stop()
  })

  test('a clock that is set back by months runs at the next time of the calendar', async () => {
    const schedules = processWith()
    schedules.change(key, { customSchedule: { expression: '0 15 * * *', timeZoneId: 'UTC' } })
    await time.advance(minuteMs)
    time.set(-90 * 24 * hourMs)
    await time.advance(3 * hourMs)
    expect(runs).toEqual(['2025-12-28T15:00 interval'])
    schedules.stop()
  })

  test('a failed run is retried after a minute, but not outside of the window', async () => {
    const schedules = processWith()
    isFailing = true
    schedules.change(key, {
      customSchedule: {
        expression: '57 12 * * *',
        timeZoneId: 'UTC',
        windowStart: '12:00',
        windowEnd: '13:00',
      },
    })
    await time.advance(2 * hourMs)
    expect(runs).toEqual([
      '2026-03-28T12:57 interval',
      '2026-03-28T12:58 interval',
      '2026-03-28T12:59 interval',
    ])
    schedules.stop()
  })
})

describe('an interval', () => {
  test('of 0 pauses, also at the start; of -1 runs only at the start', async () => {
    const first = processWith(true)
    first.change(key, { intervalHours: 0 })
    expect(nextRunAt(first)).not.toBeNull()
    first.stop()
    const paused = processWith(true)
    expect(nextRunAt(paused)).toBeNull()
    await time.advance(10 * hourMs)
    expect(runs).toEqual([])
    paused.change(key, { intervalHours: -1, runOnStartup: false })
    paused.stop()
    const atStart = processWith()
    await time.advance(10 * hourMs)
    expect(runs).toEqual(['2026-03-28T22:00 startup'])
    atStart.stop()
  })

  test('is measured from the last run when it changes', async () => {
    const schedules = processWith()
    await time.advance(61 * minuteMs)
    expect(runs).toHaveLength(1)
    schedules.change(key, { intervalHours: 3 })
    expect(nextRunAt(schedules)).toBe('2026-03-28T16:00:00.000Z')
    // In the year 13,000, and beyond what a Date can hold.
    for (const intervalHours of [1e8, 1e308]) {
      schedules.change(key, { intervalHours })
      expect(nextRunAt(schedules)).toBeNull()
    }
    schedules.change(key, { intervalHours: 1e-9 })
    await time.advance(10 * minuteMs)
    // At most once a minute.
    expect(runs.length).toBeGreaterThan(5)
    expect(runs.length).toBeLessThan(13)
    schedules.stop()
  })

  test('that passed while the process was off is due at once', async () => {
    const first = processWith()
    await time.advance(61 * minuteMs)
    first.stop()
    await time.advance(5 * hourMs)
    const second = processWith()
    await time.advance(minuteMs)
    expect(runs).toEqual(['2026-03-28T13:00 interval', '2026-03-28T18:01 interval'])
    second.stop()
  })
})

describe('a run by hand', () => {
  test('is shown by the mode that shows these only', async () => {
    const schedules = processWith()
    expect(schedules.run(key)).toEqual({
      operationId: null,
      queued: false,
      alreadyRunning: false,
      status: 'started',
    })
    await time.advance(61 * minuteMs)
    schedules.change(key, { notificationMode: 'all' })
    await time.advance(60 * minuteMs)
    schedules.change(key, { notificationMode: 'silent' })
    schedules.run(key)
    expect(runs).toEqual([
      '2026-03-28T12:00 manual shown',
      '2026-03-28T13:00 interval',
      '2026-03-28T14:00 interval shown',
      '2026-03-28T14:01 manual',
    ])
    expect(schedules.run('other')).toBeNull()
    schedules.stop()
  })

  test('during a run starts one more after it, however often it is asked for', async () => {
    const settings = createSettings(state, time, settingRules)
    settings.set('setup.isCompleted', true)
    const operations = { active: () => null }
    const parts = { state, settings, operations, clock: time, log: quietLog, timers: time }
    const schedules = createSchedules(parts)
    const ends: (() => void)[] = []
    const card = { notificationMode: 'all', operationType: null } as const
    const run = () => new Promise<void>((resolve) => ends.push(resolve))
    schedules.register({ serviceKey: key, intervalHours: 24, runOnStartup: false, card, run })
    schedules.start()
    schedules.run(key)
    expect(schedules.list()[0]?.isRunning).toBe(true)
    expect(schedules.run(key)).toMatchObject({ alreadyRunning: true })
    expect(schedules.run(key)).toMatchObject({ status: 'alreadyRunning' })
    await time.advance(minuteMs)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await time.advance(minuteMs)
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await time.advance(minuteMs)
    expect(ends).toHaveLength(2)
    expect(schedules.list()[0]?.isRunning).toBe(false)
    schedules.stop()
  })
})

describe('a service that keeps its times itself', () => {
  const ownKey = 'scheduledPrefill:gamma'
  const evening = { ...daily, windowStart: '02:00', windowEnd: '03:00' }
  let isHeld = false

  /** A process whose service last ran at the given time, and stores nothing by itself. */
  function ownProcess(customSchedule: typeof evening | null, lastRunAt: string | null) {
    isHeld = false
    const schedules = processWith()
    const own = {
      customSchedule,
      lastRunAt: lastRunAt === null ? null : new Date(lastRunAt),
      isHeld: () => isHeld,
    }
    const run = () => void runs.push(`${time.now().toISOString().slice(0, 16)} own`)
    const service = { serviceKey: ownKey, intervalHours: 2, runOnStartup: false, own, run }
    schedules.unregister(key)
    schedules.register(service)
    return { schedules, service }
  }

  test('makes up for a calendar run that was missed, as soon as its window is open', async () => {
    const { schedules } = ownProcess(evening, '2026-03-26T00:00:00.000Z')
    await time.advance(minuteMs)
    expect(runs).toEqual([])
    expect(schedules.nextRunAt(ownKey)).toEqual(time.now())
    await time.advance(24 * hourMs)
    // Missed on Friday; in the night to Sunday the window opens with the summer time, at 3.
    expect(runs).toEqual([])
    await time.advance(24 * hourMs)
    expect(runs).toEqual(['2026-03-30T00:00 own', '2026-03-30T00:30 own'])
  })

  test('whose run is held stays due', async () => {
    const { schedules } = ownProcess(null, '2026-03-28T11:00:00.000Z')
    isHeld = true
    await time.advance(5 * hourMs)
    expect(runs).toEqual([])
    isHeld = false
    await time.advance(minuteMs)
    expect(runs).toEqual(['2026-03-28T17:00 own'])
    schedules.unregister(ownKey)
    await time.advance(5 * hourMs)
    expect(runs).toHaveLength(1)
  })

  test('is planned anew when it is registered with other times', async () => {
    const { schedules, service } = ownProcess(null, null)
    schedules.register({ ...service, intervalHours: 8 })
    expect(schedules.nextRunAt(ownKey)?.toISOString()).toBe('2026-03-28T20:00:00.000Z')
    const own = { ...service.own, customSchedule: daily }
    schedules.register({ ...service, own })
    expect(schedules.nextRunAt(ownKey)?.toISOString()).toBe('2026-03-29T01:00:00.000Z')
    schedules.register({ ...service, intervalHours: 0 })
    expect(schedules.nextRunAt(ownKey)).toBeNull()
    await time.advance(24 * hourMs)
    expect(runs).toEqual([])
  })
})
