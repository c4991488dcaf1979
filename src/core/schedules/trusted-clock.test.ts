import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../settings/settings.ts'
import { createTrustedClock } from './trusted-clock.ts'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs
let state: StateDatabase
let time: ManualTime

beforeEach(() => {
  state = openState(tempFolder('trusted-clock'))
  time = new ManualTime()
})
afterEach(() => state.close())

/** What a process of the service asks. */
function start(): () => boolean {
  const settings = createSettings(state, time, settingRules)
  const trusts = createTrustedClock({ clock: time, settings, log: quietLog })
  trusts()
  return trusts
}

test('a clock that is a year ahead for an hour is doubted until it is right again', async () => {
  const trusts = start()
  expect(trusts()).toBe(true)
  time.set(yearMs)
  expect(trusts()).toBe(false)
  await time.skip(hourMs)
  expect(trusts()).toBe(false)
  time.set(-yearMs)
  expect(trusts()).toBe(true)
})

test('a start with a clock far ahead doubts it as well, and so does the next one', () => {
  start()
  time.set(yearMs)
  expect(start()()).toBe(false)
  expect(start()()).toBe(false)
  time.set(-yearMs)
  expect(start()()).toBe(true)
})

test('a clock that stays ahead is trusted after a day, also by the next start', async () => {
  const trusts = start()
  time.set(yearMs)
  trusts()
  await time.skip(24 * hourMs - 1)
  expect(trusts()).toBe(false)
  await time.skip(1)
  expect([trusts(), start()()]).toEqual([true, true])
})

test('a machine that was off for long trusts its clock after an hour', async () => {
  start()
  time.set(yearMs)
  const trusts = start()
  await time.skip(hourMs - 1)
  expect(trusts()).toBe(false)
  await time.skip(1)
  expect(trusts()).toBe(true)
})

test('weeks without running, and a clock that is set back, are no reason for doubt', async () => {
  start()
  await time.skip(30 * 24 * hourMs)
  expect(start()()).toBe(true)
  time.set(-yearMs)
  expect(start()()).toBe(true)
})
