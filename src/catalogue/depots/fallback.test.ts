import { expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { EResult } from 'steam-session'
import { putTitles } from '../../../test/support/put-downloads.ts'
import { tokenFor } from '../../../test/support/stand-ins/alpha.ts'
import { testApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { signInAs } from '../../../test/support/sign-in.ts'

// Steam's library takes seconds to load on a busy machine.
setDefaultTimeout(90_000)

const outside = catalogueStandIns()
const history = await freshHistory()
const environment = outside.site.environment
const app = await testApp({ history, catalogue: outside.engine, environment })
const user = await signInAs(app, 'user')
await putTitles(history, { titleKey: 'alpha:481', depotId: 481 })

test('without a list, a new installation asks Steam for the depots of its downloads only', async () => {
  outside.site.statuses.set('list', [404])
  outside.pics.apps.set(480, { name: 'Spacewar', depots: { 481: {} } })
  expect((await user.post('/api/depots/import?source=github')).status).toBe(200)
  const asked = outside.pics.requests.flatMap(({ ids }) => ids)
  expect(asked).toEqual([480])
  const titles = await app.history.read(
    (_db, sql) => sql<{ name: string }[]>`SELECT game_name AS name FROM titles`,
  )
  expect(titles.map(({ name }) => name)).toEqual(['Spacewar'])
  expect(outside.site.calls.filter((call) => call !== 'store')).toEqual(['list', 'directory'])
})

test('a sign-in that Steam refuses is dropped, and names are read without it', async () => {
  const publish = spyOn(app.hub, 'publish')
  const token = tokenFor('76561197960287930')
  app.credentials.keep('alpha.refreshToken', token, 'gordon')
  app.settings.set('alpha.authMode', 'authenticated')
  outside.pics.logOnResults.push(EResult.AccessDenied)
  outside.site.appIds = [480]
  outside.pics.requests.length = 0
  expect((await user.post('/api/depots/rebuild')).status).toBe(200)
  await eventually(() => !app.groups.catalogue.isMapping(), 'the run is over')
  expect(app.settings.get('depots.lastRun')).toMatchObject({ outcome: 'completed' })
  expect(outside.pics.logOns.slice(-2)).toEqual([token, null])
  const status = await user.get('/api/alpha-auth/status')
  expect(await status.json()).toMatchObject({ username: 'gordon', isConnected: false })
  expect(app.groups.access.hasExpiredLogin()).toBe(true)
  const sent = new Map(publish.mock.calls.map(([event, data]) => [event, data]))
  expect(sent.get('AlphaSessionError')).toMatchObject({
    errorType: 'refused',
    result: 'AccessDenied',
    wasRebuildActive: true,
  })
  expect(sent.get('AlphaAutoLogout')).toMatchObject({ reason: 'AccessDenied' })
  publish.mockRestore()
})
