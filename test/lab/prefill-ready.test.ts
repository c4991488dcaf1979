import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { ReadyBoard } from '../../src/prefill/ready/model.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { gameFiles, gammaStandIn } from '../support/stand-ins/gamma.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { Larder } from './larder.ts'
import { startProxy } from './proxy.ts'

const path = '/api/ext/prefill/ready'
const sliceBytes = 1024 * 1024

test('a game is made ready behind a real proxy; its new build is noticed, shown and fetched', async () => {
  const root = tempFolder('prefill-ready')
  const standIn = gammaStandIn('fenris', 'tpr/fenris')
  const files = gameFiles(120)
  standIn.publish('1.0', files)
  const proxy = await startProxy(join(root, 'proxy'), undefined, undefined, standIn)
  atEnd(() => proxy.stop())
  const larder = await Larder.start({
    dataPath: join(root, 'data'),
    sources: [{ name: 'default', logPath: proxy.plainLogs }],
    cachePath: proxy.cachePath,
    environment: {
      Gamma__VersionsBaseUrl: standIn.patchBaseUrl,
      Prefill__LancacheIp: `127.0.0.1:${proxy.port}`,
    },
  })
  const visitor = await larder.firstSignIn()
  const board = () => visitor.read<ReadyBoard>(path)
  const game = async () => {
    const [first] = (await board()).games
    if (first === undefined) throw new Error('the board is empty')
    return first
  }
  await visitor.request('POST', '/api/system/prefill/persistent/start', { service: 'gamma' })
  await visitor.write('POST', `${path}/games`, {
    games: [{ platform: 'gamma', appId: 'fenris', name: 'Diablo IV' }],
  })
  await eventually(async () => (await game()).totalBytes !== null, 'its size is known')
  const before = await game()
  expect(before).toMatchObject({ state: 'missing', problem: null, newBuildAtUtc: null })

  await visitor.request('POST', `${path}/make`)
  await eventually(async () => (await board()).verdict === 'ready', 'the game is ready')
  // Not only by the word of the daemon: the index of the cache has it.
  await visitor.write('POST', '/api/games/detect')
  await eventually(async () => ((await game()).onDiskBytes ?? 0) > 0, 'it is found in the cache')
  const fetched = await game()
  expect(fetched.state).toBe('ready')
  const requested = () => new Set(standIn.requests.map(({ path: at, range }) => `${at} ${range}`))
  const slices = standIn.expectedSlices(sliceBytes)
  expect(requested()).toEqual(slices)
  // Compared with the size that the daemon calculated before.
  expect((fetched.onDiskBytes ?? 0) / (before.totalBytes ?? 1)).toBeGreaterThan(0.5)

  const changed = files.map((file, index) =>
    index % 20 === 0 ? { ...file, seed: file.seed + 50_000 } : file,
  )
  standIn.publish('1.1', changed)
  standIn.requests.length = 0
  await visitor.request('POST', `${path}/check`)
  await eventually(async () => (await game()).newBuildAtUtc !== null, 'the build is noticed')
  await eventually(async () => (await game()).totalBytes !== null, 'its size is known')
  expect(await game()).toMatchObject({ state: 'outdated', problem: null })
  expect((await board()).seconds).toBeGreaterThan(0)
  // For its size the lists of contents are read, through the cache.
  const isListed = (at: string) => /\/config\/|\.index$/.test(at)
  expect(standIn.requests.filter(({ path: at }) => !isListed(at)).length).toBeLessThan(3)

  await visitor.write('PUT', path, { fetchesUpdates: true })
  await eventually(async () => (await board()).verdict === 'ready', 'the build is fetched')
  expect(await game()).toMatchObject({ newBuildAtUtc: null, missingBytes: 0 })
  const added = standIn.expectedSlices(sliceBytes).difference(slices)
  expect(requested()).toEqual(added)
}, 180_000)
