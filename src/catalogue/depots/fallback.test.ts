import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { signInAs, type Browser } from '../../../test/support/sign-in.ts'

// Steam's library takes seconds to load on a busy machine.
setDefaultTimeout(90_000)

let outside: ReturnType<typeof catalogueStandIns>
let app: TestApp
let user: Browser

beforeAll(async () => {
  outside = catalogueStandIns()
  const history = await freshHistory()
  const environment = outside.site.environment
  app = await testApp({ history, catalogue: outside.engine, environment })
  user = await signInAs(app, 'user')
  await history.read(
    (_db, sql) => sql`
      INSERT INTO titles (title_key, platform, service, depot_id, updated_at)
      VALUES ('alpha:481', 'alpha', 'steam', 481, now())`,
  )
})

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
