import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../settings/settings.ts'
import type { ScheduledService } from './contract.ts'
import { createSchedules } from './create.ts'

const minuteMs = 60_000
let root: string
let state: StateDatabase
let time: ManualTime

beforeEach(() => {
  root = tempFolder('schedules')
  state = openState(root)
  time = new ManualTime()
})
afterEach(() => {
  state.close()
})

interface Options extends Pick<
  ScheduledService,
  'runOnStartup' | 'isDueAtStart' | 'firstRunMinutes'
> {
  isFailing?: () => boolean
}

/** A process: schedules that start, with one service that records why it ran. */
function processWith({ isFailing, ...options }: Options) {
  const settings = createSettings(state, time, settingRules)
  const runs: string[] = []
  const schedules = createSchedules({
    state,
    settings,
    operations: { active: () => null },
    clock: time,
    log: quietLog,
    timers: time,
  })
  schedules.register({
    serviceKey: 'cacheSnapshot',
    intervalHours: 1,
    ...options,
    run(trigger) {
      runs.push(trigger)
      if (isFailing?.() === true) throw new Error('no disk')
    },
  })
  schedules.start()
  return { settings, schedules, runs }
}

test('runs nothing before the set-up is done; then on start-up and every interval', async () => {
  const { settings, runs, schedules } = processWith({ runOnStartup: true })
  await time.advance(90 * minuteMs)
  expect(runs).toEqual([])
  settings.set('setup.isCompleted', true)
  await time.advance(minuteMs)
  expect(runs).toEqual(['startup'])
  await time.advance(125 * minuteMs)
  expect(runs).toEqual(['startup', 'interval', 'interval'])
  schedules.stop()
  await time.advance(300 * minuteMs)
  expect(runs).toHaveLength(3)
})

test('remembers the last run after a restart', async () => {
  const first = processWith({ runOnStartup: false })
  first.settings.set('setup.isCompleted', true)
  await time.advance(65 * minuteMs)
  expect(first.runs).toEqual(['interval'])
  first.schedules.stop()
  const second = processWith({ runOnStartup: false })
  await time.advance(30 * minuteMs)
  expect(second.runs).toEqual([])
  await time.advance(30 * minuteMs)
  expect(second.runs).toEqual(['interval'])
  second.schedules.stop()
})

test('runs are due as usual while the disk takes no writes', async () => {
  const { settings, schedules, runs } = processWith({ runOnStartup: false })
  settings.set('setup.isCompleted', true)
  state.sqlite.run('PRAGMA query_only = on')
  await time.advance(125 * minuteMs)
  expect(runs).toEqual(['interval', 'interval'])
  schedules.stop()
})

test('a run on start-up keeps the time of the first run ever', async () => {
  const options = { runOnStartup: true, firstRunMinutes: 10 }
  const first = processWith(options)
  first.settings.set('setup.isCompleted', true)
  await time.advance(9 * minuteMs)
  expect(first.runs).toEqual([])
  await time.advance(2 * minuteMs)
  expect(first.runs).toEqual(['interval'])
  first.schedules.stop()
  const second = processWith(options)
  await time.advance(minuteMs)
  expect(second.runs).toEqual(['startup'])
  second.schedules.stop()
})

test('a service without a result runs at the start, whatever its setting', async () => {
  const { settings, runs, schedules } = processWith({ runOnStartup: false, isDueAtStart: true })
  settings.set('setup.isCompleted', true)
  await time.advance(minuteMs)
  expect(runs).toEqual(['startup'])
  schedules.stop()
})

test.each([-1000, 1000])('setting the clock by %d hours changes no interval', async (hours) => {
  const first = processWith({ runOnStartup: false })
  first.settings.set('setup.isCompleted', true)
  await time.advance(61 * minuteMs)
  expect(first.runs).toEqual(['interval'])
  time.set(hours * 60 * minuteMs)
  await time.advance(58 * minuteMs)
  expect(first.runs).toHaveLength(1)
  await time.advance(3 * minuteMs)
  expect(first.runs).toHaveLength(2)
  first.schedules.stop()
})

test('after a restart with a clock set back, the next run is one interval away', async () => {
  const first = processWith({ runOnStartup: false })
  first.settings.set('setup.isCompleted', true)
  await time.advance(61 * minuteMs)
  first.schedules.stop()
  time.set(-1000 * 60 * minuteMs)
  const second = processWith({ runOnStartup: false })
  await time.advance(61 * minuteMs)
  expect(second.runs).toEqual(['interval'])
  second.schedules.stop()
})

test('retries a failed run after a minute', async () => {
  let failures = 2
  const { settings, runs, schedules } = processWith({
    runOnStartup: true,
    isFailing: () => failures-- > 0,
  })
  settings.set('setup.isCompleted', true)
  await time.advance(10_000)
  expect(runs).toEqual(['startup'])
  await time.advance(3 * minuteMs)
  expect(runs).toEqual(['startup', 'interval', 'interval'])
  schedules.stop()
})
