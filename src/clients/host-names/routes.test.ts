import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { DnsServer } from '../../../test/support/dns-server.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { type Browser, signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import type { ClientStats } from '../../downloads/stats/model.ts'
import { bodyOf as json } from '../../../test/support/answers.ts'

const path = '/api/clients/hostnames'

const dns = await DnsServer.start()
const history = await freshHistory()
const sql = openTestClient(history.connection())
// Most recently active first.
for (const [minutes, client] of ['10.0.0.5', 'fd00::6', '8.8.8.8', '10.0.0.7'].entries()) {
  const at = 1_790_000_000 - minutes * 60
  await sql`
    INSERT INTO traffic_day (bucket_at, datasource, service, client, title_key, is_prefill,
      hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
    VALUES (date_trunc('day', to_timestamp(${at})), 'default', 'steam', ${client}, '', false,
      ${1000 - minutes}, 0, 1, 1, to_timestamp(${at}), to_timestamp(${at + 10}))`
}
const environment = { Dns__Servers: dns.address, Dns__OnlyServers: 'true' }
const app = await testApp({ history, environment })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)
dns.name('10.0.0.5', 'gaming-pc.home.lan')
dns.name('fd00::6', 'laptop.lan')
dns.set('A', 'box.lan', [{ type: 'A', name: 'box.lan', ttl: 60, data: '10.0.0.7' }])
afterAll(() => dns.stop())
beforeEach(() => user.post(`${path}/enabled`, { enabled: false, showToGuests: false }))

const switchOn = async (showToGuests?: boolean) =>
  json(await user.post(`${path}/enabled`, { enabled: true, showToGuests }))
const off = { enabled: false, hostnames: {}, reason: 'none' }
const all = {
  enabled: true,
  hostnames: { '10.0.0.5': 'gaming-pc.home.lan', 'fd00::6': 'laptop.lan' },
  reason: 'someUnnamed',
}

const switches = '/api/ext/clients/hostnames/enabled'

test('names are off until switched on', async () => {
  const asked = dns.asked.length
  expect(await json(await user.get(path))).toEqual(off)
  expect(dns.asked).toHaveLength(asked)
  expect(await switchOn()).toEqual({ enabled: true, showToGuests: false })
  expect(await json(await user.get(switches))).toEqual({ enabled: true, showToGuests: false })
  expect(await json(await user.get(path))).toEqual(all)
  expect(dns.asked.filter((question) => question.includes('8.8.8.8'))).toEqual([])
})

test('guests see them when allowed', async () => {
  await switchOn()
  expect(await json(await guest.get(path))).toEqual(off)
  expect(await switchOn(true)).toEqual({ enabled: true, showToGuests: true })
  expect(await json(await guest.get(path))).toEqual(all)
  // Switching on again without a value for guests leaves it unchanged.
  expect(await switchOn()).toEqual({ enabled: true, showToGuests: true })
})

test('hidden and excluded clients are not looked up', async () => {
  await switchOn()
  const rules = [
    { ip: '10.0.0.5', mode: 'hide' },
    { ip: '10.0.0.7', mode: 'exclude' },
  ]
  await user.put('/api/stats/exclusions', { rules })
  expect(await json(await user.get(path))).toEqual({
    enabled: true,
    hostnames: { 'fd00::6': 'laptop.lan' },
    reason: 'none',
  })
  await user.put('/api/stats/exclusions', { rules: [] })
})

test('clients show the first label of their name; a nickname wins', async () => {
  const display = async (browser: Browser, url: string, pick = (body: unknown) => body) => {
    const rows = pick(await json(await browser.get(url))) as ClientStats[]
    return rows.map(({ clientIp, displayName }): [string, string | null] => [clientIp, displayName])
  }
  const clients = (body: unknown) => (body as { clients: { items: unknown } }).clients.items
  await switchOn()
  await user.get(path)
  const created = await user.post('/api/client-groups', { nickname: 'TV', initialIps: ['fd00::6'] })
  const { id } = await json<{ id: number }>(created)
  const named: [string, string | null][] = [
    ['10.0.0.5', 'gaming-pc'],
    ['fd00::6', 'TV'],
    ['8.8.8.8', null],
    ['10.0.0.7', null],
  ]
  expect(await display(user, '/api/stats/clients')).toEqual(named)
  expect(await display(user, '/api/dashboard/batch', clients)).toEqual(named)
  const forGuests = named.map(([ip, name]): [string, string | null] => [
    ip,
    ip === '10.0.0.5' ? null : name,
  ])
  expect(await display(guest, '/api/dashboard/batch', clients)).toEqual(forGuests)
  await user.post(`${path}/enabled`, { enabled: false })
  expect(await display(user, '/api/stats/clients')).toEqual(forGuests)
  await user.delete(`/api/client-groups/${id}`)
})

describe('addresses of a name', () => {
  test('are looked up for account holders, whether or not names are shown', async () => {
    expect(await json(await user.post(`${path}/resolve`, { hostname: ' box.lan. ' }))).toEqual({
      hostname: 'box.lan',
      addresses: ['10.0.0.7'],
      reason: 'none',
    })
    expect(await json(await user.post(`${path}/resolve`, { hostname: 'nobody.lan' }))).toEqual({
      hostname: 'nobody.lan',
      addresses: [],
      reason: 'noRecords',
    })
  })

  test.each([
    [{ hostname: '' }],
    [{ hostname: null }],
    [{}],
    [{ hostname: 'my pc' }],
    [{ hostname: '10.0.0.5' }],
    [{ hostname: 'a'.repeat(64) }],
    [{ hostname: 'a.'.repeat(127) + 'a' }],
    [{ hostname: 5 }],
  ])('%j is refused', async (body) => {
    expect((await user.post(`${path}/resolve`, body)).status).toBe(400)
  })
})

test.each([
  [{}],
  [{ enabled: 'perhaps' }],
  [{ enabled: null }],
  [{ enabled: true, showToGuests: 5 }],
])('switching with %j is refused', async (body) => {
  expect((await user.post(`${path}/enabled`, body)).status).toBe(400)
  expect(await json(await user.get(path))).toEqual(off)
})

test('while the history is away there are no clients to name', async () => {
  const alone = await testApp({ environment: { Dns__OnlyServers: 'true' } })
  const browser = await signInAs(alone, 'user')
  await browser.post(`${path}/enabled`, { enabled: true })
  expect(await json(await browser.get(path))).toEqual({
    enabled: true,
    hostnames: {},
    reason: 'noClients',
  })
  await alone.stop()
})
