import { expect, test } from 'bun:test'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'
import { downloadRow, ship, trafficRow } from '../../../test/support/shipped-rows.ts'

const at = Date.UTC(2026, 10, 20, 12) / 1000
const file = (name: string) => `epsilon:/filestreamingservice/files/${name}`
/** Two files of one game from different hosts, one file of Windows, one without a name. */
const deliveries = [
  { service: 'wsus', titleKey: file('a'), hitBytes: 1000 },
  { service: 'xboxlive', titleKey: file('b'), hitBytes: 200 },
  { service: 'wsus', titleKey: '', hitBytes: 30 },
  { service: 'wsus', titleKey: file('c'), hitBytes: 4 },
]
const named = { service: 'xbox', gameName: 'FORZA', servedBytes: 1200 }

/** A history of these deliveries to one client; `rename` gives titles their names. */
async function appOf(
  deliveries: readonly { service: string; titleKey: string; hitBytes: number }[],
  rename: (sql: ReturnType<typeof openTestClient>) => Promise<unknown>,
): Promise<ReportApp> {
  const history = await freshHistory()
  await ship(history.connection(), {
    downloads: deliveries.map((delivery, index) =>
      downloadRow({ ...delivery, id: index + 1, startedAt: at, endedAt: at + 10 }),
    ),
    traffic: deliveries.map((delivery) =>
      trafficRow({ ...delivery, downloads: 1, firstAt: at, lastAt: at + 10 }),
    ),
  })
  const sql = openTestClient(history.connection())
  await rename(sql)
  await sql.end()
  return reportApp({ history })
}

const app = await appOf(deliveries, async (sql) => {
  await sql`UPDATE titles SET game_name = 'Forza' WHERE title_key = ${file('a')}`
  await sql`UPDATE titles SET game_name = 'FORZA' WHERE title_key = ${file('b')}`
})

const sizes = (items: { id: string; totalBytes: number }[]) =>
  Object.fromEntries(items.map(({ id, totalBytes }) => [id, totalBytes]))

test('a game of Xbox is one row of the view, whatever delivered it', async () => {
  const all = await app.read('/api/downloads/retro?GroupByGame=true')
  expect(sizes(all.items)).toEqual({
    'xbox-name-forza': 1200,
    'wsus-unknown': 34,
  })
  for (const game of ['xbox-name-forza', 'xbox:Forza', 'xbox:name-Forza']) {
    const { items } = await app.read(`/api/downloads/retro?GroupByGame=true&Game=${game}`)
    expect(sizes(items)).toEqual({ 'xbox-name-forza': 1200 })
  }
  const updates = await app.read('/api/downloads/retro?GroupByGame=true&Service=wsus')
  expect(sizes(updates.items)).toEqual({
    'xbox-name-forza': 1000,
    'wsus-unknown': 34,
  })
})

test('services stay those of the hosts', async () => {
  const { items } = await app.read('/api/downloads/retro?GroupByService=true')
  expect(sizes(items)).toEqual({ wsus: 1034, xbox: 200 })
})

test('its report and the lists of games have all of it', async () => {
  const report = await app.read('/api/ext/games/xbox/name-Forza')
  expect(report).toMatchObject({
    service: 'xbox',
    // The first of its names, as in the lists.
    gameName: 'FORZA',
    totals: { servedBytes: 1200, downloads: 2 },
  })
  const summary = await app.read('/api/ext/downloads/summary')
  expect(summary.topGames).toContainEqual(expect.objectContaining(named))
  const client = await app.read('/api/ext/clients/10.0.0.1', 'user')
  expect(client.topGames).toContainEqual(expect.objectContaining(named))
})

test('one id on all platforms is a game of each, by its bare id and by the one of lists', async () => {
  const games = [
    { service: 'steam', titleKey: 'alpha:481', hitBytes: 1, gameId: 'app-480' },
    { service: 'epicgames', titleKey: 'beta:/Builds/a/CloudDir', hitBytes: 20, gameId: 'beta-480' },
    { service: 'blizzard', titleKey: 'gamma:x', hitBytes: 300, gameId: 'name-480' },
    { service: 'riot', titleKey: 'delta:x', hitBytes: 4000, gameId: 'name-480' },
    { service: 'xboxlive', titleKey: file('d'), hitBytes: 50_000, gameId: 'name-480' },
  ]
  const shared = await appOf(games, async (sql) => {
    await sql`UPDATE titles SET game_name = '480'`
    await sql`UPDATE titles SET game_app_id = 480 WHERE platform = 'alpha'`
    await sql`UPDATE titles SET beta_app_id = '480' WHERE platform = 'beta'`
  })
  const { topGames } = await shared.read('/api/ext/downloads/summary')
  expect(topGames).toHaveLength(games.length)
  for (const { service, hitBytes, gameId } of games) {
    const shown = service === 'xboxlive' ? 'xbox' : service
    expect(topGames).toContainEqual(
      expect.objectContaining({ service: shown, gameId, servedBytes: hitBytes }),
    )
    for (const id of ['480', gameId]) {
      const report = await shared.read(`/api/ext/games/${shown}/${id}`)
      expect(report).toMatchObject({ gameId, totals: { servedBytes: hitBytes } })
      const traffic = await shared.read(`/api/ext/games/${shown}/${id}/traffic`)
      expect(traffic.totals.servedBytes).toBe(hitBytes)
      const path = `/api/downloads/retro?GroupByGame=true&Game=${shown}:${id}`
      expect(sizes((await shared.read(path)).items)).toEqual({ [`${shown}-${gameId}`]: hitBytes })
    }
  }
})
