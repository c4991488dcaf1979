import { expect, test } from 'bun:test'
import { atEnd } from '../../test/support/cleanup.ts'
import { logIn } from '../../test/support/beta-daemon.ts'
import { logIn as logInToXbox } from '../../test/support/epsilon-daemon.ts'
import { testDaemon } from '../../test/support/test-daemon.ts'
import type { LoggedRequest } from './log-formats.ts'
import { serveOutside } from './outside.ts'
import { servePrefill } from './prefill-site.ts'

async function fixture(
  platform: 'gamma' | 'delta' | 'epsilon',
  further: Record<string, string> = {},
) {
  const logged: LoggedRequest[] = []
  const site = servePrefill((request) => logged.push(request), { delayMs: 0 })
  atEnd(async () => void (await site.stop()))
  const cachePort = Number(site.environment.Prefill__LancacheIp.split(':')[1])
  const environment = { ...site.environment, ...further }
  const { client } = await testDaemon({ platform, cachePort, environment })
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

test('prefills the games of the demo’s account at Epic Games', async () => {
  const outside = serveOutside()
  atEnd(async () => void (await outside.stop()))
  const logged: LoggedRequest[] = []
  const betaUrl = outside.environment.Beta__LauncherBaseUrl
  const site = servePrefill((request) => logged.push(request), { betaUrl, delayMs: 0 })
  atEnd(async () => void (await site.stop()))
  const cachePort = Number(site.environment.Prefill__LancacheIp.split(':')[1])
  const { client } = await testDaemon({
    platform: 'beta',
    cachePort,
    environment: outside.environment,
  })
  await logIn(client, 'right-code')
  await client.ask('prefill', { all: 'true' })
  expect(await client.ended(1)).toMatchObject({ state: 'completed', updatedApps: 2, hitBytes: 0 })
  expect(logged.length).toBeGreaterThan(600)
  expect(logged[0]).toMatchObject({ status: 200, tag: 'epicgames', cacheStatus: 'MISS' })
})

test('prefills the games of the Xbox account', async () => {
  const outside = serveOutside()
  atEnd(async () => void (await outside.stop()))
  const { client, logged } = await fixture('epsilon', outside.environment)
  expect(await logInToXbox(client)).toMatchObject({
    state: 'logged-in',
    displayName: 'Demo player',
  })
  await client.ask('prefill', { all: 'true' })
  const bytes = 2 * 40 * 1024 * 1024
  expect(await client.ended()).toMatchObject({ updatedApps: 2, missBytes: bytes })
  expect(logged).toHaveLength(80)
  expect(logged[0]).toMatchObject({ tag: 'xboxlive', host: 'assets1.xboxlive.com', status: 206 })
})
