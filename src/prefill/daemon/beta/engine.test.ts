import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { betaContent, logIn } from '../../../../test/support/beta-daemon.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { betaAddresses } from '../../../core/lib/platform-addresses.ts'
import { SettingsReader } from '../../../core/lib/settings-reader.ts'
import { testDaemon } from '../../../../test/support/test-daemon.ts'
import { chunkPath, practiceChunks } from '../../../../test/support/stand-ins/beta-manifest.ts'
import { sourcesOf } from './sources.ts'

test('addresses of a manifest: signed ones first, what is no address not at all', () => {
  const uri = 'https://a.test/Builds/x/y.manifest'
  const signature = { name: 'f_token', value: 'a=1~b/*' }
  const other = [{ name: 'k', value: '1' }]
  expect(
    sourcesOf([
      { uri },
      { uri: 'ftp://a.test/x/y' },
      { uri: 'https://b.test:8443/Builds/x/y.manifest?z', queryParams: [signature, ...other] },
    ]),
  ).toEqual([
    {
      url: 'https://b.test:8443/Builds/x/y.manifest?z&f_token=a=1~b/*&k=1',
      host: 'b.test:8443',
      path: '/Builds/x',
    },
    { url: uri, host: 'a.test', path: '/Builds/x' },
  ])
})

test('preferred hosts come before signed addresses, in their order', () => {
  const signed = [{ name: 'f_token', value: '1' }]
  const manifests = ['a', 'b', 'c', 'd'].map((name) => ({
    uri: `https://${name}.test/Builds/x/y.manifest`,
    queryParams: name === 'b' ? signed : [],
  }))
  const hosts = (...preferred: string[]) => sourcesOf(manifests, preferred).map(({ host }) => host)
  expect(hosts()).toEqual(['b.test', 'a.test', 'c.test', 'd.test'])
  expect(hosts('d.test', 'nowhere.test', 'c.test')).toEqual([
    'd.test',
    'c.test',
    'b.test',
    'a.test',
  ])
  const environment = { Beta__ContentHosts: 'D.test, c.test' }
  expect(betaAddresses(new SettingsReader(environment)).contentHosts).toEqual(['d.test', 'c.test'])
})

async function signedIn() {
  const folder = tempFolder('daemon')
  const epic = betaContent()
  const { environment, port: cachePort } = epic
  const daemon = await testDaemon({ platform: 'beta', cachePort, environment, folder })
  expect(await logIn(daemon.client, epic.code)).toMatchObject({ state: 'logged-in' })
  return { epic, ...daemon }
}

const bytesOf = (chunks: { bytes: number }[]) => chunks.reduce((sum, { bytes }) => sum + bytes, 0)
const both = JSON.stringify(['Lantern', 'Comets'])

test('games with their names, which are asked for once', async () => {
  const { client, epic, folder } = await signedIn()
  const games = [
    { appId: 'Lantern', name: 'Lantern Orchard' },
    { appId: 'Comets', name: 'Paper Comets' },
    { appId: 'AddOn', name: 'An add-on' },
  ]
  const { data } = await client.ask('get-owned-games')
  expect(data).toMatchObject(games)
  expect(data).toHaveLength(3)
  expect(data).toMatchObject([{ imageUrl: expect.stringContaining('cdn1.epicgames.com') }, {}, {}])
  await client.ask('get-owned-games')
  expect([epic.count('assets'), epic.count('item')]).toEqual([1, 3])
  const stored = readFileSync(join(folder, 'config', 'cache', 'betaTitles.json'), 'utf8')
  expect(Object.keys(JSON.parse(stored) as object)).toEqual(['Lantern', 'Comets', 'AddOn'])
  expect([...epic.userAgents]).toEqual([expect.stringMatching(/^EpicGamesLauncher\//)])
})

test('hosts and paths by which log lines are assigned to games', async () => {
  const { client, epic } = await signedIn()
  const cdnHost = `127.0.0.1:${epic.port}`
  const lantern = {
    appId: 'Lantern',
    name: 'Lantern Orchard',
    cdnHost,
    chunkBaseUrl: '/Builds/Org/o-lantern/7d21/default',
  }
  const appIds = '["Lantern","AddOn","Nothing"]'
  expect((await client.ask('get-cdn-info', { appIds })).data).toEqual({ apps: [lantern] })
  expect((await client.ask('get-cdn-info')).data).toMatchObject({
    apps: [lantern, { appId: 'Comets', chunkBaseUrl: '/Builds/Org/o-comets/5f0c/default' }],
  })
})

test('games have their ids as names while the catalogue does not answer', async () => {
  const { client, epic } = await signedIn()
  epic.troubles.set('item', 'garbage')
  const others = Array.from({ length: 20 }, (_, index) => {
    const build = { chunks: practiceChunks(1, index) }
    const basePath = `/Builds/${index}`
    return { appName: `Other${index}`, title: 'Other', buildVersion: '1', basePath, build }
  })
  epic.assets.push(...others)
  const names = async () => (await client.ask('get-owned-games')).data as { name: string }[]
  const ids = ['Lantern', 'Comets', 'AddOn', ...others.map(({ appName }) => appName)]
  expect(await names()).toMatchObject(ids.map((name) => ({ name })))
  // It is not asked for those that have not begun.
  expect(epic.count('item')).toBeLessThanOrEqual(4)
  epic.troubles.clear()
  expect((await names())[0]).toMatchObject({ name: 'Lantern Orchard' })
})

test('a run requests every chunk from its host, and knows what is up to date', async () => {
  const { client, epic } = await signedIn()
  await client.ask('set-selected-apps', { appIds: both })
  const lantern = practiceChunks(40, 1)
  const comets = practiceChunks(30, 2)
  const totalDownloadSize = bytesOf([...lantern, ...comets])
  expect((await client.ask('get-selected-apps-status')).data).toMatchObject({ totalDownloadSize })
  epic.content.length = 0
  await client.ask('prefill')
  expect(await client.ended(1)).toMatchObject({
    updatedApps: 2,
    totalBytesTransferred: totalDownloadSize,
  })
  const paths = [
    ...lantern.map((chunk) => `/Builds/Org/o-lantern/7d21/default/${chunkPath(chunk)}`),
    ...comets.map((chunk) => `/Builds/Org/o-comets/5f0c/default/${chunkPath(chunk)}`),
  ]
  const requested = epic.content.filter(({ path }) => path.endsWith('.chunk'))
  expect(requested.map(({ path }) => path).sort()).toEqual(paths.sort())
  // The host of the signed address; the token for Epic's services goes to no content server.
  expect(new Set(epic.content.map(({ host }) => host))).toEqual(new Set([`127.0.0.1:${epic.port}`]))
  expect(epic.content.filter(({ authorization }) => authorization !== null)).toEqual([])

  await client.ask('prefill')
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 2, totalBytesTransferred: 0 })
  const status = await client.ask('check-cache-status', { appIds: both })
  expect(status.data).toMatchObject({ apps: [{ isUpToDate: true }, { isUpToDate: true }] })
})

test('what cannot be downloaded says why', async () => {
  const { client, epic } = await signedIn()
  const comets = epic.assets[1]?.build
  if (comets !== undefined) comets.chunks = [{ guid: 'X', hash: '00', group: 0, bytes: 1 }]
  await client.ask('prefill', { products: '["Comets","AddOn","Poker"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 0, failedApps: 2 })
  const ends = client.progress().filter(({ state }) => state === 'app_completed')
  expect(ends.map(({ errorMessage, message }) => errorMessage ?? message)).toEqual([
    'a chunk in a manifest has no identifier',
    'An add-on has no build for Windows',
    'this account has no game "Poker"',
  ])
})

test('a manifest with another SHA-1 than Epic names is not used', async () => {
  const { client, epic } = await signedIn()
  const last = () => client.progress().findLast(({ state }) => state === 'app_completed')
  // The signed address comes first; the other host has the same file undamaged.
  epic.damaging.add(`127.0.0.1:${epic.port}`)
  await client.ask('prefill', { products: '["Lantern"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0 })
  const comets = epic.assets[1]
  if (comets !== undefined) comets.sha1 = '0'.repeat(40)
  await client.ask('prefill', { products: '["Comets"]' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 0, failedApps: 1 })
  expect(last()?.errorMessage).toBe('a manifest is damaged: Epic names another SHA-1')
})

test('filters: all, recent, and the most played', async () => {
  const { client, epic } = await signedIn()
  epic.assets.splice(2, 1)
  epic.playtime = { Comets: 500, Lantern: 400, Gone: 900 }
  const chosen = async (parameters: Record<string, string>, count: number) => {
    client.events.length = 0
    await client.ask('prefill', { ...parameters, force: 'true' })
    const { totalApps, errorMessage } = await client.ended(count)
    const ids = client.progress().filter(({ state }) => state === 'app_completed')
    return { totalApps, errorMessage, ids: ids.map(({ currentAppId }) => currentAppId) }
  }
  const all = { totalApps: 2, ids: ['Lantern', 'Comets'] }
  expect(await chosen({ all: 'true' }, 1)).toMatchObject(all)
  expect(await chosen({ recent: 'true' }, 1)).toMatchObject(all)
  expect(await chosen({ top: 'true' }, 1)).toMatchObject({ ids: ['Comets', 'Lantern'] })
  expect(await chosen({ top: '1' }, 1)).toMatchObject({ ids: ['Comets'] })
  const bought = await chosen({ recently_purchased: 'true' }, 1)
  expect(bought).toMatchObject({ errorMessage: 'Epic Games does not say when a game was bought' })
})

test('the library is that of the account that is signed in', async () => {
  const { client, epic } = await signedIn()
  await client.ask('get-owned-games')
  await client.ask('logout')
  expect((await client.ask('get-owned-games')).requiresLogin).toBe(true)
  epic.accountId = 'another'
  epic.assets = [{ appName: 'Other', title: 'Another game' }]
  await logIn(client, epic.code)
  expect((await client.ask('get-owned-games')).data).toMatchObject([{ name: 'Another game' }])
})
