import { expect, test } from 'bun:test'
import type { ClientStats } from '../../api/wire.ts'
import { orderClients } from './order.ts'

const client = (clientIp: string, totalBytes: number): ClientStats => ({
  clientIp,
  displayName: null,
  isGrouped: false,
  groupMemberIps: null,
  totalCacheHitBytes: 0,
  totalCacheMissBytes: 0,
  totalBytes,
  cacheHitPercent: 0,
  totalDownloads: 0,
  averageBytesPerSecond: 0,
  lastActivityUtc: '2026-11-21T00:00:00Z',
})
const clients = [client('10.0.0.1', 5), client('10.0.0.2', 9), client('10.0.0.3', 7)]
const ips = (sort: string, search = '') =>
  orderClients(clients, sort, search, ({ clientIp }) =>
    clientIp === '10.0.0.3' ? 'Attic' : clientIp,
  ).map(({ clientIp }) => clientIp.at(-1))

test('orders and finds', () => {
  expect(ips('largest')).toEqual(['2', '3', '1'])
  expect(ips('smallest')).toEqual(['1', '3', '2'])
  expect(ips('nonsense')).toEqual(['2', '3', '1'])
  expect(ips('largest', 'attic')).toEqual(['3'])
  expect(ips('largest', '0.2')).toEqual(['2'])
  expect(clients[0]?.clientIp).toBe('10.0.0.1')
})
