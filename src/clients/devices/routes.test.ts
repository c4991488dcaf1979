import { afterAll, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { DnsServer } from '../../../test/support/dns-server.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { publishedBy } from '../../../test/support/published-by.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import type { ClientDevice } from './model.ts'
import { devicesMax } from './service.ts'
import { writeKind } from './store.ts'

const path = '/api/ext/clients/devices'
const day = 86_400_000

async function used(client: string, service: string, at = Date.now(), isPrefill = false) {
  await sql`
    INSERT INTO traffic_day (bucket_at, datasource, service, client, title_key, is_prefill,
      hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
    VALUES (date_trunc('day', ${new Date(at)}::timestamptz), 'default', ${service}, ${client}, '',
      ${isPrefill}, 1000, 0, 1, 1, ${new Date(at)}, ${new Date(at)})`
}

const dns = await DnsServer.start()
dns.name('10.0.0.3', 'pauls-iphone.lan')
const history = await freshHistory()
const sql = openTestClient(history.connection())
await used('10.0.0.1', 'xboxlive')
await used('10.0.0.2', 'xboxlive')
await used('10.0.0.2', 'steam')
await used('10.0.0.3', 'steam')
await used('10.0.0.4', 'example.org')
// Prefill and last year say nothing about a client.
await used('10.0.0.4', 'steam', Date.now(), true)
await used('10.0.0.4', 'sony', Date.now() - 400 * day)
const environment = { Dns__Servers: dns.address, Dns__OnlyServers: 'true' }
const app = await testApp({ history, environment })
const user = await signInAs(app, 'user')
const events = publishedBy(app.hub)
afterAll(() => dns.stop())

async function kinds(): Promise<Record<string, string>> {
  const response = await user.get(path)
  expect(response.status).toBe(200)
  // Form given by the contract.
  const devices = (await response.json()) as ClientDevice[]
  return Object.fromEntries(
    devices.map(({ clientIp, kind, basis }) => [clientIp, `${kind} ${basis}`]),
  )
}
const choose = (ip: string, kind: unknown) =>
  user.put(`/api/ext/clients/${encodeURIComponent(ip)}/device`, { kind })

test('the choice precedes names, and names precede services', async () => {
  const byServices = {
    '10.0.0.1': 'console services',
    '10.0.0.2': 'computer services',
    '10.0.0.3': 'computer services',
  }
  expect(await kinds()).toEqual(byServices)
  await user.post('/api/clients/hostnames/enabled', { enabled: true })
  await user.get('/api/clients/hostnames')
  const named = { ...byServices, '10.0.0.3': 'phone name' }
  await eventually(async () => (await kinds())['10.0.0.3'] === 'phone name', 'the name is known')
  await user.post('/api/client-groups', { nickname: 'Den TV', initialIps: ['10.0.0.4'] })
  await user.post('/api/client-groups', {
    nickname: 'Laptops',
    initialIps: ['10.0.0.1', '10.0.0.2'],
  })
  expect(await kinds()).toEqual({ ...named, '10.0.0.4': 'tv name' })
  events.length = 0
  expect((await choose('::ffff:10.0.0.3', 'server')).status).toBe(200)
  expect((await choose('10.0.0.3', 'handheld')).status).toBe(200)
  expect(events.map(({ event }) => event)).toEqual(['ClientDevicesChanged', 'ClientDevicesChanged'])
  expect((await kinds())['10.0.0.3']).toBe('handheld chosen')
  expect((await choose('10.0.0.3', null)).status).toBe(200)
  expect(await kinds()).toEqual({ ...named, '10.0.0.4': 'tv name' })
})

test('hidden clients are in no answer', async () => {
  await user.put('/api/stats/exclusions', { rules: [{ ip: '10.0.0.1', mode: 'hide' }] })
  expect(Object.keys(await kinds())).not.toContain('10.0.0.1')
  await user.put('/api/stats/exclusions', { rules: [] })
})

test('refuses unknown kinds, names and more choices than clients are listed', async () => {
  expect((await choose('10.0.0.3', 'toaster')).status).toBe(400)
  expect((await choose('sofa-pc', 'tv')).status).toBe(400)
  for (let index = 0; index < devicesMax; index += 1) {
    writeKind(app.state, `10.1.${index >> 8}.${index & 255}`, 'tv')
  }
  expect((await choose('10.0.0.3', 'tv')).status).toBe(409)
  expect((await choose('10.1.0.0', 'server')).status).toBe(200)
})
