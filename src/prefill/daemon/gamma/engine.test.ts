import { describe, expect, test } from 'bun:test'
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
  missing(/\/(patch|configs)\//)
  await client.ask('prefill', { products: '["d3"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0 })
  const archive = [...standIn.expected()].find(([, ranges]) => (ranges?.length ?? 0) > 1)?.[0]
  missing(new RegExp(`${archive}$`))
  await client.ask('prefill', { products: '["d3"]', force: 'true' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 0, failedApps: 1 })
})

describe.each([
  ['a config', /\/config\//, 'another MD5 than expected'],
  ['a manifest', /\/data\/.*[0-9a-f]$/, 'a BLTE file has another key'],
  ['an index', /\.index$/, 'an index has no footer of version 1'],
])('%s that is damaged', (_what, pattern, reason) => {
  /** The right file with one bit of its beginning or, of an index, its end changed. */
  const damage = (file: Buffer | undefined) => {
    const bytes = new Uint8Array(file ?? [])
    const at = reason.startsWith('an index') ? bytes.length - 20 : 20
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return new Response(bytes)
  }

  test('in the cache is requested past it', async () => {
    const { client, standIn } = await fixture()
    const repeated: string[] = []
    let damaged = ''
    standIn.intercept((request) => {
      const { pathname, search } = new URL(request.url)
      if (search !== '') repeated.push(pathname)
      else if (damaged === '' && pattern.test(pathname)) damaged = pathname
      return search === '' && pathname === damaged ? damage(standIn.file(pathname)) : undefined
    })
    await client.ask('prefill', { products: '["d3"]' })
    expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 0 })
    expect(repeated).toEqual([damaged])
  })

  test('everywhere fails the product with its reason, and no version is recorded', async () => {
    const { client, standIn } = await fixture()
    standIn.intercept((request) => {
      const { pathname } = new URL(request.url)
      return pattern.test(pathname) ? damage(standIn.file(pathname)) : undefined
    })
    await client.ask('prefill', { products: '["d3"]' })
    expect(await client.ended()).toMatchObject({ state: 'completed', failedApps: 1 })
    const failed = client.progress().find(({ result }) => result === 'Failed')
    expect(failed?.errorMessage).toContain(reason)
    await client.ask('set-selected-apps', { appIds: '["d3"]' })
    standIn.intercept(() => undefined)
    const { data } = await client.ask('get-selected-apps-status')
    expect(data).toMatchObject({ apps: [{ appId: 'd3', isUpToDate: false }] })
  })
})

test('every file once, among them all of the virtual file system, and of patches only indexes', async () => {
  const { client, standIn } = await fixture()
  await client.ask('prefill', { products: '["d3"]' })
  await client.ended()
  const requested = standIn.requests.map(({ path, range }) => `${path} ${range}`)
  expect(requested.toSorted()).toEqual([...new Set(requested)].toSorted())
  const paths = new Set(standIn.requests.map(({ path }) => path))
  expect(paths).toEqual(new Set(standIn.expected().keys()))
  const wholes = standIn.requests.filter(({ range }) => range === '').map(({ path }) => path)
  const build = wholes.find((path) => standIn.file(path)?.toString().startsWith('# Build'))
  const config = standIn.file(build ?? '')?.toString() ?? ''
  const vfs = [...config.matchAll(/^vfs-\S+ = \S+ ([0-9a-f]{32})$/gm)].map(([, key]) => key)
  expect(vfs).toHaveLength(6)
  for (const key of vfs) expect(wholes.filter((path) => path.endsWith(`${key}`))).toHaveLength(1)
  const ofPatches = [...paths].filter((path) => path.includes('/patch/'))
  expect(ofPatches.length).toBeGreaterThan(0)
  expect(ofPatches.filter((path) => !path.endsWith('.index'))).toEqual([])
})

test('without files that are installed outright the encoding file is requested but not read', async () => {
  const { client, standIn } = await fixture()
  const files = gameFiles(40).map((file) => ({ ...file, kind: 'wanted' as const }))
  standIn.publish('1.1', files)
  const encoding = standIn.encodingPath()
  standIn.intercept((request) => {
    if (new URL(request.url).pathname !== encoding) return undefined
    return new Response(new Uint8Array(standIn.file(encoding)?.length ?? 0))
  })
  await client.ask('prefill', { products: '["d3"]' })
  expect(await client.ended()).toMatchObject({ updatedApps: 1 })
  expect(standIn.requests.filter(({ path }) => path === encoding)).toHaveLength(1)
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
