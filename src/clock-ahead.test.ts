import { appendFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { testApp } from '../test/support/app.ts'
import { bodyOf } from '../test/support/answers.ts'
import { eventually } from '../test/support/eventually.ts'
import { drain, file, ingest, withIngest } from '../test/support/ingest-fixture.ts'
import { logLine } from '../test/support/log-lines.ts'
import { ManualTime } from '../test/support/manual-time.ts'
import { freshDatabase, freshHistory } from '../test/support/postgres.ts'
import { reportApp } from '../test/support/report-app.ts'
import { signInOwner } from '../test/support/sign-in.ts'
import { monthBefore } from './downloads/history-retention/service.ts'
import { oldRows } from './downloads/history-retention/store.ts'
import { createShipper } from './engines/shipper/shipper.ts'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

test('nothing is deleted by age while the clock is a year ahead', async () => {
  const time = new ManualTime('2026-11-21T12:00:00Z')
  const history = await freshHistory()
  const app = await testApp({ history, clock: time, timers: time, isIndexing: true })
  const owner = await signInOwner(app)
  app.settings.set('setup.isCompleted', true)
  app.settings.set('history.keepMonths', 6)
  app.settings.set('logs.retention', {
    ...app.settings.get('logs.retention'),
    isEnabled: true,
    keepDays: 30,
  })
  const snapshots = () =>
    history.read((_db, sql) => sql`SELECT taken_at FROM cache_snapshots ORDER BY 1`)
  await history.read(
    (_db, sql) => sql`
    INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
    VALUES ('2026-09-01', 1, 2, 0.5)`,
  )
  const runs = () =>
    app.operations
      .list()
      .map(({ type }) => type)
      .filter((type) => type === 'historyRetention' || type === 'logRotation')
  const rule = { name: 'old', condition: 'unusedFor', days: 30 }
  const abstains = async () => {
    const answer = await owner.post('/api/ext/retention/preview', { rule })
    const { rules } = await bodyOf<{ rules: { abstainsKey: string }[] }>(answer)
    return rules[0]?.abstainsKey
  }

  app.schedules.start()
  time.set(yearMs)
  await time.skip(7 * hourMs)
  await eventually(async () => (await snapshots()).length === 2, 'the size is recorded')
  expect([runs(), await abstains()]).toEqual([[], 'clockDoubted'])

  time.set(-yearMs)
  await time.skip(7 * hourMs)
  await eventually(() => runs().length === 2, 'both run')
  expect(await abstains()).not.toBe('clockDoubted')
  await eventually(() => app.settings.get('history.keptSince') !== null, 'the history is cleared')
  expect(app.settings.get('history.keptSince')).toBe(monthBefore(time.now(), 6))
})

describe('after the clock was a year ahead', () => {
  afterEach(() => void setSystemTime())
  withIngest()

  test('lines of then are counted, but no last activity; and downloads grow old as before', async () => {
    const history = await freshHistory(freshDatabase())
    const { outbox } = ingest
    const shipper = createShipper({
      outbox,
      quarantine: outbox.quarantine,
      log: () => {},
      onShipped: () => {},
    })
    shipper.connect(history.connection())
    const nowS = Math.floor(Date.now() / 1000)
    const line = (client: string, at: number) => logLine({ client, at, bytes: 10 })
    setSystemTime(Date.now() + yearMs)
    writeFileSync(file('access.log'), line('10.0.0.1', nowS + yearMs / 1000))
    await drain()
    setSystemTime()
    const old = nowS - 400 * 86_400
    const later = [line('10.0.0.2', old), line('10.0.0.1', nowS - 90), line('10.0.0.3', nowS - 60)]
    appendFileSync(file('access.log'), later.join(''))
    await drain()
    shipper.kick()
    await eventually(() => outbox.oldestMs() === null, 'everything is in the history')

    const app = await reportApp({ history, now: new Date(nowS * 1000).toISOString() })
    const utc = (seconds: number) => new Date(seconds * 1000).toISOString()
    const clients = await app.read('/api/stats/clients', 'user')
    expect(clients).toMatchObject([
      { clientIp: '10.0.0.1', totalBytes: 20, lastActivityUtc: utc(nowS - 90) },
      { clientIp: '10.0.0.2', totalBytes: 10, lastActivityUtc: utc(old) },
      { clientIp: '10.0.0.3', totalBytes: 10, lastActivityUtc: utc(nowS - 60) },
    ])
    const services = await app.read('/api/stats/services', 'user')
    expect(services).toMatchObject([{ totalBytes: 40, lastActivityUtc: utc(nowS - 60) }])
    const client = await app.read('/api/ext/clients/10.0.0.1', 'user')
    expect(client).toMatchObject({ lastSeenUtc: utc(nowS - 90) })
    const age = { until: nowS - 86_400, now: nowS * 1000 }
    expect(await history.read((_db, sql) => oldRows(sql, age))).toMatchObject({ downloads: 1 })
    await shipper.stop()
  })
})
