import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SpeedSnapshot } from '../../src/engines/logs/wire.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { logLine } from '../support/log-lines.ts'
import { DnsServer } from '../support/dns-server.ts'
import { Larder } from './larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('party')
let larder: Larder
let dns: DnsServer
let owner: Visitor

beforeAll(async () => {
  dns = await DnsServer.start()
  dns.name('10.7.0.5', 'gaming-pc.lan')
  larder = await Larder.startIn(root, { Dns__Servers: dns.address, Dns__OnlyServers: 'true' })
  owner = await larder.firstSignIn()
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
})
afterAll(async () => {
  expect(await larder.stop()).toBe(0)
  dns.stop()
})

/** A current request, as logged by the proxy. */
function fetched(client: string, depot: number, bytes: number): void {
  const at = Math.floor(Date.now() / 1000)
  const path = `/depot/${depot}/chunk/${'ab'.repeat(20)}`
  appendFileSync(join(root, 'logs', 'access.log'), logLine({ at, client, path, bytes }))
}

interface Row {
  id: number
  clientIp: string
  displayName: string | null
}

test('a party: downloads join their event, a hidden client is not shown, names appear', async () => {
  const rules = [{ ip: '10.7.0.9', mode: 'hide' }]
  await owner.write('PUT', '/api/stats/exclusions', { rules })
  await owner.write('POST', '/api/clients/hostnames/enabled', { enabled: true })
  const seats = { nickname: 'Row 1', initialIps: ['10.7.0.6', '10.7.0.7'] }
  await owner.write('POST', '/api/client-groups', seats)
  const now = Math.floor(Date.now() / 1000)
  const party = { name: 'Party', startTime: now - 60, endTime: now + 3600 }
  await owner.write('POST', '/api/events', party)
  const [event] = await owner.read<{ id: number }[]>('/api/events/active')

  for (const seat of [5, 6, 7, 9]) fetched(`10.7.0.${seat}`, 228_990 + seat, 1_000_000 * seat)
  const speeds = () => owner.read<SpeedSnapshot>('/api/Speeds/current')
  await eventually(async () => (await speeds()).clientSpeeds.length === 3, 'three clients are live')
  const live = await speeds()
  expect(live.clientSpeeds.map(({ clientIp }) => clientIp)).not.toContain('10.7.0.9')

  const tagged = () => owner.read<Row[]>(`/api/events/${event?.id}/downloads?taggedOnly=true`)
  await eventually(async () => (await tagged()).length === 3, 'three downloads are tagged')
  const ips = (await tagged()).map(({ clientIp }) => clientIp).sort()
  expect(ips).toEqual(['10.7.0.5', '10.7.0.6', '10.7.0.7'])
  const report = `/api/stats/dashboard?eventId=${event?.id}`
  const { period } = await owner.read<{ period: { totalServed: number } }>(report)
  expect(period.totalServed).toBe(18_000_000)

  // A tag removed by hand stays removed, although the event continues and rows keep arriving.
  const [first] = await tagged()
  await owner.write('DELETE', `/api/events/${event?.id}/downloads/${first?.id}`)
  fetched('10.7.0.8', 228_998, 1_000_000)
  await eventually(
    async () => (await tagged()).some((row) => row.clientIp === '10.7.0.8'),
    'tagged',
  )
  expect((await tagged()).map(({ id }) => id)).not.toContain(first?.id ?? 0)

  const clients = () => owner.read<Row[]>('/api/stats/clients')
  await eventually(
    async () => (await clients()).some((row) => row.displayName === 'gaming-pc'),
    'named',
  )
  expect((await clients()).map(({ clientIp, displayName }) => [clientIp, displayName])).toEqual([
    ['10.7.0.6', 'Row 1'],
    ['10.7.0.5', 'gaming-pc'],
    ['10.7.0.8', null],
  ])
})
