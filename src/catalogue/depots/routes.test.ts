import { afterEach, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { keepHandName } from '../titles/hand-names.ts'
import { answerOf as bodyOf } from '../../../test/support/answers.ts'

// Steam's library takes seconds to load on a busy machine.
setDefaultTimeout(90_000)

const base = '/api/depots'

const outside = catalogueStandIns()
const history = await freshHistory()
const environment = outside.site.environment
const app = await testApp({ history, catalogue: outside.engine, environment })
const user = await signInAs(app, 'user')
app.settings.set('setup.isCompleted', true)
outside.pics.apps.set(480, { name: 'Spacewar', depots: { 481: { name: 'Content' } } })
outside.pics.apps.set(500, { name: 'Left', depots: { 501: {} } })
outside.site.appIds = [480, 500]
outside.site.list = { '481': { ownerId: 480, appIds: [480], appNames: ['Spacewar'] } }
for (const [index, depotId] of [481, 501, 999, 601].entries()) {
  const titleKey = `alpha:${depotId}`
  await putDownloads(history, { id: index + 1, titleKey })
  await putTitles(history, { titleKey, depotId })
}

const get = async (path: string) => bodyOf(await user.get(`${base}${path}`))
const progress = async () => (await get('/rebuild/progress')).body

/** Waits until no run is active. */
async function idle(): Promise<void> {
  await eventually(() => !app.groups.catalogue.isMapping(), 'the run is over')
}

const names = () =>
  history.read(async (_db, sql) => {
    const rows = await sql<{ key: string; name: string | null; app: string | null }[]>`
      SELECT title_key AS key, game_name AS name, game_app_id AS app FROM titles ORDER BY 1`
    return Object.fromEntries(rows.map(({ key, name, app }) => [key, `${app} ${name}`]))
  })

describe('before anything was read', () => {
  test('GET /api/depots/status', async () => {
    const { status, body } = await get('/status')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      jsonFile: { exists: false, totalMappings: 0, lastUpdated: null, needsUpdate: true },
      database: { totalMappings: 0 },
      alphaLibrary: { isReady: false, isRebuildRunning: false, depotCount: 0 },
    })
  })

  test('GET /api/depots/rebuild/progress', async () => {
    const body = await progress()
    expect(body.nextCrawlIn).toBeWithin(0, 61)
    expect(body).toMatchObject({
      isProcessing: false,
      status: 'idle',
      progressPercent: 0,
      depotMappingsFound: 0,
      isReady: false,
      lastCrawlTime: null,
      crawlIntervalHours: 1,
      crawlIncrementalMode: 'github',
      operationId: null,
      errorMessage: null,
    })
  })

  test('an incremental crawl has nothing to start from', async () => {
    const check = await get('/rebuild/check-incremental')
    expect(check.body).toEqual({
      isViable: false,
      lastChangeNumber: 0,
      currentChangeNumber: 0,
      changeGap: 0,
      isLargeGap: false,
      willTriggerFullScan: true,
      estimatedAppsToScan: 270_000,
      error: null,
    })
    expect(await bodyOf(await user.post(`${base}/rebuild?incremental=true`))).toEqual({
      status: 200,
      body: {
        started: false,
        requiresFullScan: true,
        changeGap: 0,
        estimatedApps: 270_000,
        message: 'An incremental crawl is not possible: a full crawl is needed',
        viabilityError: null,
        stageKey: null,
        context: null,
        operationId: null,
      },
    })
    expect(outside.pics.requests).toEqual([])
  })

  test('DELETE /api/depots/rebuild without a run is 404', async () => {
    expect((await user.delete(`${base}/rebuild`)).status).toBe(404)
  })
})

describe('POST /api/depots/import', () => {
  test.each(['', '?source=', '?source=elsewhere'])('%p is 400', async (query) => {
    const { status, body } = await bodyOf(await user.post(`${base}/import${query}`))
    expect(status).toBe(400)
    expect(body.error).toStartWith('source must be one of github, local')
  })

  test('local without a file imports nothing', async () => {
    expect(await bodyOf(await user.post(`${base}/import?source=local`))).toMatchObject({
      status: 200,
      body: { source: 'Local', message: '0 mappings; 0 downloads got another name' },
    })
  })

  test('github imports the list and gives downloads their names', async () => {
    const publish = spyOn(app.hub, 'publish')
    const answer = await bodyOf(await user.post(`${base}/import?source=GitHub`))
    expect(answer).toMatchObject({
      status: 200,
      body: { source: 'GitHub', message: '1 mappings; 1 downloads got another name' },
    })
    expect(await names()).toMatchObject({ 'alpha:481': '480 Spacewar', 'alpha:501': 'null null' })
    const events = publish.mock.calls.map(([event]) => event)
    expect(events).toContain('DepotMappingStarted')
    expect(events).toContain('DownloadsRefresh')
    const end = publish.mock.calls.find(([event]) => event === 'DepotMappingComplete')
    expect(end?.[1]).toMatchObject({
      success: true,
      totalMappings: 1,
      downloadsUpdated: 1,
      stageKey: 'signalr.depotMapping.github.complete',
      showNotification: true,
    })
    publish.mockRestore()
    expect((await get('/status')).body).toMatchObject({
      jsonFile: { exists: true, totalMappings: 1, needsUpdate: false },
      database: { totalMappings: 1 },
      alphaLibrary: { isReady: true, depotCount: 1 },
    })
    expect(await progress()).toMatchObject({ status: 'completed', isReady: true })
    const auth = await bodyOf(await user.get('/api/auth/status'))
    expect(auth.body.hasDataLoaded).toBe(true)
  })

  test('a list that cannot be fetched is 503 with the reason, and the dashboard shows it', async () => {
    outside.site.statuses.set('list', [404])
    const answer = await bodyOf(await user.post(`${base}/import?source=github`))
    const reason = `${new URL(outside.site.url).host} answered with status 404`
    expect([answer.status, answer.body.error]).toEqual([503, reason])
    expect(await progress()).toMatchObject({ status: 'error', errorMessage: reason })
    expect(app.settings.get('depots.lastRun')).toMatchObject({ mode: 'github', outcome: 'failed' })
  })
})

describe('crawls', () => {
  beforeEach(() => void (outside.pics.requests.length = 0))
  afterEach(async () => {
    outside.pics.hold = null
    await idle()
  })

  test('POST /api/depots/rebuild reads all apps; a name given by hand stays', async () => {
    const name = { titleKey: 'alpha:481', service: 'steam', gameName: 'By hand' }
    keepHandName(app.state, { ...name, namedAt: new Date() })
    await history.read(
      (_db, sql) => sql`UPDATE titles SET game_name = 'By hand' WHERE title_key = 'alpha:481'`,
    )
    const started = await bodyOf(await user.post(`${base}/rebuild`))
    expect(started).toMatchObject({
      status: 200,
      body: { started: true, requiresFullScan: false, viabilityError: null },
    })
    await idle()
    expect(await names()).toMatchObject({ 'alpha:481': '480 By hand', 'alpha:501': '500 Left' })
    expect(await progress()).toMatchObject({
      status: 'completed',
      totalApps: 2,
      processedApps: 2,
      processedBatches: 1,
      progressPercent: 100,
      depotMappingsFound: 2,
      depotMappingsFoundInSession: 1,
      lastCrawlTime: expect.any(String),
      isConnected: false,
    })
    expect(app.operations.find(String(started.body.operationId))).toMatchObject({
      status: 'completed',
      nameKey: 'depotMapping',
    })
  })

  test('an incremental crawl is viable now', async () => {
    outside.pics.changeNumber = 1010
    outside.pics.changed.push({ appId: 600, changeNumber: 1005 })
    outside.pics.apps.set(600, { name: 'Six', depots: { 601: {} } })
    expect((await get('/rebuild/check-incremental')).body).toEqual({
      isViable: true,
      lastChangeNumber: 1000,
      currentChangeNumber: 1010,
      changeGap: 10,
      isLargeGap: false,
      willTriggerFullScan: false,
      estimatedAppsToScan: 20,
      error: null,
    })
    const asked = outside.pics.count('changes')
    await user.post(`${base}/rebuild?incremental=true`)
    await idle()
    // The check was answered from memory; the crawl asked twice.
    expect(outside.pics.count('changes')).toBe(asked + 2)
    expect(await names()).toMatchObject({ 'alpha:601': '600 Six' })
  })

  test('one at a time: 409 names the active run; DELETE cancels it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    outside.pics.hold = promise
    const { body } = await bodyOf(await user.post(`${base}/rebuild`))
    for (const path of ['/rebuild', '/import?source=github']) {
      expect(await bodyOf(await user.post(`${base}${path}`))).toMatchObject({
        status: 409,
        body: {
          code: 'OPERATION_CONFLICT',
          stageKey: 'errors.conflict.duplicate',
          activeOperationId: body.operationId,
          activeOperationType: 'DepotMapping',
        },
      })
    }
    expect((await user.patch(base)).status).toBe(409)
    expect(await progress()).toMatchObject({ isProcessing: true, operationId: body.operationId })
    expect(await bodyOf(await user.delete(`${base}/rebuild`))).toMatchObject({
      status: 200,
      body: { success: true },
    })
    await idle()
    resolve()
    expect(await progress()).toMatchObject({ status: 'cancelled', isProcessing: false })
  })

  test('PATCH /api/depots applies names to downloads', async () => {
    await history.read((_db, sql) => sql`UPDATE titles SET game_name = NULL, game_app_id = NULL`)
    const applied = await user.patch(base)
    expect(applied.status).toBe(200)
    expect(await applied.json()).toMatchObject({
      message: expect.stringMatching(/^[1-9]\d* mappings; \d+ downloads got another name$/),
    })
    expect(await names()).toMatchObject({
      'alpha:481': '480 null',
      'alpha:501': '500 Left',
      'alpha:601': '600 Six',
      'alpha:999': 'null null',
    })
  })

  test('without any server of Steam the check says so, and nothing starts', async () => {
    outside.site.endpoints = []
    // Forgets the last answer.
    await user.patch(base)
    expect((await get('/rebuild/check-incremental')).body).toMatchObject({
      isViable: false,
      willTriggerFullScan: false,
      error: 'Connection failed: Steam names no servers',
    })
    expect(await bodyOf(await user.post(`${base}/rebuild?incremental=true`))).toMatchObject({
      body: {
        started: false,
        viabilityError: 'Connection failed: Steam names no servers',
        stageKey: 'signalr.depotMapping.skippedAlphaUnreachable',
        context: { errorDetail: 'Steam names no servers' },
      },
    })
    outside.site.endpoints = [outside.cm.endpoint]
  })
})

describe('settings', () => {
  test.each([
    [0, 'No crawl starts by itself'],
    [0.5, 'A crawl starts every 0.5 h'],
    [12, 'A crawl starts every 12 h'],
  ])('an interval of %p', async (hours, message) => {
    expect(await bodyOf(await user.put(`${base}/rebuild/config/interval`, hours))).toEqual({
      status: 200,
      body: { message, intervalHours: Math.round(hours) },
    })
    expect((await progress()).crawlIntervalHours).toBe(hours)
  })

  test.each([-1, 8761, '2', null, {}])('an interval of %p is 400', async (value) => {
    const { status, body } = await bodyOf(await user.put(`${base}/rebuild/config/interval`, value))
    expect([status, body.error]).toEqual([400, 'The interval is a number of hours, 0 to 8760'])
  })

  test.each([true, false, 'github'])('the mode %p', async (mode) => {
    const answer = await bodyOf(await user.put(`${base}/rebuild/config/mode`, mode))
    expect(answer).toMatchObject({ status: 200, body: { incrementalMode: mode } })
    expect((await progress()).crawlIncrementalMode).toBe(mode)
  })

  test.each(['local', 1, null])('the mode %p is 400', async (mode) => {
    expect((await user.put(`${base}/rebuild/config/mode`, mode)).status).toBe(400)
  })

  test('a mode that cannot work is refused with a key', async () => {
    app.settings.set('setup.isCompleted', false)
    const { status, body } = await bodyOf(await user.put(`${base}/rebuild/config/mode`, true))
    expect([status, body.stageKey]).toEqual([400, 'errors.depotMapping.setupIncomplete'])
    app.settings.set('setup.isCompleted', true)
  })
})
