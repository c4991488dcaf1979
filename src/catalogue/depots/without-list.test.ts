import { expect, setDefaultTimeout, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putTitles } from '../../../test/support/put-downloads.ts'
import { signInAs } from '../../../test/support/sign-in.ts'

// Steam's library takes seconds to load on a busy machine.
setDefaultTimeout(90_000)

const outside = catalogueStandIns()
outside.pics.apps.set(480, { name: 'Spacewar', depots: { 481: {} } })
outside.pics.apps.set(730, { name: 'Counter', depots: { 738: {} } })
const time = new ManualTime()
const history = await freshHistory()
const environment = { ...outside.site.environment, Alpha__DepotListUrl: '' }
const standIns = { catalogue: outside.engine, clock: time, timers: time }
const app = await testApp({ history, environment, ...standIns })
app.schedules.start()

const download = (depotId: number) =>
  putTitles(app.history, { titleKey: `alpha:${depotId}`, depotId })

const names = async () => {
  const rows = await app.history.read(
    (_db, sql) => sql<{ name: string | null }[]>`
      SELECT game_name AS name FROM titles ORDER BY title_key`,
  )
  return rows.map(({ name }) => name)
}

/** Lets the schedules check, and waits for the run that they start. */
async function passHalfMinute(): Promise<void> {
  await time.advance(30_000)
  while (app.groups.catalogue.isMapping()) {
    await time.advance(100)
    await Bun.sleep(5)
  }
}

/** Passes time until the downloads have these names; fewer minutes than between two hourly runs. */
async function expectNames(expected: (string | null)[]): Promise<void> {
  const began = time.elapsedMs()
  await eventually(
    async () => {
      await passHalfMinute()
      return Bun.deepEquals(await names(), expected)
    },
    `the names ${expected.join(', ')}`,
  )
  expect(time.elapsedMs() - began).toBeLessThan(45 * 60_000)
}

const outsideCalls = () => outside.site.calls.filter((call) => call !== 'store')

test('without a list and without downloads, nothing is asked', async () => {
  for (let step = 0; step < 20; step++) await passHalfMinute()
  expect(outside.site.calls).toEqual([])
  expect(app.settings.get('depots.lastRun')?.outcome).not.toBe('failed')
})

test('a new installation without set-up knows the names of its downloads within minutes', async () => {
  expect(app.settings.get('setup.isCompleted')).toBe(false)
  await download(481)
  await expectNames(['Spacewar'])
  expect(outsideCalls()).toEqual(['directory'])
})

test('so do later downloads; a depot that nobody owns is asked for once', async () => {
  await download(738)
  await download(999)
  await expectNames(['Spacewar', 'Counter', null])
  const requests = () => outside.pics.requests.filter(({ ids }) => ids.includes(999))
  await eventually(async () => {
    await passHalfMinute()
    return requests().length > 0
  }, 'the depot without an owner is asked for')
  for (let step = 0; step < 140; step++) await passHalfMinute()
  expect(requests()).toHaveLength(1)
})

test('an import of the list names the missing setting', async () => {
  const user = await signInAs(app, 'user')
  const response = await user.post('/api/depots/import?source=github')
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('Alpha__DepotListUrl')
})
