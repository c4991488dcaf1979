import { expect, test } from 'bun:test'
import { reportApp } from '../support/report-app.ts'
import { seededReport, seededUntil } from '../support/seeded-report.ts'

/** What Prometheus's own checker says: its exit code and its complaints. */
async function checked(text: string): Promise<[number, string]> {
  const promtool = Bun.spawn(['promtool', 'check', 'metrics'], {
    stdin: Buffer.from(text),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([
    new Response(promtool.stdout).text(),
    new Response(promtool.stderr).text(),
  ])
  return [await promtool.exited, out + error]
}

test('promtool accepts the metrics of a filled history and of a service without one', async () => {
  const seeded = await seededReport(3000, async (client) => {
    await client`
      UPDATE titles SET game_name = E'Name "with" \\\\ and\nmore', game_app_id = depot_id
      WHERE title_key LIKE 'alpha:%1'`
    await client`
      INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
      SELECT ${seededUntil}::timestamptz - i * interval '1 hour', 1e9 - i * 1e6, 1e10, 0.1
      FROM generate_series(1, 200) AS i`
  })
  const app = await reportApp({ history: seeded.history, now: seededUntil })
  const text = await (await app.deps.request('/metrics')).text()
  expect(text).toContain('lancache_game_bytes{')
  expect(text).toContain('lancache_cache_growth_daily_bytes')
  expect(await checked(text)).toEqual([0, ''])
  const away = await reportApp()
  expect(await checked(await (await away.deps.request('/metrics')).text())).toEqual([0, ''])
})

test('promtool refuses what is no metric, so that its silence means something', async () => {
  expect((await checked('# TYPE a gauge\na_b {\n'))[0]).not.toBe(0)
})
