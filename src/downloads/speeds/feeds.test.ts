import { expect, test } from 'bun:test'
import type { HistoryStatus } from '../../../db/history/history.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import type { DownloadsParts } from '../parts.ts'
import { emptySpeeds } from '../../engines/logs/contract.ts'
import type { GameSpeed, SpeedSnapshot } from '../../engines/logs/wire.ts'
import { createActivity } from '../../core/live/activity.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import { connectFeeds } from './feeds.ts'
import { RecentSpeeds } from './recent.ts'

/** The reporting side of the engines, driven by the test. */
function feedFixture(options: { hidden?: string } = {}) {
  const time = new ManualTime()
  const sent: { event: string; data: unknown }[] = []
  let speeds: SpeedSnapshot = emptySpeeds(time.now())
  let running: Partial<OperationView>[] = []
  let emitSpeeds: (snapshot: SpeedSnapshot) => void = () => {}
  let emitShipped = () => {}
  let emitStatus: (status: HistoryStatus) => void = () => {}
  let emitOperations = () => {}
  let snapshot = (): unknown => null
  const recent = new RecentSpeeds()
  const hub = {
    publish: (event: string, data: unknown) => void sent.push({ event, data }),
    provideSnapshot: (provider: () => unknown) => void (snapshot = provider),
  }
  const deps = {
    clock: time,
    hub,
    activity: createActivity(hub),
    logs: {
      speeds: () => speeds,
      onSpeeds: (listener: typeof emitSpeeds) => void (emitSpeeds = listener),
      onShipped: (listener: typeof emitShipped) => void (emitShipped = listener),
    },
    history: { onStatus: (listener: typeof emitStatus) => void (emitStatus = listener) },
    operations: {
      list: () => running,
      onChange: (listener: typeof emitOperations) => void (emitOperations = listener),
    },
  }
  // Only the parts that the feeds use.
  const shown = (snapshot: SpeedSnapshot) => ({
    ...snapshot,
    clientSpeeds: snapshot.clientSpeeds.filter(({ clientIp }) => clientIp !== options.hidden),
  })
  connectFeeds(deps as unknown as DownloadsParts, { timers: time, shown, recent })
  return {
    time,
    sent,
    names: () => sent.splice(0).map(({ event }) => event),
    snapshot: () => snapshot(),
    recent: () => recent.since(time.now()),
    shipped: () => emitShipped(),
    status: (status: HistoryStatus) => emitStatus(status),
    speeds: (next: SpeedSnapshot) => {
      speeds = next
      emitSpeeds(next)
    },
    run: (types: Partial<OperationView>[]) => {
      running = types
      emitOperations()
    },
  }
}

const busy = (now: Date): SpeedSnapshot => ({
  ...emptySpeeds(now),
  hasActiveDownloads: true,
  clientSpeeds: [
    {
      clientIp: '10.0.0.5',
      bytesPerSecond: 1,
      totalBytes: 2,
      activeGames: 2,
      cacheHitBytes: 2,
      cacheMissBytes: 0,
    },
  ],
})

test('shipped rows refresh lists at most once a second, and after the last one', async () => {
  const { time, names, shipped } = feedFixture()
  for (let step = 0; step < 30; step++) {
    shipped()
    await time.advance(100)
  }
  expect(names()).toEqual(Array(4).fill('DownloadsRefresh'))
  shipped()
  await time.advance(2_000)
  expect(names()).toEqual(['DownloadsRefresh'])
})

test('speeds are forwarded as they come; the trailing zero also refreshes lists', async () => {
  const { time, sent, names, speeds } = feedFixture()
  speeds(busy(time.now()))
  expect(sent[0]?.data).toEqual(busy(time.now()))
  expect(names()).toEqual(['DownloadSpeedUpdate', 'ActivityUpdated'])
  speeds(busy(time.now()))
  expect(names()).toEqual(['DownloadSpeedUpdate'])
  speeds(emptySpeeds(time.now()))
  expect(names()).toEqual(['DownloadSpeedUpdate', 'ActivityUpdated', 'DownloadsRefresh'])
  // By then no row counts as running any more.
  await time.advance(14_000)
  expect(names()).toEqual([])
  await time.advance(1_000)
  expect(names()).toEqual(['DownloadsRefresh'])
})

test('the last five minutes are kept, split by origin', async () => {
  const { time, speeds, recent } = feedFixture()
  const game = { cacheHitBytes: 600, cacheMissBytes: 200 } as GameSpeed
  const at = time.now().getTime() / 1000
  speeds({ ...busy(time.now()), totalBytesPerSecond: 400, gameSpeeds: [game] })
  await time.advance(200_000)
  speeds(emptySpeeds(time.now()))
  const quiet = { at: at + 200, cached: 0, fetched: 0 }
  expect(recent()).toEqual([{ at, cached: 300, fetched: 100 }, quiet])
  await time.advance(200_000)
  expect(recent()).toEqual([quiet])
  for (let count = 0; count < 1000; count++) speeds(emptySpeeds(time.now()))
  expect(recent()).toHaveLength(600)
})

test('the activity snapshot counts jobs and clients; its revision grows with every change', () => {
  const { time, sent, names, run, speeds, snapshot } = feedFixture()
  const log = { type: 'logProcessing', status: 'running' } as const
  run([log, { type: 'gameRemoval', status: 'cancelling' }, { ...log, status: 'waiting' }])
  speeds(busy(time.now()))
  const entry = { aspect: 'running', isActive: true }
  expect(snapshot()).toMatchObject({
    revision: 2,
    activities: [
      { ...entry, domain: 'operation', key: 'logProcessing', activeCount: 1 },
      { ...entry, domain: 'operation', key: 'gameRemoval', activeCount: 1 },
      {
        domain: 'download',
        key: '10.0.0.5',
        aspect: 'downloading',
        isActive: true,
        activeCount: 2,
      },
    ],
  })
  expect(sent.at(-1)?.event).toBe('ActivityUpdated')
  names()
  run([log, { type: 'gameRemoval', status: 'running' }])
  expect(names()).toEqual([])
})

test("the history's state is published", () => {
  const { sent, status, time } = feedFixture()
  status({
    mode: 'external',
    state: 'unavailable',
    message: 'refused',
    since: time.now(),
    replica: null,
  })
  expect(sent).toEqual([
    { event: 'HistoryStatusChanged', data: { state: 'unavailable', message: 'refused' } },
  ])
})

test('hidden clients appear neither in the speeds nor in the activity', () => {
  const { time, sent, speeds, snapshot } = feedFixture({ hidden: '10.0.0.5' })
  speeds(busy(time.now()))
  expect(sent).toEqual([
    { event: 'DownloadSpeedUpdate', data: { ...busy(time.now()), clientSpeeds: [] } },
  ])
  expect(snapshot()).toMatchObject({ revision: 0, activities: [] })
})
