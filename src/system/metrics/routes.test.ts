import { beforeEach, describe, expect, test } from 'bun:test'
import { writeExclusions } from '../../clients/exclusions/store.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import {
  bytes,
  grouped,
  seededReport,
  seededUntil,
  sum,
} from '../../../test/support/seeded-report.ts'

const seeded = await seededReport(3000)
const app = await reportApp({ history: seeded.history, now: seededUntil })
const titles = seeded.all.filter(({ service }) => service === 'steam')
const unnamed = titles[0]?.titleKey
// Every game of Steam but one has a name.
for (const { titleKey, depotId } of new Map(titles.map((row) => [row.titleKey, row])).values()) {
  const isNamed = titleKey !== unnamed
  const [name, appId] = isNamed ? [`Game "${depotId}"`, depotId] : [null, null]
  await seeded.client`
    UPDATE titles SET game_name = ${name}, game_app_id = ${appId} WHERE title_key = ${titleKey}`
}
beforeEach(async () => {
  app.deps.settings.clear('metrics.requiresKey')
  app.deps.settings.clear('metrics.gameLimit')
  await app.send('POST', '/api/metrics/interval', 'user', { interval: 15 })
  // Beyond what is kept.
  await app.time.advance(61_000)
})

const get = (headers: Record<string, string> = {}) => app.deps.request('/metrics', { headers })

/** Figures by name and labels as they are written. */
async function figures(): Promise<Map<string, number>> {
  const lines = (await (await get()).text()).split('\n').filter((line) => /^[a-z]/.test(line))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}
const named = (read: Map<string, number>, name: string) =>
  [...read].filter(([key]) => key.startsWith(`${name}{`))

describe('GET /metrics', () => {
  test('sums of the history, without prefill', async () => {
    const rows = seeded.all.filter(({ isPrefill }) => !isPrefill)
    const read = await figures()
    expect(read.get('lancache_history_available')).toBe(1)
    expect(read.get('lancache_downloads_total')).toBe(rows.length)
    expect(read.get('lancache_bytes_served_total')).toBe(bytes(rows))
    expect(read.get('lancache_cache_hit_bytes_total')).toBe(sum(rows, 'hitBytes'))
    expect(read.get('lancache_cache_hit_ratio')).toBeCloseTo(sum(rows, 'hitBytes') / bytes(rows))
    const largest = Math.max(...rows.map(({ hitBytes, missBytes }) => hitBytes + missBytes))
    expect(read.get('lancache_download_size_largest_bytes')).toBe(largest)
    const steam = rows.filter(({ service }) => service === 'steam')
    expect(read.get('lancache_service_bytes_total{service="steam"}')).toBe(bytes(steam))
    const clients = [...grouped(rows, ({ client }) => client)].sort(
      (a, b) => bytes(b[1]) - bytes(a[1]),
    )
    expect(named(read, 'lancache_client_bytes_total')).toEqual(
      clients
        .slice(0, 10)
        .map(([ip, own]) => [`lancache_client_bytes_total{client="${ip}"}`, bytes(own)]),
    )
  })

  test('hours of the last week', async () => {
    const read = await figures()
    const now = app.time.now().getTime() / 1000
    const week = seeded.all.filter((row) => !row.isPrefill && row.startedAt >= now - 7 * 86_400)
    const hours = named(read, 'lancache_hourly_downloads')
    expect(hours).toHaveLength(24)
    expect(hours.reduce((all, [, value]) => all + value, 0)).toBe(week.length)
    expect(hours[7]?.[0]).toBe('lancache_hourly_downloads{hour="07"}')
    expect(named(read, 'lancache_peak_time_of_day')).toHaveLength(1)
  })

  test('as many games as the limit allows, and apart from them what has no name', async () => {
    await app.send('POST', '/api/metrics/game-limit', 'user', { gameLimit: 3 })
    const read = await figures()
    const games = named(read, 'lancache_game_bytes')
    expect(games).toHaveLength(3)
    expect(games[0]?.[0]).toMatch(
      /^lancache_game_bytes\{service="steam",game="Game \\"\d+\\"",app_id="\d+"\}$/,
    )
    const first = seeded.all.find(({ service }) => service === 'steam')
    const unnamed = seeded.all.filter(
      ({ titleKey, isPrefill }) => titleKey === first?.titleKey && !isPrefill,
    )
    expect(read.get('lancache_alpha_unknown_game_downloads')).toBe(unnamed.length)
  })

  test('no counter falls when a client is excluded, but the gauges leave it out', async () => {
    const before = await figures()
    const [[first, bytesOfFirst] = ['', 0]] = named(before, 'lancache_client_bytes_total')
    const ip = /client="([^"]+)"/.exec(first)?.[1] ?? ''
    writeExclusions(app.deps.state, [{ ip, mode: 'hide' }])
    await app.time.advance(16_000)
    const read = await figures()
    writeExclusions(app.deps.state, [])
    expect(bytesOfFirst).toBeGreaterThan(0)
    expect(read.has(first)).toBe(false)
    const counters = [...before].filter(([key]) => /^[a-z_]+_total({service|$| )/.test(key))
    expect(counters.length).toBeGreaterThan(8)
    for (const [key, value] of counters) expect(read.get(key)).toBeGreaterThanOrEqual(value)
    const rest = seeded.all.filter(({ isPrefill, client }) => !isPrefill && client !== ip)
    const ratio = read.get('lancache_cache_hit_ratio')
    expect(ratio).toBeCloseTo(sum(rest, 'hitBytes') / bytes(rest))
    expect(ratio).not.toBe(before.get('lancache_cache_hit_ratio'))
  })

  test('one answer is kept for the interval', async () => {
    await app.send('POST', '/api/metrics/interval', 'user', { interval: 30 })
    const at = async () => (await figures()).get('lancache_last_update_timestamp') ?? 0
    const first = await at()
    await app.time.advance(29_000)
    expect(await at()).toBe(first)
    await app.time.advance(2000)
    expect(await at()).toBe(first + 31)
  })

  test('events with downloads', async () => {
    const [row] = seeded.all.filter(({ isPrefill }) => !isPrefill)
    const { client } = seeded
    const [made] = await client<{ id: string }[]>`
      INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
      VALUES ('LAN "1"', now(), now(), '', '', 0, now()) RETURNING id`
    await client`
      INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic)
      VALUES (${made?.id ?? ''}, ${row?.id ?? 0}, now(), false)`
    const read = await figures()
    const labels = `{event="LAN \\"1\\"",event_id="${made?.id}"}`
    expect(read.get(`lancache_event_downloads${labels}`)).toBe(1)
    expect(read.get(`lancache_event_bytes${labels}`)).toBe(bytes(row === undefined ? [] : [row]))
  })

  test('what is active, under the labels of its sums', async () => {
    const { client } = seeded
    const row = seeded.all.find(({ service, isPrefill }) => service === 'xboxlive' && !isPrefill)
    await client`UPDATE titles SET game_name = 'Halo' WHERE title_key = ${row?.titleKey ?? ''}`
    await client`UPDATE downloads SET ended_at = ${app.time.now()} WHERE id = ${row?.id ?? 0}`
    const read = await figures()
    expect(read.get('lancache_service_active_downloads{service="xbox"}')).toBe(1)
    const labels = '{service="xbox",game="Halo",app_id="0"}'
    expect(read.get(`lancache_game_active_downloads${labels}`)).toBe(1)
    for (const [key] of named(read, 'lancache_service_active_downloads')) {
      expect(read.has(key.replace('active_downloads', 'bytes_total'))).toBe(true)
    }
  })
})

test('without a history the process and the disk remain', async () => {
  const away = await reportApp()
  const answer = await away.deps.request('/metrics')
  expect(answer.headers.get('Content-Type')).toContain('version=0.0.4')
  const text = await answer.text()
  expect(text).toContain('lancache_history_available 0')
  expect(text).toMatch(/lancache_cache_capacity_bytes \d{6}/)
  expect(text).not.toContain('lancache_downloads_total')
})

describe('the key', () => {
  const security = (enabled: boolean | null) =>
    app.send('POST', '/api/metrics/security', 'user', { enabled })

  test('is needed once that is switched on; a session does not replace it', async () => {
    expect((await get()).status).toBe(200)
    expect(await (await security(true)).json()).toEqual({
      requiresAuthentication: true,
      source: 'ui',
      canToggle: true,
      envVarValue: false,
    })
    const refused = await app.send('GET', '/metrics', 'admin')
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('X-Api-Key'),
    ])
    expect((await get({ 'X-Api-Key': 'wrong' })).status).toBe(403)
    const { key } = app.deps
    expect((await get({ 'X-Api-Key': key })).status).toBe(200)
    expect((await get({ Authorization: `Bearer ${key}` })).status).toBe(200)
  })

  test('is limited to ten wrong ones a minute', async () => {
    await security(true)
    const statuses = []
    for (let attempt = 0; attempt < 11; attempt++)
      statuses.push((await get({ 'X-Api-Key': 'wrong' })).status)
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429])
  })

  test('follows the configuration again with null, and says so to listeners', async () => {
    const seen: unknown[] = []
    const publish = app.deps.hub.publish.bind(app.deps.hub)
    app.deps.hub.publish = (event, data) => void seen.push([event, data])
    await security(true)
    const answer = await (await security(null)).json()
    app.deps.hub.publish = publish
    expect(answer).toMatchObject({ requiresAuthentication: false, source: 'config' })
    expect(seen.at(-1)).toEqual(['MetricsSecurityUpdated', answer])
    expect(await app.read('/api/metrics/security', 'user')).toEqual(answer)
  })

  test('is needed by configuration, unless the dashboard says otherwise', async () => {
    const other = await reportApp({ environment: { Security__RequireAuthForMetrics: 'true' } })
    expect((await other.deps.request('/metrics')).status).toBe(401)
    expect(await other.read('/api/metrics/security', 'user')).toMatchObject({
      source: 'config',
      envVarValue: true,
    })
    await other.send('POST', '/api/metrics/security', 'user', { enabled: false })
    expect((await other.deps.request('/metrics')).status).toBe(200)
  })
})

describe('settings', () => {
  test.each([
    ['game-limit', 'gameLimit', [1, 500], [0, 501, 1.5, 'x']],
    ['interval', 'interval', [5, 60], [4, 61, 5.5, null]],
  ])('%s', async (path, member, good, bad) => {
    for (const value of good) {
      const answer = await app.send('POST', `/api/metrics/${path}`, 'user', { [member]: value })
      expect(await answer.json()).toEqual({ [member]: value })
      expect(await app.read(`/api/metrics/${path}`, 'user')).toEqual({ [member]: value })
    }
    for (const value of bad) {
      const answer = await app.send('POST', `/api/metrics/${path}`, 'user', { [member]: value })
      expect(answer.status).toBe(400)
    }
  })
})
