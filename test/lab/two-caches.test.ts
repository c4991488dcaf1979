import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configHash } from '../../src/demo/cache-generator.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { alphaHeaders, download, startProxy, type Proxy } from './proxy.ts'
import { eventually } from '../support/eventually.ts'
import { diskFolder } from '../support/in-memory.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab', diskFolder)
const shareBytes = 64 * 1024 * 1024
const share = join(root, 'second', 'cache')
/** Only root may mount; for other users the folder is removed instead. */
const isMounting = process.getuid?.() === 0
const mebibyte = 1024 * 1024

let first: Proxy
let second: Proxy
let larder: Larder
let visitor: Visitor

const mount = (...command: string[]) => {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
}

beforeAll(async () => {
  mkdirSync(share, { recursive: true })
  if (isMounting) mount('mount', '-t', 'tmpfs', '-o', `size=${shareBytes}`, 'larder-lab', share)
  mkdirSync(join(root, 'first'))
  writeFileSync(join(root, 'first', 'CONFIGHASH'), configHash)
  first = await startProxy(join(root, 'first'))
  second = await startProxy(join(root, 'second'), '2m')
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: first.cachePath,
    sources: [
      { name: 'main', logPath: first.plainLogs },
      { name: 'attic', logPath: second.detailedLogs },
    ],
    environment: {
      LanCache__DataSources__1__CachePath: second.cachePath,
      DOCKER_HOST: `unix://${join(root, 'no-engine.sock')}`,
    },
  })
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
  await first.stop()
  await second.stop()
  if (isMounting) Bun.spawnSync(['umount', '-l', share])
})

interface Facts {
  items: {
    name: string
    layout: string
    scheme: string
    sliceBytes: number
    sliceSource: string
    limitBytes: number
    limitSource: string
    disk: { state: string; mountPoint: string; capacityBytes: number }
  }[]
}
const facts = async (name: string) => {
  const { items } = await visitor.read<Facts>('/api/ext/datasources')
  const found = items.find((item) => item.name === name)
  if (found === undefined) throw new Error(`no datasource ${name}`)
  return found
}

const fetchFrom = (proxy: Proxy, client: string, bytes: number) =>
  download({
    port: proxy.port,
    path: `/size/${bytes}/depot/441/chunk/aa`,
    from: client,
    headers: alphaHeaders,
  })

describe('two different caches in one service', () => {
  test('are counted separately', async () => {
    for (const client of ['127.0.0.2', '127.0.0.3']) {
      await fetchFrom(first, client, 3_000_000)
      await fetchFrom(second, client, 5_000_000)
    }
    const counts = (bytes: number) => ({
      'steam 127.0.0.2': { hitBytes: 0, missBytes: bytes, requests: 1 },
      'steam 127.0.0.3': { hitBytes: bytes, missBytes: 0, requests: 1 },
    })
    await expectTotals(larder, 'main', counts(3_000_000))
    await expectTotals(larder, 'attic', counts(5_000_000))
  })

  test('each have the layout of their logs and the slices of their proxy', async () => {
    expect(await facts('main')).toMatchObject({
      layout: 'monolithic',
      scheme: 'monolithic',
      sliceBytes: mebibyte,
      sliceSource: 'confighash',
    })
    // May have been read while the cache was empty: it is read again after a few seconds.
    const isRead = async () => (await facts('attic')).sliceSource === 'keys'
    await eventually(isRead, 'the slices are read from the keys')
    expect(await facts('attic')).toMatchObject({
      layout: 'bare_metal',
      scheme: 'bare_metal',
      sliceBytes: 2 * mebibyte,
    })
  })

  test('each have a limit; the service’s is their sum', async () => {
    const put = (name: string, size: string) =>
      visitor.write('PUT', `/api/system/datasources/${name}/cache-size`, { size })
    await put('main', '500g')
    await put('attic', '48m')
    expect(await facts('attic')).toMatchObject({
      limitBytes: 48 * mebibyte,
      limitSource: 'manual',
    })
    const cache = await visitor.read<{ configuredCacheSize: number }>('/api/cache')
    expect(cache.configuredCacheSize).toBe(500 * 1024 ** 3 + 48 * mebibyte)
  })

  test(`one that is ${isMounting ? 'unmounted' : 'removed'} reports it, the other continues`, async () => {
    const before = (await facts('attic')).disk
    expect(before.state).toBe('ok')
    if (isMounting) expect(before).toMatchObject({ mountPoint: share, capacityBytes: shareBytes })
    await second.stop()
    if (isMounting) mount('umount', '-l', share)
    else rmSync(share, { recursive: true })
    const expected = isMounting ? 'vanished' : 'missing'
    await eventually(
      async () => (await facts('attic')).disk.state === expected,
      'the loss is noticed',
    )
    expect((await facts('attic')).disk.capacityBytes).toBe(0)
    expect((await facts('main')).disk.state).toBe('ok')
    expect((await visitor.request('GET', '/health')).status).toBe(200)
  })
})
