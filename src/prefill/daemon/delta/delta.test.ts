import { expect, test } from 'bun:test'
import {
  deltaStandIn,
  encodeManifest,
  practiceRelease,
} from '../../../../test/support/stand-ins/delta.ts'
import { atEnd } from '../../../../test/support/cleanup.ts'
import { testDaemon } from '../../../../test/support/test-daemon.ts'
import { seededRandom } from '../../../demo/random.ts'
import { FormatError } from '../content/format-error.ts'
import { readManifest } from './manifest.ts'
import { releaseOf } from './patch-lines.ts'

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

test('a chunk that several bundles hold is taken from the first one', () => {
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
  expect(found).toEqual([bundle('0000000000000001', 10)])
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

test('three thousand mutated manifests neither crash nor hang the reader', async () => {
  const { zstdCompressSync, zstdDecompressSync } = await import('node:zlib')
  const good = encodeManifest(practiceRelease())
  const body = zstdDecompressSync(good.subarray(28, 28 + good.readUInt32LE(12)))
  const random = seededRandom(11)
  let refused = 0
  for (let round = 0; round < 3000; round++) {
    const mutated = Buffer.from(body)
    for (let left = random.between(1, 5); left > 0; left--) {
      mutated[random.between(0, mutated.length - 1)] = random.pick([0, 1, 4, 127, 128, 255])
    }
    const packed = zstdCompressSync(mutated)
    const head = Buffer.from(good.subarray(0, 28))
    head.writeUInt32LE(packed.length, 12)
    try {
      readManifest(Buffer.concat([head, packed]), 'en_us')
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      refused++
    }
  }
  expect(refused).toBeGreaterThan(300)
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
  const regionOf = (...ids: string[]) =>
    releaseOf(lines(...ids), 'valorant')
      ?.manifestUrl.split('/')
      .at(-2)
  expect(regionOf('eu', 'default', 'na')).toBe('na')
  expect(regionOf('eu', 'default')).toBe('default')
  expect(regionOf('eu')).toBe('eu')
  expect(regionOf()).toBeUndefined()
  expect(releaseOf(lines('na'), 'valorant')?.version).toBe('v1.manifest')
  expect(releaseOf({}, 'valorant')).toBeNull()
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
