import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { bytes, grouped, seededReport, seededUntil } from '../../../test/support/seeded-report.ts'

test('demand is the distinct clients of each named game in a period, without excluded ones', async () => {
  const seeded = await seededReport(5000, async (client) => {
    // Two depots of one game, and unnamed titles.
    await client`UPDATE titles SET game_app_id = 1000 WHERE title_key IN (
      SELECT title_key FROM titles WHERE title_key LIKE 'alpha:%' ORDER BY title_key LIMIT 2)`
    await client`UPDATE titles SET game_name = NULL WHERE title_key LIKE 'delta:game-2%'`
  })
  const app = await reportApp({ history: seeded.history, now: seededUntil })
  const excluded = ['10.0.0.12', '10.0.1.15']
  const rules = excluded.map((ip, index) => ({ ip, mode: index === 0 ? 'hide' : 'exclude' }))
  await app.send('PUT', '/api/stats/exclusions', 'user', { rules })
  const since = Math.floor(Date.parse(seededUntil) / 3_600_000) * 3600 - 60 * 86_400
  const found = await app.deps.groups.downloads.demand.usedSince(new Date(since * 1000))
  const titles = await seeded.client<{ key: string; name: string | null; app: number | null }[]>`
    SELECT title_key AS key, game_name AS name, game_app_id::float8 AS app FROM titles`
  const named = new Map(titles.filter(({ name }) => name !== null).map((row) => [row.key, row]))
  const counted = seeded.all.filter(
    (row) =>
      !row.isPrefill &&
      row.endedAt >= since &&
      bytes([row]) > 0 &&
      named.has(row.titleKey) &&
      !excluded.includes(row.client),
  )
  const games = grouped(counted, ({ service, titleKey }) => {
    const title = named.get(titleKey)
    const folded = service === 'xboxlive' ? 'xbox' : service
    return `${folded} ${title?.app ?? title?.name?.toLowerCase()}`
  })
  const expected = [...games].map(([, own]) => [
    new Set(own.map(({ client }) => client)).size,
    bytes(own),
  ])
  const first = ([a = 0, b = 0]: number[], [c = 0, d = 0]: number[]) => c - a || d - b
  expect(found.length).toBeGreaterThan(20)
  expect(found.map((game) => [game.clients, game.bytes])).toEqual(expected.toSorted(first))
  expect(found.find(({ key }) => key === 'alpha:1000')).toBeDefined()
})
