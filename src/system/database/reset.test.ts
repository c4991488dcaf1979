import { afterEach, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp, type TestAppOptions } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { HistoryLinkFixture } from '../../../test/support/history-link-fixture.ts'
import { begunJobEnd } from '../../../test/support/job-end.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { freshDatabase, freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { awayHistory } from '../../../test/support/report-app.ts'
import { type Browser, signIn, signInOwner } from '../../../test/support/sign-in.ts'
import { prefillSession } from '../../../db/state/schema/index.ts'
import { EngineFailure } from '../../engines/host.ts'
import { emptyHistory } from '../../engines/shipper/link.ts'
import { createNoticeTexts } from '../notifications/texts.ts'

let app: TestApp
let fixture: HistoryLinkFixture | null = null
afterEach(async () => {
  await fixture?.stop()
  fixture = null
})

/** Downloads of one depot, five clients each. */
function write(depot: number): void {
  const lines = Array.from({ length: 5 }, (_, index) =>
    logLine({
      at: firstSecond + depot,
      client: `10.0.0.${index}`,
      cache: 'HIT',
      bytes: 1000,
      path: `/depot/${depot}/chunk/${'ab'.repeat(20)}`,
      tag: 'steam',
    }),
  )
  appendFileSync(join(app.root, 'logs', 'access.log'), lines.join(''))
}

const count = async (table: string) => {
  const rows = await app.history.read((_db, sql) =>
    sql.unsafe<{ n: number }[]>(`select count(*)::int as n from ${table}`),
  )
  return rows[0]?.n ?? -1
}
const untilDownloads = (wanted: number) =>
  eventually(async () => (await count('downloads')) === wanted, `${wanted} downloads are stored`)

async function readingApp(options: TestAppOptions = {}): Promise<Browser> {
  const history = await freshHistory()
  app = await testApp({ history, isIngesting: true, isIndexing: true, ...options })
  app.logs.historyReady(history.connection())
  const owner = await signInOwner(app)
  write(731)
  await untilDownloads(5)
  return owner
}

const ended = (answer: Response) => begunJobEnd(app.operations, answer)

test('a whole reset keeps accounts and counts the logs that still exist again', async () => {
  const owner = await readingApp()
  const event = { name: 'Party', startTime: firstSecond, endTime: firstSecond + 86_400 }
  expect((await owner.post('/api/events', event)).status).toBe(200)
  const link = { page: 'report', subject: '1', hours: 24 }
  expect((await owner.post('/api/ext/links', link)).status).toBe(201)
  const group = { nickname: 'Table 1', initialIps: ['10.0.0.1'] }
  expect((await owner.post('/api/client-groups', group)).status).toBe(200)
  const view = await ended(await owner.delete('/api/database'))
  expect(view).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.dbReset.complete',
    context: { tablesCleared: 23, totalTables: 23 },
  })
  expect((await owner.get('/api/events')).status).toBe(401)
  await untilDownloads(5)
  const again = await signIn(app, 'owner')
  expect(await (await again.get('/api/events')).json()).toEqual([])
  expect(await (await again.get('/api/ext/links')).json()).toEqual({ items: [] })
  expect(await (await again.get('/api/client-groups')).json()).toEqual([])
  expect(await (await again.get('/api/database/reset-status')).json()).toMatchObject({
    isProcessing: false,
    context: {},
  })
  expect(app.settings.get('database.pendingReset')).toBeNull()
})

test('without the log entries, only lines written afterwards are counted', async () => {
  const owner = await readingApp()
  const answer = await owner.send('DELETE', '/api/database/tables', {
    body: { tables: ['DOWNLOADS'] },
  })
  const view = await ended(answer)
  expect(view).toMatchObject({
    name: 'Reset of Downloads',
    status: 'completed',
    message: 'Tables cleared: 1',
    context: { tablesCleared: 1, totalTables: 1 },
  })
  expect(view && createNoticeTexts(() => 'de').outcome(view)).toBe('Geleerte Tabellen: 1')
  expect(await count('downloads')).toBe(0)
  expect(await count('traffic_day')).toBe(0)
  write(900)
  await untilDownloads(5)
  const keys = await app.history.read((_db, sql) => sql`select distinct title_key from downloads`)
  expect(keys.map((row) => row['title_key'])).toEqual(['alpha:900'])
  // Nothing of what was skipped is in the history, so it may be counted after all.
  expect((await owner.patch('/api/logs/position', { position: 0 })).status).toBe(200)
  await untilDownloads(10)
})

test('prefill: what ended is deleted, sessions that run stay', async () => {
  app = await testApp({ history: await freshHistory() })
  app.history.start()
  const owner = await signInOwner(app)
  const now = new Date()
  const row = { platform: 'gamma', userId: 'u', isOwners: false, transport: 'builtin' } as const
  const flags = { isTemporary: false, isPersistent: false, isAuthenticated: true }
  for (const [sessionId, status] of [
    ['a'.repeat(16), 'Active'],
    ['b'.repeat(16), 'Terminated'],
  ] as const) {
    const times = { createdAt: now, expiresAt: now }
    app.state.db
      .insert(prefillSession)
      .values({ ...row, ...flags, ...times, sessionId, status })
      .run()
  }
  await owner.post('/api/prefill-admin/bans', { username: 'gordon' })
  const body = { tables: ['PrefillSessions', 'BannedPrefillUsers'] }
  const answer = await owner.send('DELETE', '/api/database/tables', { body })
  expect(await ended(answer)).toMatchObject({ status: 'completed', context: { tablesCleared: 2 } })
  expect(await (await owner.get('/api/prefill-admin/sessions')).json()).toMatchObject({
    sessions: [{ sessionId: 'a'.repeat(16) }],
  })
  expect(await (await owner.get('/api/prefill-admin/bans?includeLifted=true')).json()).toEqual([])
})

test('no name and unknown ones are refused, and without the history nothing is begun', async () => {
  app = await testApp({ history: awayHistory })
  const owner = await signInOwner(app)
  const ask = (tables: string[]) =>
    owner.send('DELETE', '/api/database/tables', { body: { tables } })
  expect((await ask([])).status).toBe(400)
  for (const alone of ['ServiceStats', 'ClientStats', 'LogEntries']) {
    const refused = await ask([alone, 'ClientGroups'])
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('Downloads')
  }
  const unknown = await ask(['UserSessions', 'NoSuchTable'])
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    expect.stringContaining('not \\"NoSuchTable\\"'),
  ])
  expect(await ended(await ask(['UserSessions']))).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('nothing was changed'),
  })
  expect((await owner.get('/api/events/active')).status).not.toBe(401)
})

test('a failure in the middle is in the context', async () => {
  app = await testApp({ history: await freshHistory() })
  app.history.start()
  const owner = await signInOwner(app)
  app.cache.corruption.clearScans = () => Promise.reject(new EngineFailure('The index is away'))
  const body = { tables: ['CachedCorruptionScans'] }
  expect(await ended(await owner.send('DELETE', '/api/database/tables', { body }))).toMatchObject({
    status: 'failed',
    stageKey: 'signalr.dbReset.failed',
    context: { errorDetail: 'The index is away' },
  })
})

test('a reset that a crash interrupted between both stores is completed', async () => {
  fixture = new HistoryLinkFixture(await freshDatabase())
  fixture.write(500)
  fixture.start()
  const { target } = fixture
  const requests = async () => (await fixture?.totals())?.downloads?.requests ?? 0
  await eventually(async () => (await requests()) === 500, 'everything is shipped')
  await fixture.stop()
  const sql = openTestClient(target)
  await emptyHistory(sql, { installation: fixture.installation, forgetsTitles: true })
  await sql.end()
  fixture.start()
  const { keeper, shipper } = fixture.running
  await eventually(() => keeper.mismatch?.reason === 'positionsOlder', 'the mismatch is found')
  await keeper.empty({ startAt: 'beginning', forgetsTitles: true }, () => shipper.connect(target))
  await eventually(async () => (await requests()) === 500, 'all is counted again')
  const { expected } = fixture
  expect(await fixture.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
})

test('the next start continues a reset, and says so', async () => {
  const owner = await readingApp()
  const group = { nickname: 'Table 1', initialIps: ['10.0.0.1'] }
  expect((await owner.post('/api/client-groups', group)).status).toBe(200)
  app.settings.set('database.pendingReset', { tables: ['ClientGroups'], isWhole: false })
  app.groups.system.start()
  app.history.credentialsChanged()
  await eventually(() => app.settings.get('database.pendingReset') === null, 'the reset has ended')
  expect(await (await owner.get('/api/client-groups')).json()).toEqual([])
  expect(app.logLines.join('')).toContain('a reset of the database was interrupted; it continues')
})
