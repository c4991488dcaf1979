import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { ship, trafficRow } from '../../../test/support/shipped-rows.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { BandwidthState } from '../../prefill/bandwidth/model.ts'
import type { ConfigBody } from '../../prefill/scheduled/model.ts'
import type { NamedSchedule } from '../../prefill/scheduled/named-model.ts'
import { noDataCap, type DataCap, type DataCapState } from './model.ts'

const path = '/api/ext/data-cap'
const gigabyte = 1_000_000_000
const secondOf = (text: string) => Date.parse(text) / 1000
/** In a zone whose days do not begin with those of UTC. */
const time = new ManualTime('2027-03-20T11:00:00.000Z')

const history = await freshHistory()
const daemon = await daemonStandIn('gamma')
const environment = { ...daemon.environment, TZ: 'Pacific/Auckland' }
const app = await testApp({ history, clock: time, timers: time, environment })
const owner = await signInOwner(app)
daemon.state.isLarders = true
const traffic = [
  // The month begins on February 28, 11:00 UTC: midnight there.
  { firstAt: secondOf('2027-02-27T10:55:00Z'), missBytes: 7e9 },
  { firstAt: secondOf('2027-02-27T11:00:00Z'), missBytes: 20e9, hitBytes: 900e9 },
  { firstAt: secondOf('2027-03-20T10:00:00Z'), missBytes: 30e9, isPrefill: true },
]
await ship(history.connection(), { traffic: traffic.map((row) => trafficRow(row)) })

const put = (cap: DataCap) => owner.put(path, cap)
const state = async () => (await (await owner.get(path)).json()) as DataCapState
const cap: DataCap = { capBytes: 100 * gigabyte, firstDay: 28, pausePercent: null }

test('is unset, changed by administrators, and refuses what no line has', async () => {
  expect(await state()).toEqual({ ...noDataCap, use: null })
  for (const wrong of [{ capBytes: 5 }, { firstDay: 0 }, { firstDay: 32 }, { pausePercent: 0 }]) {
    expect((await put({ ...cap, ...wrong })).status).toBe(400)
  }
  expect((await put(cap)).status).toBe(200)
})

test('counts misses of clients and prefill since midnight of the first day, in the zone', async () => {
  expect((await state()).use).toEqual({
    fromUtc: '2027-02-27T11:00:00.000Z',
    untilUtc: '2027-03-27T11:00:00.000Z',
    usedBytes: 50 * gigabyte,
    // 21 of 28 days are over.
    expectedBytes: Math.round((50 * gigabyte * 28) / 21),
    isReached: false,
  })
})

const limits = () => daemon.commands('set-bandwidth').map(({ parameters }) => parameters['paused'])
const budget = async () =>
  (await (await owner.get('/api/ext/prefill/bandwidth')).json()) as BandwidthState
const schedules = async () =>
  (await (await owner.get('/api/ext/prefill/schedules')).json()) as NamedSchedule[]

test('prefill pauses at the mark, with the reason, and goes on when it may', async () => {
  const base = '/api/system/prefill/persistent'
  await owner.post(`${base}/start`, { service: 'gamma' })
  const headers = { Prefer: 'respond-async' }
  await owner.send('POST', `${base}/prefill`, { body: { service: 'gamma', all: true }, headers })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  expect(limits().includes('true')).toBe(false)

  await put({ ...cap, pausePercent: 50 })
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'true', 'the run pauses')
  expect(await budget()).toMatchObject({
    current: { isPaused: true },
    volumeUsedUntilUtc: '2027-03-27T11:00:00.000Z',
  })
  await put({ ...cap, pausePercent: 51 })
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'false', 'the mark is raised')
  expect(await budget()).toMatchObject({ volumeUsedUntilUtc: null })

  await put({ ...cap, pausePercent: 50 })
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'true', 'the run pauses again')
  // The clock jumps, so that no limit of the run ends it.
  time.set(7 * 86_400_000)
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'false', 'the next month begins')
  expect((await state()).use).toMatchObject({ usedBytes: 0, isReached: false })
  time.set(-7 * 86_400_000)
  daemon.progress({ state: 'completed' })
})

test('a schedule does not begin above the mark, and says why', async () => {
  await put({ ...cap, pausePercent: 40 })
  expect(await budget()).toMatchObject({
    current: { isPaused: true },
    volumeUsedUntilUtc: '2027-03-27T11:00:00.000Z',
  })
  const runs = daemon.commands('prefill').length
  const id = (await schedules()).find(({ platform }) => platform === 'gamma')?.id ?? ''
  await owner.post(`/api/ext/prefill/schedules/${id}/run`)
  const result = async () => (await schedules()).find((one) => one.id === id)?.lastResult
  await eventually(async () => (await result()) !== null, 'the schedule has run')
  expect(await result()).toMatchObject({
    stage: 'skipped',
    messageKey: 'dataCap',
    messageValues: { percent: 50 },
  })
  expect(daemon.commands('prefill')).toHaveLength(runs)
})

test('a schedule that pauses is not over time', async () => {
  const general = '/api/system/schedules/scheduledPrefill/config'
  const config = (await (await owner.get(general)).json()) as ConfigBody
  await owner.put(general, {
    ...config,
    maxServiceRuntime: '00:03:00',
    stallTimeout: '00:02:00',
  })
  await put(cap)
  const runs = daemon.commands('prefill').length
  const id = (await schedules()).find(({ platform }) => platform === 'gamma')?.id ?? ''
  await owner.post(`/api/ext/prefill/schedules/${id}/run`)
  await eventually(() => daemon.commands('prefill').length === runs + 1, 'the schedule runs')
  await put({ ...cap, pausePercent: 40 })
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'true', 'it pauses')
  await time.advance(600_000)
  expect(daemon.commands('cancel-prefill')).toHaveLength(0)
  await put(cap)
  await time.advance(15_000)
  await eventually(() => limits().at(-1) === 'false', 'it goes on')
  daemon.progress({ state: 'completed' })
  const result = async () => (await schedules()).find((one) => one.id === id)?.lastResult?.stage
  await eventually(async () => (await result()) === 'completed', 'it ends as usual')
})
