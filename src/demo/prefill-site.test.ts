import { expect, test } from 'bun:test'
import { atEnd } from '../../test/support/cleanup.ts'
import { testDaemon } from '../../test/support/test-daemon.ts'
import type { LoggedRequest } from './log-formats.ts'
import { servePrefill } from './prefill-site.ts'

async function fixture(platform: 'gamma' | 'delta') {
  const logged: LoggedRequest[] = []
  const site = servePrefill((request) => logged.push(request), 0)
  atEnd(async () => void (await site.stop()))
  const cachePort = Number(site.environment.Prefill__LancacheIp.split(':')[1])
  const { client } = await testDaemon({ platform, cachePort, environment: site.environment })
  return { client, logged, url: site.environment.Gamma__VersionsBaseUrl }
}

test.each([
  ['gamma', ['fenris', 'pro', 'wow'], 'd3', 'level3.blizzard.com'],
  ['delta', ['valorant', 'league_of_legends'], 'bacon', 'valorant.dyn.riotcdn.net'],
] as const)('prefills games of %s; other games fail', async (...row) => {
  const [platform, products, other, host] = row
  const { client, logged, url } = await fixture(platform)
  await client.ask('prefill', { products: JSON.stringify(products) })
  const first = await client.ended(1)
  expect(first).toMatchObject({ state: 'completed', updatedApps: products.length, hitBytes: 0 })
  const bytes = logged.reduce((sum, request) => sum + request.bytes, 0)
  expect(bytes).toBeGreaterThan(5_000_000)
  const prefilled = logged.find((request) => request.host === host)
  expect(prefilled).toMatchObject({ status: 200, cacheStatus: 'MISS', client: '127.0.0.1' })
  const again = await fetch(`${url}${prefilled?.target}`, { headers: { host } })
  expect(again.headers.get('x-upstream-cache-status')).toBe('HIT')
  await client.ask('prefill', { products: JSON.stringify(products) })
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: products.length })
  await client.ask('prefill', { products: JSON.stringify([other]) })
  expect(await client.ended(3)).toMatchObject({ failedApps: 1 })
})
