import { expect, test } from 'bun:test'
import { gameFiles, gammaStandIn } from '../../../../test/support/stand-ins/gamma.ts'
import { atEnd } from '../../../../test/support/cleanup.ts'
import { testDaemon } from '../../../../test/support/test-daemon.ts'

async function fixture(product = 'd3') {
  const standIn = gammaStandIn(product)
  atEnd(standIn.stop)
  standIn.publish('1.0', gameFiles(40))
  const environment = { Gamma__VersionsBaseUrl: standIn.patchBaseUrl }
  const { client } = await testDaemon({ cachePort: standIn.port, environment })
  return { standIn, client }
}

test('lists all products; only known ones can be prefilled', async () => {
  const { client } = await fixture()
  const { data } = await client.ask('get-owned-games')
  expect(data).toHaveLength(31)
  expect(data).toContainEqual(expect.objectContaining({ appId: 'fenris', name: 'Diablo IV' }))
  await client.ask('prefill', { products: '["nothing"]' })
  expect(await client.ended()).toMatchObject({ failedApps: 1 })
  const failed = client.progress().find(({ result }) => result === 'Failed')
  expect(failed?.errorMessage).toBe('there is no product "nothing"')
})

test('sizes before the run are those of the run', async () => {
  const { client } = await fixture()
  await client.ask('set-selected-apps', { appIds: '["d3"]' })
  const { data } = await client.ask('get-selected-apps-status')
  const { totalDownloadSize } = data as { totalDownloadSize: number }
  expect(totalDownloadSize).toBeGreaterThan(100_000)
  await client.ask('prefill')
  await client.ended()
  const done = client.progress().find(({ result }) => result === 'Success')
  // Files whose size nobody announces count when they have come.
  expect((done?.totalBytes ?? 0) - totalDownloadSize).toBeLessThan(5000)
  const after = await client.ask('get-selected-apps-status')
  expect(after.data).toMatchObject({ apps: [{ appId: 'd3', isUpToDate: true }] })
})

test('requests name their content host and no agent, and go on at the next host', async () => {
  const { client, standIn } = await fixture()
  const agents = new Set<string | null>()
  standIn.intercept((request) => {
    agents.add(request.headers.get('user-agent'))
    const isDown = request.headers.get('host') === 'level3.blizzard.com'
    return isDown ? new Response('down', { status: 503 }) : undefined
  })
  await client.ask('prefill', { products: '["d3"]' })
  expect(await client.ended()).toMatchObject({ state: 'completed', updatedApps: 1 })
  const hosts = new Set(standIn.requests.map(({ host }) => host))
  expect(hosts).toEqual(new Set(['level3.blizzard.com', 'cdn.blizzard.com']))
  expect(agents).toEqual(new Set([null]))
})

test('the client can do without some files, but not without those of the game', async () => {
  const { client, standIn } = await fixture()
  const missing = (pattern: RegExp) =>
    standIn.intercept((request) =>
      pattern.test(new URL(request.url).pathname) ? new Response('', { status: 404 }) : undefined,
    )
  missing(/\/patch\//)
  await client.ask('prefill', { products: '["d3"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0 })
  const archive = [...standIn.expected()].find(([, ranges]) => (ranges?.length ?? 0) > 1)?.[0]
  missing(new RegExp(`${archive}$`))
  await client.ask('prefill', { products: '["d3"]', force: 'true' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 0, failedApps: 1 })
})

test('damaged content fails the product with its reason', async () => {
  const { client, standIn } = await fixture()
  standIn.intercept((request) =>
    request.url.endsWith('.index') ? new Response('not an index') : undefined,
  )
  await client.ask('prefill', { products: '["d3"]' })
  expect(await client.ended()).toMatchObject({ state: 'completed', failedApps: 1 })
  const failed = client.progress().find(({ result }) => result === 'Failed')
  expect(failed?.errorMessage).toBe('an index has no footer of version 1')
})

test('a cancel while indexes are read ends the run at once', async () => {
  const { client, standIn } = await fixture()
  standIn.intercept((request) =>
    request.url.endsWith('.index') ? new Promise<Response>(() => {}) : undefined,
  )
  await client.ask('prefill', { products: '["d3"]' })
  const answer = await client.ask('cancel-prefill')
  expect(answer.message).toBe('Prefill cancelled')
  expect(client.terminals()).toMatchObject([{ state: 'cancelled' }])
})
