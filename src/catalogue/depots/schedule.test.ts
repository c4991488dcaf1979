import { expect, setDefaultTimeout, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { jobEnd } from '../../../test/support/job-end.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'

setDefaultTimeout(60_000)

const minuteMs = 60_000

const outside = catalogueStandIns()
outside.site.list = { '481': { ownerId: 480, appIds: [480], appNames: ['Spacewar'] } }
const time = new ManualTime()
const environment = outside.site.environment
const app = await testApp({ catalogue: outside.engine, environment, clock: time, timers: time })
app.schedules.start()

/** Waits for a run that begins within the given minutes, in small steps, and for its end. */
async function passMinutes(minutes: number): Promise<void> {
  for (let step = 0; step < minutes * 2; step++) {
    await time.advance(minuteMs / 2)
    // The schedule asks the engine before it starts a run.
    await outside.engine.status()
    await Bun.sleep(0)
    while (app.groups.catalogue.isMapping()) {
      await time.advance(100)
      await Bun.sleep(5)
    }
  }
}

test('without the internet a run is tried again with growing pauses, and everything else goes on', async () => {
  outside.site.statuses.set(
    'list',
    Array.from({ length: 5 }, () => 404),
  )
  await time.advance(minuteMs / 2)
  expect(outside.site.calls).toEqual([])
  await passMinutes(1)
  expect(outside.site.count('list')).toBe(1)
  expect(app.settings.get('depots.lastRun')).toMatchObject({ mode: 'github', outcome: 'failed' })
  const lines = app.logLines.filter((line) => line.includes('names of Steam games'))
  expect(lines).toHaveLength(1)
  expect((await app.request('/health')).status).toBe(200)
  await passMinutes(2)
  expect(outside.site.count('list')).toBe(2)
  // After 1, 2, 4 and 8 minutes, each a little later.
  await passMinutes(20)
  expect(outside.site.count('list')).toBe(5)
})

test('a new installation imports the list without account, click or set-up', async () => {
  expect(app.settings.get('setup.isCompleted')).toBe(false)
  await passMinutes(62)
  expect(outside.site.count('list')).toBe(6)
  expect((await outside.engine.status()).mappings).toBe(1)
})

test('a list that says when it is renewed is not asked for before', async () => {
  outside.site.nextUpdateDue = new Date(time.now().getTime() + 3 * 60 * minuteMs).toISOString()
  outside.site.listEtag = '"dated"'
  await passMinutes(62)
  const asked = outside.site.count('list')
  expect(asked).toBe(7)
  await passMinutes(61)
  expect(outside.site.count('list')).toBe(asked)
})

test('an interval of 0 starts nothing', async () => {
  app.settings.set('depots.crawlIntervalHours', 0)
  outside.site.calls.length = 0
  await passMinutes(240)
  expect(outside.site.calls).toEqual([])
})

test('a run that a person starts is an operation from the start, which others join', async () => {
  const started = app.schedules.run('depotMapping')
  const { operationId } = started ?? {}
  expect(started).toMatchObject({ operationId: expect.any(String), alreadyRunning: false })
  expect(app.operations.get(operationId ?? '')).toMatchObject({ type: 'depotMapping' })
  expect(app.schedules.run('depotMapping')).toMatchObject({ operationId, alreadyRunning: true })
  expect(await jobEnd(app.operations, operationId ?? '')).toMatchObject({ status: 'completed' })
})

test('an incremental crawl is skipped with its reason while Steam cannot say what changed', async () => {
  const lastRun = app.settings.get('depots.lastRun')
  app.settings.set('depots.crawlMode', 'incremental')
  outside.site.endpoints = []
  const { operationId } = app.schedules.run('depotMapping') ?? {}
  expect(await jobEnd(app.operations, operationId ?? '')).toMatchObject({
    status: 'skipped',
    stageKey: 'signalr.depotMapping.skippedAlphaUnreachable',
    context: { errorDetail: 'Steam names no servers' },
  })
  expect(app.settings.get('depots.lastRun')).toEqual(lastRun)
})
