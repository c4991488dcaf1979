import { expect, test } from 'bun:test'
import { practiceOrigin } from '../../../../test/support/practice-origin.ts'
import { testServer } from '../../../../test/support/test-server.ts'
import { verifiedCache } from './cache-address.ts'

const cache = practiceOrigin()
const other = testServer(() => new Response('hello'))
const near = { allowsPublic: false }

test('a configured cache is used when it answers with its heartbeat', async () => {
  const found = await verifiedCache({ host: 'localhost', port: cache.port }, near)
  expect(found).toEqual({ host: '127.0.0.1', port: cache.port })
})

test.each([
  [{ host: '127.0.0.1', port: other.port }, 'no cache answers with its heartbeat at 127.0.0.1:'],
  [{ host: 'no-such-host.invalid', port: 80 }, 'no-such-host.invalid has no address'],
  [{ host: '192.0.2.1', port: 80 }, '192.0.2.1 is a public address'],
])('%p is refused', async (address, reason) => {
  const error = await verifiedCache(address, near).catch(String)
  expect(error).toContain(`LANCACHE_IP: `)
  expect(error).toContain(reason)
})
