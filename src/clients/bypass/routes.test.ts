import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { testApp } from '../../../test/support/app.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { serveLocally } from '../../../test/support/stand-ins/serve-locally.ts'
import type { Bypass, QueryLogView } from './model.ts'

const day = 86_400_000
const path = '/api/ext/clients/bypass'
let asked = 0
const dns = serveLocally((request) => {
  asked++
  if (request.headers.get('authorization') === null) return new Response('', { status: 401 })
  const answer = [{ type: 'A', value: '203.0.113.7', ttl: 1 }]
  const time = new Date().toISOString()
  const question = { name: 'lancache.steamcontent.com', type: 'A', class: 'IN' }
  return Response.json({ data: [{ answer, client: '10.0.0.7', question, time }] })
})

async function used(client: string, from: number, to: number) {
  const moments = Array.from({ length: from - to + 1 }, (_, at) => Date.now() - (from - at) * day)
  for (const at of moments.map((ms) => new Date(ms))) {
    await sql`
      INSERT INTO traffic_day (bucket_at, datasource, service, client, title_key, is_prefill,
        hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
      VALUES (date_trunc('day', ${at}::timestamptz, 'UTC'), 'default', 'steam', ${client}, '',
        false, 1000, 0, 1, 1, ${at}, ${at})`
  }
}

const history = await freshHistory()
const sql = openTestClient(history.connection())
await used('10.0.0.1', 40, 9)
await used('10.0.0.2', 40, 12)
await used('10.0.0.9', 40, 0)
const app = await testApp({ history })
const [user, admin] = [await signInAs(app, 'user'), await signInAs(app, 'admin')]
app.settings.set('statusCheck.lastResult', {
  expectedCacheIps: ['10.0.0.250'],
  services: [
    {
      service: 'steam',
      status: 'resolved',
      domains: [
        {
          originalEntry: 'lancache.steamcontent.com',
          status: 'resolved',
          resolvedIps: ['10.0.0.250'],
          heartbeatVerified: true,
        },
      ],
    },
  ],
})
afterAll(() => dns.stop())

async function list(): Promise<Static<typeof Bypass>> {
  const response = await user.get(path)
  expect(response.status).toBe(200)
  // Form given by the contract.
  return (await response.json()) as Static<typeof Bypass>
}
const dismiss = (ip: string, isDismissed: boolean) =>
  user.put(`/api/ext/clients/${ip}/bypass`, { isDismissed })

test('silent clients are suspects for accounts, until somebody dismisses them', async () => {
  const { items, problem } = await list()
  expect(problem).toBeNull()
  expect(items.map(({ clientIp }) => clientIp)).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(items[0]).toMatchObject({
    isSilent: true,
    services: ['steam'],
    proof: null,
    hint: 'ownDns',
    isDismissed: false,
  })
  expect((await dismiss('10.0.0.1', true)).status).toBe(200)
  expect((await list()).items.map(({ isDismissed }) => isDismissed)).toEqual([true, false])
  expect((await dismiss('10.0.0.1', false)).status).toBe(200)
  expect((await list()).items[0]?.isDismissed).toBe(false)
  expect((await dismiss('10.0.0.9', true)).status).toBe(404)
  expect((await dismiss('nobody', true)).status).toBe(400)
})

test('clients that are not counted are no suspects', async () => {
  await user.put('/api/stats/exclusions', { rules: [{ ip: '10.0.0.2', mode: 'exclude' }] })
  expect((await list()).items.map(({ clientIp }) => clientIp)).toEqual(['10.0.0.1'])
  await user.put('/api/stats/exclusions', { rules: [] })
})

test('the query log gives proof, and its password is sealed and never shown', async () => {
  const place = '/api/ext/clients/query-log'
  const body = { kind: 'adguard', url: `${dns.url}/`, user: 'larder', password: 'secret_word' }
  const set = await admin.put(place, body)
  expect(set.status).toBe(200)
  const view = (await set.json()) as QueryLogView
  expect(view).toEqual({ kind: 'adguard', url: dns.url, user: 'larder', hasPassword: true })
  expect(await (await admin.get(place)).json()).toEqual(view)
  const { items, problem } = await list()
  expect(problem).toBeNull()
  expect(items[0]).toMatchObject({
    clientIp: '10.0.0.7',
    isSilent: false,
    lastSeenUtc: null,
    proof: { kind: 'address', address: '203.0.113.7', host: 'lancache.steamcontent.com' },
  })
  // Pages that are open do not ask the DNS server again and again.
  await Promise.all([list(), list()])
  expect(asked).toBe(1)
  const written = readFileSync(join(app.config.dataPath, 'state.sqlite'), 'latin1')
  expect(written).not.toContain('secret_word')
})

test('another server or user does not receive the password; without one nothing is asked', async () => {
  const place = '/api/ext/clients/query-log'
  const put = async (body: object) => (await (await admin.put(place, body)).json()) as QueryLogView
  const kept = { kind: 'adguard', url: dns.url, user: 'larder' }
  expect((await put(kept)).hasPassword).toBe(true)
  expect((await put({ ...kept, user: 'other' })).hasPassword).toBe(false)
  expect((await list()).problem).toBeNull()
  await put({ ...kept, url: 'http://127.0.0.1:1' })
  expect((await list()).problem).toContain('cannot be reached')
  for (const url of ['ftp://10.0.0.1', 'http://a:b@10.0.0.1', 'nonsense', 'http://10.0.0.1/?a']) {
    expect((await admin.put(place, { ...kept, url })).status).toBe(400)
  }
  asked = 0
  expect(await put({ kind: null, url: '' })).toEqual({
    kind: null,
    url: '',
    user: '',
    hasPassword: false,
  })
  expect((await list()).items.some(({ proof }) => proof !== null)).toBe(false)
  expect(asked).toBe(0)
})
