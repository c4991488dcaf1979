import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { families } from '../../src/system/metrics/families.ts'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { testApp } from '../support/app.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { seededReport } from '../support/seeded-report.ts'
import { signInOwner } from '../support/sign-in.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'

interface Target {
  expr: string
}
interface Panel {
  type: string
  title: string
  targets?: Target[]
}
interface Dashboard {
  panels: Panel[]
}

const dashboard: Dashboard = JSON.parse(
  readFileSync(join(import.meta.dir, '../../docs/grafana.json'), 'utf8'),
)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
)

/** The dashboard's variables, as Grafana fills them in. */
const filled = (expr: string) =>
  expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')

/** The service with a history, a cache and an event, for which every metric has a value. */
async function filledService(): Promise<string> {
  const seeded = await seededReport(2000, async (client) => {
    await client`
      UPDATE titles SET game_name = 'Game ' || depot_id, game_app_id = depot_id
      WHERE title_key LIKE 'alpha:%'`
    await client`
      INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
      SELECT now() - i * interval '1 hour', 1e9 - i * 1e6, 1e10, 0.1
      FROM generate_series(1, 200) AS i`
    await client`
      WITH made AS (
        INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
        VALUES ('LAN', now(), now(), '', '', 0, now()) RETURNING id
      )
      INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic)
      SELECT made.id, d.id, now(), false
      FROM made, (SELECT id FROM downloads WHERE NOT is_prefill LIMIT 5) AS d`
  })
  const app = await testApp({ history: seeded.history, isIndexing: true })
  writeFileSync(join(app.root, 'logs', 'access.log'), '')
  const depot = seeded.all.find(({ titleKey }) => titleKey.startsWith('alpha:'))?.depotId
  const key = sliceKey('steam', `/depot/${depot}/chunk/a`, 0)
  const file = { key, body: new Uint8Array(1000), storedAt: 1_800_000_000 }
  writeCacheFile(join(app.root, 'cache'), file)
  const owner = await signInOwner(app)
  expect((await owner.post('/api/games/detect')).status).toBeLessThan(300)
  const detected = async () => (await app.groups.cache.games.summary()).games_on_disk_count
  await eventually(async () => (await detected()) > 0, 'the game is detected', 20_000)
  return app.listen()
}

async function prometheusOf(service: string): Promise<string> {
  const folder = tempFolder('prometheus')
  mkdirSync(join(folder, 'data'))
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [
        { job_name: 'larder', static_configs: [{ targets: [service] }], scrape_timeout: '1s' },
      ],
    }),
  )
  const address = `127.0.0.1:${await freePort()}`
  const server = Bun.spawn(
    [
      'prometheus',
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  atEnd(async () => {
    server.kill()
    await server.exited
  })
  return `http://${address}`
}

interface Answer {
  status: string
  error?: string
  data?: { result: { value?: [number, string] }[] }
}

let address = ''
async function query(expr: string): Promise<Answer> {
  const answer = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expr)}`)
  return JSON.parse(await answer.text())
}

beforeAll(async () => {
  address = await prometheusOf(await filledService())
  await eventually(async () => {
    // Rates need two samples.
    const { data } = await query('count_over_time(lancache_info[1m])').catch((): Answer => ({
      status: 'away',
    }))
    return Number(data?.result[0]?.value?.[1] ?? 0) >= 3
  }, 'the metrics are scraped')
}, 180_000)

describe('the dashboard for Grafana', () => {
  test.each(expressions)('“%s” has values: %s', async (_, expr) => {
    const { status, error, data } = await query(filled(expr))
    expect([status, error]).toEqual(['success', undefined])
    const values = (data?.result ?? []).map(({ value }) => Number(value?.[1]))
    expect(values.length).toBeGreaterThan(0)
    expect(values.filter((value) => !Number.isFinite(value))).toEqual([])
  })

  test('asks for metrics of the service only, and has panels with ids of their own', () => {
    expect(expressions.length).toBeGreaterThan(20)
    const names = expressions.flatMap(([, expr]) => expr.match(/(?:lancache|process)_\w+/g) ?? [])
    expect(names.filter((name) => !(name in families))).toEqual([])
    const ids = (dashboard.panels as (Panel & { id: number })[]).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('an expression about nothing has no values, so that the others mean something', async () => {
    expect((await query('lancache_nothing')).data?.result).toEqual([])
    expect((await query('sum(')).status).toBe('error')
  })
})
