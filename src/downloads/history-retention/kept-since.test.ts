import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { seededReport, seededUntil } from '../../../test/support/seeded-report.ts'
import { emptyHistory } from '../../engines/shipper/link.ts'
import { createReports } from '../reports/reports.ts'
import { createHistoryRetention } from './service.ts'
import { readKeptSince, writeKeptSince } from './store.ts'

const day = 86_400
const since = Date.UTC(2026, 7, 1) / 1000

test('the history says since when it is whole, whatever becomes of the settings', async () => {
  const history = await freshHistory()
  const client = openTestClient(history.connection())
  /** What a service that has this setting takes it to be. */
  async function keptSince(before: number | null): Promise<number | null> {
    const app = await reportApp({ history })
    const { settings } = app.deps
    settings.set('history.keptSince', before)
    createHistoryRetention(app.deps, createReports(app.deps)).start()
    const agree = async () => (await readKeptSince(client)) === settings.get('history.keptSince')
    await eventually(agree, 'settings and history agree')
    const found = settings.get('history.keptSince')
    await app.stop()
    return found
  }
  expect(await keptSince(null)).toBeNull()
  await writeKeptSince(client, since)
  expect(await keptSince(null)).toBe(since)
  expect(await keptSince(since - day)).toBe(since)
  expect(await keptSince(since + day)).toBe(since + day)
  await emptyHistory(client, { installation: 'this', forgetsTitles: false })
  expect(await keptSince(null)).toBeNull()
})

test('no counter of /metrics falls when old downloads and their traffic are deleted', async () => {
  const { history, client } = await seededReport(500)
  /** Of a service that has kept no answer. */
  async function counters(): Promise<string[]> {
    const app = await reportApp({ history, now: seededUntil })
    const text = await (await app.send('GET', '/metrics', 'user')).text()
    await app.stop()
    return text.split('\n').filter((line) => /^lancache_\w+_total[ {]/.test(line))
  }
  const before = await counters()
  expect(before.length).toBeGreaterThan(20)
  const app = await reportApp({ history, now: seededUntil })
  await app.send('PUT', '/api/ext/history/retention', 'user', { keepMonths: 3 })
  await app.send('POST', '/api/ext/history/retention/run', 'user')
  const isOver = async () => {
    const [left] = await client`SELECT 1 FROM downloads WHERE started_at < '2026-08-01' LIMIT 1`
    return left === undefined && app.operations.active('historyRetention') === null
  }
  await eventually(isOver, 'the run is over')
  await app.stop()
  expect(await readKeptSince(client)).toBe(since)
  expect(await counters()).toEqual(before)
})
