import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  deltaStandIn,
  encodeManifest,
  gameRelease,
  practiceRelease,
} from '../../../../test/support/stand-ins/delta.ts'
import { atEnd } from '../../../../test/support/cleanup.ts'
import { testDaemon } from '../../../../test/support/test-daemon.ts'
import { endureMutations, mutated } from '../../../../test/support/mutations.ts'
import { seededRandom } from '../../../demo/random.ts'
import { FormatError } from '../content/format-error.ts'
import { createStore } from '../store.ts'
import { readManifest } from './manifest.ts'
import { createOutside } from '../../../core/lib/outside.ts'
import { createDeltaEngine } from './engine.ts'
import { newestOf, patchLineOf } from './patch-lines.ts'

const bundle = (id: string, bytes = 210_000) => ({ id, bytes })

test('bundles of files in the wanted language and of those without one', () => {
  const file = encodeManifest(practiceRelease())
  const [one, two, three, last] = [
    bundle('0000000000000001'),
    bundle('0000000000000002'),
    bundle('0000000000000003'),
    bundle('ABCDEF0123456789'),
  ] as const
  expect(readManifest(file, 'en_us')).toEqual([one, two, last])
  expect(readManifest(file, 'de_de')).toEqual([one, three, last])
  // A language that the game does not have: only files without one.
  expect(readManifest(file, 'fr_fr')).toEqual([one])
})

test('a chunk that several bundles hold is taken from the last one', () => {
  const chunks = [{ id: 5n, bytes: 10 }]
  const release = {
    languages: [],
    bundles: [
      { id: 1n, chunks },
      { id: 2n, chunks },
    ],
    files: [{ chunks: [5n, 5n] }],
  }
  const found = readManifest(encodeManifest(release), 'en_us')
  expect(found).toEqual([bundle('0000000000000002', 10)])
})

test('other files are refused', () => {
  const file = encodeManifest(practiceRelease())
  const altered = (at: number, value: number) => {
    const copy = Buffer.from(file)
    copy[at] = value
    return () => readManifest(copy, 'en_us')
  }
  expect(altered(0, 0)).toThrow('begin with RMAN')
  expect(altered(4, 3)).toThrow('begin with RMAN')
  expect(altered(15, 0xff)).toThrow('malformed')
  expect(altered(27, 0xff)).toThrow('malformed')
  expect(altered(30, 0xff)).toThrow('cannot be decompressed')
  expect(() => readManifest(Buffer.alloc(0), 'en_us')).toThrow(FormatError)
})

test('ten thousand mutated manifests neither crash nor hang the reader', async () => {
  const { zstdCompressSync, zstdDecompressSync } = await import('node:zlib')
  const good = encodeManifest(practiceRelease())
  const body = zstdDecompressSync(good.subarray(28, 28 + good.readUInt32LE(12)))
  const random = seededRandom(11)
  const next = () => {
    const packed = zstdCompressSync(mutated(body, random, [0, 1, 4, 127, 128, 255]))
    const head = Buffer.from(good.subarray(0, 28))
    head.writeUInt32LE(packed.length, 12)
    return Buffer.concat([head, packed])
  }
  await endureMutations(next, (file) => readManifest(file, 'en_us'))
})

test('a list that thousands of bundles share does not multiply the work', () => {
  const chunks = Array.from({ length: 2000 }, (_, index) => ({ id: BigInt(index), bytes: 1 }))
  const release = (count: number) => ({
    languages: [],
    bundles: Array.from({ length: count }, () => ({ id: 1n, chunks })),
    files: [{ chunks: [1n] }],
  })
  const read = (count: number) =>
    readManifest(encodeManifest(release(count), { sharesChunks: true }), 'en_us')
  expect(read(2)).toEqual([bundle('0000000000000001', 2000)])
  expect(() => read(2000)).toThrow('too many elements')
})

test('the release of North America, else the usual one, else any', () => {
  const lines = (...ids: string[]) => ({
    'keystone.products.valorant.patchlines.live': {
      platforms: {
        win: {
          configurations: ids.map((id) => ({
            id,
            patch_url: `https://example.test/${id}/v1.manifest`,
          })),
        },
      },
    },
  })
  const urlOf = (...ids: string[]) => patchLineOf(lines(...ids), 'valorant')?.manifests[0]?.url
  expect(urlOf('eu', 'default', 'na')).toContain('/na/')
  expect(urlOf('eu', 'default')).toContain('/default/')
  expect(urlOf('eu')).toContain('/eu/')
  expect(urlOf()).toBeUndefined()
  const version = { url: 'https://example.test/na/v1.manifest', version: 'v1.manifest' }
  expect(patchLineOf(lines('na'), 'valorant')).toEqual({ manifests: [version], sieves: [] })
  expect(patchLineOf({}, 'valorant')).toBeNull()
})

const parameters = { artifact_type_id: 'lol-game-client', platform: 'windows' }
const patchsieve = { version_set: 'NA1', parameters }

test('the secondary patch line counts only where no sieve names the game', () => {
  const line = (artifacts: object | null) => ({
    'keystone.products.league_of_legends.patchlines.live': {
      platforms: {
        win: {
          configurations: [
            {
              id: 'na',
              patch_url: 'https://example.test/launcher.manifest',
              secondary_patchlines: [
                { id: 'other', url: 'https://example.test/other.manifest' },
                { id: 'game_patch', url: 'https://example.test/old.manifest' },
              ],
              ...artifacts,
            },
          ],
        },
      },
    },
  })
  const found = (artifacts: object | null) => {
    const { manifests = [], sieves } = patchLineOf(line(artifacts), 'league_of_legends') ?? {}
    return { versions: manifests.map(({ version }) => version), sieves }
  }
  const bySieve = { versions: ['launcher.manifest'], sieves: [patchsieve] }
  expect(found({ patch_artifacts: [{ id: 'client' }, { patchsieve }] })).toEqual(bySieve)
  const old = { versions: ['launcher.manifest', 'old.manifest'], sieves: [] }
  expect(found(null)).toEqual(old)
  expect(found({ patch_artifacts: null })).toEqual(old)
})

test('the newest release of the wanted kind and platform, by numbers', () => {
  const release = (version: string, type = 'lol-game-client', platform = 'windows') => ({
    release: {
      labels: {
        'riot:artifact_type_id': { values: [type] },
        'riot:artifact_version_id': { values: [version] },
        platform: { values: [platform] },
      },
    },
    download: { url: `https://example.test/${version.replace('+', '-')}-${platform}.manifest` },
  })
  const newest = (...releases: ReturnType<typeof release>[]) =>
    newestOf({ releases }, parameters)?.version
  const older = release('15.9.700.1+z')
  const newer = release('15.10.1.1+a')
  for (const order of [
    [older, newer],
    [newer, older],
  ]) {
    expect(newest(...order)).toBe('15.10.1.1-a-windows.manifest')
  }
  expect(newest(older, release('16.1', 'lol-content'), release('16.1', undefined, 'macos'))).toBe(
    '15.9.700.1-z-windows.manifest',
  )
  expect(newest()).toBeUndefined()
})

test('a run requests the bundles from the content host, and knows what is up to date', async () => {
  const standIn = deltaStandIn('valorant')
  atEnd(standIn.stop)
  standIn.publish('1.0', practiceRelease())
  const { client } = await testDaemon({
    platform: 'delta',
    cachePort: standIn.port,
    environment: { Delta__PatchlineBaseUrl: standIn.configBaseUrl },
  })
  expect((await client.ask('get-owned-games')).data).toMatchObject([
    { appId: 'league_of_legends', name: 'League of Legends' },
    { appId: 'valorant', name: 'Valorant' },
    { appId: 'bacon', name: 'Legends of Runeterra' },
  ])
  await client.ask('prefill', { products: '["valorant","bacon","poker"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 2 })
  const errors = client.progress().flatMap(({ errorMessage }) => errorMessage ?? [])
  expect(errors).toEqual([
    'there is no release of Legends of Runeterra for Windows',
    'there is no product "poker"',
  ])
  const path = (id: string) => `/channels/public/bundles/${id}.bundle`
  const ids = ['0000000000000001', '0000000000000002', 'ABCDEF0123456789']
  const host = 'valorant.dyn.riotcdn.net'
  const byPath = standIn.requests.toSorted((a, b) => a.path.localeCompare(b.path))
  expect(byPath).toEqual(ids.map((id) => ({ path: path(id), host })))
  await client.ask('prefill', { products: '["valorant"]' })
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
})

async function league(timeoutMsMax = Infinity) {
  const standIn = deltaStandIn('league_of_legends')
  atEnd(standIn.stop)
  const [launcher, game] = [practiceRelease(), gameRelease()]
  standIn.publish('launcher-1', launcher)
  standIn.publishGame('game-1', game)
  const { configBaseUrl, sieveBaseUrl } = standIn
  const outside = createOutside({ gapMs: 0, pauseMs: 1, timeoutMsMax })
  const engine = createDeltaEngine({ delta: { configBaseUrl, sieveBaseUrl } }, outside)
  const { client, folder } = await testDaemon({
    platform: 'delta',
    cachePort: standIn.port,
    engine,
  })
  return { standIn, client, folder, launcher, game }
}

test('League of Legends is its launcher and the game, and both are its version', async () => {
  const { standIn, client, launcher, game } = await league()
  const prefill = async (run: number) => {
    standIn.requests.length = 0
    await client.ask('prefill', { products: '["league_of_legends"]' })
    const last = await client.ended(run)
    return { last, paths: standIn.requests.map(({ path }) => path.slice(-23, -7)).toSorted() }
  }
  const first = await prefill(1)
  expect(first.last).toMatchObject({ updatedApps: 1, totalBytesTransferred: 5 * 210_000 })
  // A bundle of both manifests is requested once; those of other languages are not.
  expect(first.paths).toEqual([
    '0000000000000001',
    '0000000000000002',
    '0000000000000021',
    '0000000000000022',
    'ABCDEF0123456789',
  ])
  expect((await prefill(2)).last).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
  standIn.publishGame('game-2', game)
  expect((await prefill(3)).last).toMatchObject({ updatedApps: 1 })
  standIn.publish('launcher-2', launcher)
  expect((await prefill(4)).last).toMatchObject({ updatedApps: 1 })
  expect((await prefill(5)).last).toMatchObject({ alreadyUpToDate: 1 })
})

test.each([
  ['HTML', () => new Response('<html></html>'), 'answered in an unknown form'],
  ['429', () => new Response('', { status: 429 }), 'answered with status 429'],
  ['nothing', () => new Promise<Response>(() => {}), 'did not answer in time'],
  ['no such game', () => Response.json({ releases: [] }), 'there is no lol-game-client of League'],
])('the service that names the game answers %s: no version is recorded', async (...row) => {
  const [, answer, reason] = row
  const { standIn, client, folder } = await league(300)
  standIn.intercept((request) => (request.url.includes('/version-sets/') ? answer() : undefined))
  await client.ask('prefill', { products: '["league_of_legends"]' })
  expect(await client.ended()).toMatchObject({ updatedApps: 0, failedApps: 1 })
  const failed = client.progress().find(({ result }) => result === 'Failed')
  expect(failed?.errorMessage).toContain(reason)
  expect(standIn.requests).toEqual([])
  const configPath = join(folder, 'config')
  const store = createStore({ configPath, versionsPath: configPath, cachePath: folder })
  expect(store.prefilled('league_of_legends')).toBeNull()
})
