import { expect, test } from 'bun:test'
import {
  comet,
  epsilonDaemons,
  meteor,
  meteorBytes,
  meteorPaths,
} from '../../../../test/support/epsilon-daemon.ts'
import { restored } from '../../../../test/support/daemon-login.ts'
import { seededRandom } from '../../../demo/random.ts'
import { endureMutations, mutated } from '../../../../test/support/mutations.ts'
import { epsilonAddresses } from '../../../core/lib/platform-addresses.ts'
import type { Outside } from '../../../core/lib/outside.ts'
import { SettingsReader } from '../../../core/lib/settings-reader.ts'
import { createEpsilonLibrary } from '../../../engines/epsilon-connection/library.ts'
import { FormatError } from '../content/format-error.ts'
import { filesOf, slicesOf } from './files.ts'
import { productsOf } from './titles.ts'

const url = (text: string) => new URL(text)
const packageOf = (...files: { bytes: number; urls: URL[] }[]) => ({
  version: '1',
  files,
  unread: 0,
})

/** A signed-in daemon. */
async function fixture() {
  const { xbox, login, start } = epsilonDaemons()
  login.write()
  const { client } = await start()
  await restored(client)
  return { xbox, client }
}

/** A library whose service answers like this. */
function libraryAnswering(answer: () => Buffer | object) {
  const outside: Outside = {
    get(_, use) {
      const body = answer()
      return use(Buffer.isBuffer(body) ? new Response(new Uint8Array(body)) : Response.json(body))
    },
  }
  const library = createEpsilonLibrary(outside, epsilonAddresses(new SettingsReader({})))
  const device = { id: '', proofKey: {} as never, sign: () => 'signature' }
  const { signal } = new AbortController()
  const account = { header: '', xuid: '2533', gamertag: null }
  return {
    product: (productId: string) => library.product(productId, signal),
    packageFor: (contentId: string) => library.package(contentId, { header: '', device }, signal),
    titles: () => library.titles(account, signal),
  }
}

test('slices of one megabyte, of hosts that have a file under the same path', () => {
  const one = {
    bytes: 1024 * 1024 + 1,
    urls: ['http://a.test/x?1', 'http://b.test/x?1', 'http://c.test/y?1'].map(url),
  }
  const again = { bytes: 5, urls: [url('https://b.test/x?2')] }
  const empty = { bytes: 0, urls: [url('http://a.test/empty')] }
  const { files, totalBytes } = filesOf([packageOf(one, empty), packageOf(again)])
  expect(totalBytes).toBe(one.bytes)
  const common = { hosts: ['a.test', 'b.test'], target: '/x?1' }
  expect([...slicesOf(files)]).toEqual([
    { ...common, range: { first: 0, last: 1_048_575 }, bytes: 1_048_576 },
    { ...common, range: { first: 1_048_576, last: 1_048_576 }, bytes: 1 },
  ])
})

test('lists that are incomplete or too large are refused', () => {
  expect(() => filesOf([{ ...packageOf(), unread: 1 }])).toThrow(FormatError)
  const large = (path: string) => ({ bytes: 2 ** 40, urls: [url(`http://a.test/${path}`)] })
  const five = ['a', 'b', 'c', 'd', 'e'].map(large)
  expect(() => filesOf([packageOf(...five)])).toThrow('more than a game can have')
})

test('ten thousand mutated answers end in slices, titles, or a plain error', async () => {
  const PackageFiles = ['a.msixvc', 'b.phf', 'c.appx'].map((FileName, index) => ({
    FileName,
    FileSize: 3_000_000 * index,
    RelativeUrl: `/path/${FileName}?P1=1`,
    CdnRootPaths: ['http://assets1.xboxlive.com', 'http://assets2.xboxlive.com/'],
  }))
  const PlatformDependencies = [
    { PlatformName: 'Windows.Desktop' },
    { PlatformName: 'Windows.Xbox' },
  ]
  const Packages = ['content-1', 'content-2'].map((ContentId) => ({
    ContentId,
    PlatformDependencies,
  }))
  const LocalizedProperties = [{ ProductTitle: 'Meteor', Images: [] }]
  const DisplaySkuAvailabilities = [{ Sku: { Properties: { Packages } } }]
  const titleHistory = { lastTimePlayed: '2026-10-01T10:00:00Z' }
  const goods = [
    { PackageFound: true, Version: '1.0', PackageFiles },
    { Products: [{ LocalizedProperties, DisplaySkuAvailabilities }] },
    { titles: [{ pfn: 'family', productId: meteor, name: 'Meteor', titleHistory }] },
  ].map((answer) => Buffer.from(JSON.stringify(answer)))
  let answer: Buffer = Buffer.alloc(0)
  const { packageFor, product, titles } = libraryAnswering(() => answer)
  async function slicesOfPackage() {
    const found = await packageFor('content')
    let slices = 0
    for (const _ of slicesOf(filesOf(found === null ? [] : [found]).files)) slices++
    expect(slices).toBeLessThan(10_000_000)
  }
  const calls = [slicesOfPackage, () => product(meteor), titles]
  const random = seededRandom(7)
  let kind = 0
  await endureMutations(
    (round) => {
      kind = round % 3
      return mutated(goods[kind] ?? answer, random, [...Buffer.from('09"e-,:[{}/\\\xff', 'latin1')])
    },
    (file) => {
      answer = file
      return calls[kind]?.()
    },
  )
})

test('members that are null count as missing', async () => {
  let answer: object = { PackageFound: false, Version: null, PackageFiles: null }
  const { product, packageFor } = libraryAnswering(() => answer)
  expect(await packageFor('content')).toBeNull()
  answer = { PackageFound: true, Version: null, PackageFiles: null }
  expect(await packageFor('content')).toEqual({ version: '', files: [], unread: 0 })
  const LocalizedProperties = [{ ProductTitle: null }]
  answer = { Products: [{ LocalizedProperties, DisplaySkuAvailabilities: [] }] }
  expect(await product(meteor)).toMatchObject({ title: null, contentIds: [], pcContentIds: [] })
})

test.each<[string, (string[] | null)[], number[]]>([
  ['several devices', [['Desktop'], ['Xbox'], ['WindowsPhone8x'], ['Windows8x']], [0]],
  ['one package for several devices', [['Xbox', 'desktop']], [0]],
  ['every device', [['Universal'], ['Mobile']], [0]],
  ['nothing newer than Windows 8', [['Windows8x'], ['WindowsPhone8x']], [0]],
  ['consoles only', [['Xbox']], []],
  ['packages that name no platform', [null, [], ['Xbox']], [0, 1]],
])('packages for a PC: %s', async (_what, platforms, expected) => {
  const Packages = platforms.map((names, index) => ({
    ContentId: `content-${index}`,
    PlatformDependencies: names?.map((name) => ({ PlatformName: `Windows.${name}` })) ?? null,
  }))
  const skus = [{ Sku: { Properties: { Packages } } }]
  const answer = { Products: [{ DisplaySkuAvailabilities: skus }] }
  const { product } = libraryAnswering(() => answer)
  const { contentIds, pcContentIds } = await product(meteor)
  expect(contentIds).toHaveLength(platforms.length)
  expect(pcContentIds).toEqual(expected.map((index) => `content-${index}`))
})

test('a run requests the packages for PCs; those of consoles identify log lines, too', async () => {
  const { xbox, client } = await fixture()
  const [title] = xbox.titles
  if (title !== undefined) {
    title.platforms = { 'content-1': ['Windows.Desktop'], 'content-2': ['Windows.Xbox'] }
  }
  await client.ask('prefill', { productIds: JSON.stringify([meteor]) })
  expect(await client.ended()).toMatchObject({ updatedApps: 1 })
  const [main = '', console = ''] = meteorPaths('1.0.0.0')
  expect(new Set(xbox.content.map(({ path }) => path))).toEqual(new Set([main]))
  const { data } = await client.ask('get-cdn-info', { appIds: JSON.stringify([meteor]) })
  expect(JSON.stringify(data)).toContain(console)
})

test('parts of paths by which requests are assigned to games', async () => {
  const { client } = await fixture()
  const [main = '', addOn = ''] = meteorPaths('1.0.0.0')
  const folder = main.split('/').slice(0, -1).join('/')
  const facts = { appId: meteor, name: 'Meteor', cdnHost: 'assets1.xboxlive.com' }
  const known = { ...facts, chunkBaseUrl: '', filePathFragments: [folder, addOn] }
  const appIds = JSON.stringify([meteor, '9NOTHING0001'])
  expect((await client.ask('get-cdn-info', { appIds })).data).toEqual({ apps: [known] })
  const { apps } = (await client.ask('get-cdn-info')).data as { apps: object[] }
  expect(apps).toHaveLength(2)
})

test('a game without a version is requested in every run', async () => {
  const { xbox, client } = await fixture()
  for (const title of xbox.titles) title.version = ''
  for (const run of [1, 2]) {
    await client.ask('prefill', { productIds: JSON.stringify([meteor]) })
    expect(await client.ended(run)).toMatchObject({ updatedApps: 1, alreadyUpToDate: 0 })
  }
})

test('products of the page of popular games, in their order', () => {
  const page = `<a href="/en-us/p/some-game/9nkx70bbcdrn?x">a</a> <a href='/store/9NBLGGH4R315'>
    <a href="/p/9NKX70BBCDRN"> /short/ /much-too-long-for-an-id/`
  expect(productsOf(page)).toEqual(['9NKX70BBCDRN', '9NBLGGH4R315'])
})

test('the library, and what filters mean', async () => {
  const { xbox, client } = await fixture()
  expect((await client.ask('get-owned-games')).data).toMatchObject([
    { appId: meteor, name: 'Meteor' },
    { appId: comet, name: 'Comet' },
  ])
  const appsOf = async (parameters: Record<string, string>) => {
    const before = client.progress().length
    const runs = client.terminals().length
    await client.ask('prefill', parameters)
    await client.ended(runs + 1)
    const ended = client.progress().slice(before)
    return ended.flatMap(({ result, currentAppId }) => (result === null ? [] : currentAppId))
  }
  expect(await appsOf({ all: 'true' })).toEqual([comet, meteor])
  expect(await appsOf({ recent: 'true' })).toEqual([comet, meteor])
  xbox.popular = ['9UNKNOWN0001', meteor]
  expect(await appsOf({ top: 'true' })).toEqual([meteor])
  expect(await appsOf({ top: '1', recent: 'true' })).toEqual([comet, meteor])
  xbox.troubles.set('popular', 'garbage')
  expect(await appsOf({ top: '1' })).toEqual([comet])
})

test('a run requests slices without tokens, and knows what is up to date', async () => {
  const { xbox, client } = await fixture()
  await client.ask('set-selected-apps', { appIds: JSON.stringify([meteor, comet]) })
  expect((await client.ask('get-selected-apps-status')).data).toMatchObject({
    apps: [
      { appId: comet, unavailableReason: 'Xbox has no package of Comet to download' },
      { appId: meteor, downloadSize: meteorBytes, isUpToDate: false },
    ],
  })
  await client.ask('prefill', { productIds: JSON.stringify([meteor, comet, '9NOTHING0001']) })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 1 })
  const errors = client.progress().flatMap(({ errorMessage }) => errorMessage ?? [])
  expect(errors).toEqual(['there is no product "9NOTHING0001"'])
  const [main = '', addOn = ''] = meteorPaths('1.0.0.0')
  const [host, other] = ['assets1.xboxlive.com', 'tlu.dl.delivery.mp.microsoft.com']
  const requests = xbox.content.map(({ path, host, range }) => ({ path, host, range }))
  expect(requests).toHaveLength(4)
  expect(requests).toContainEqual({ path: main, host, range: 'bytes=0-1048575' })
  expect(requests).toContainEqual({ path: main, host, range: 'bytes=2097152-2597151' })
  expect(requests).toContainEqual({ path: addOn, host: other, range: 'bytes=0-2999' })
  for (const { head } of xbox.content) {
    expect(head).not.toMatch(/secret|authorization|signature|XBL3/i)
    expect(head).toContain('Microsoft.Xbox.GameStreaming/10.0')
  }
  await client.ask('prefill', { productIds: JSON.stringify([meteor]) })
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
  expect(xbox.faults).toEqual([])
})
