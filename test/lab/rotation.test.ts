import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../support/temp-folder.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount } from './reference-count.ts'
import { alphaHeaders, download, startProxy } from './proxy.ts'

const root = tempFolder('lab')
const cases = ['rename', 'copytruncate', 'dateext', 'backlog', 'nginx'] as const
const folder = (name: string) => join(root, name)
let larder: Larder

beforeAll(async () => {
  for (const name of cases) mkdirSync(folder(name))
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [
      ...cases.filter((name) => name !== 'nginx').map((name) => ({ name, logPath: folder(name) })),
      { name: 'nginx', logPath: join(folder('nginx'), 'plain') },
    ],
  })
  await larder.firstSignIn()
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

/** Compressors write the new file gradually and remove the old one at the end. */
async function compress(path: string, extension: 'gz' | 'zst'): Promise<void> {
  const bytes = readFileSync(path)
  const packed = extension === 'gz' ? Bun.gzipSync(bytes) : Bun.zstdCompressSync(bytes)
  writeFileSync(`${path}.${extension}`, packed.subarray(0, packed.length / 2))
  await Bun.sleep(150)
  writeFileSync(`${path}.${extension}`, packed)
  rmSync(path)
}

/** A folder that was empty or missing is listed rarely, unless it changes. */
const noticedMs = 15_000
/** How long a writer continues between two rotations, in milliseconds. */
const loadMs = 400

describe('rotation under continuous load loses nothing and counts nothing twice', () => {
  test('rename, late reopen, gzip', async () => {
    const path = join(folder('rename'), 'access.log')
    const writer = new LogWriter(path, 1).start()
    for (let round = 0; round < 3; round++) {
      await Bun.sleep(loadMs)
      for (let old = round; old > 0; old--) renameSync(`${path}.${old}.gz`, `${path}.${old + 1}.gz`)
      renameSync(path, `${path}.1`)
      // The writer has not reopened yet and continues in the renamed file.
      await Bun.sleep(loadMs)
      writer.reopen()
      await Bun.sleep(50)
      await compress(`${path}.1`, 'gz')
    }
    writer.stop()
    await expectTotals(larder, 'rename', referenceCount(writer.text, 'plain'))
    expect(writer.lineCount).toBeGreaterThan(1000)
  })

  test('copytruncate, zstd', async () => {
    const path = join(folder('copytruncate'), 'access.log')
    const writer = new LogWriter(path, 2).start()
    for (let round = 1; round <= 3; round++) {
      await Bun.sleep(loadMs)
      // Nothing may be written between copy and truncation; that is a weakness of copytruncate.
      writer.flush()
      copyFileSync(path, `${path}.${4 - round}`)
      truncateSync(path)
      await Bun.sleep(loadMs)
      await compress(`${path}.${4 - round}`, 'zst')
    }
    writer.stop()
    await expectTotals(larder, 'copytruncate', referenceCount(writer.text, 'plain'))
  })

  test('dateext, plain and compressed', async () => {
    const path = join(folder('dateext'), 'access.log')
    const writer = new LogWriter(path, 3).start()
    for (const [index, date] of ['20261118', '20261119', '20261120'].entries()) {
      await Bun.sleep(loadMs)
      renameSync(path, `${path}-${date}`)
      writer.reopen()
      if (index === 0) await compress(`${path}-${date}`, 'gz')
      if (index === 1) await compress(`${path}-${date}`, 'zst')
    }
    writer.stop()
    await expectTotals(larder, 'dateext', referenceCount(writer.text, 'plain'))
  })

  test('a series that was rotated before the first discovery', async () => {
    const path = join(folder('backlog'), 'access.log')
    // Prepared elsewhere and moved in, newest first, like a restore.
    const away = join(root, 'away.log')
    const texts: string[] = []
    for (const name of ['.3.gz', '.2.zst', '.1', '']) {
      const writer = new LogWriter(away, 10 + texts.length)
      for (let second = 0; second < 200; second++) writer.writeSome()
      writer.stop()
      texts.push(writer.text)
      if (name === '.3.gz') writeFileSync(away, Bun.gzipSync(readFileSync(away)))
      if (name === '.2.zst') writeFileSync(away, Bun.zstdCompressSync(readFileSync(away)))
      renameSync(away, `${path}${name}`)
    }
    await expectTotals(larder, 'backlog', referenceCount(texts.join(''), 'plain'), noticedMs)
  })

  test('a real nginx, after rename and reopen', async () => {
    const proxy = await startProxy(folder('nginx'))
    const path = join(proxy.plainLogs, 'access.log')
    const loading = new AbortController()
    let loops = 0
    const load = (async () => {
      for (; !loading.signal.aborted; loops++) {
        const object = `/size/${1000 + loops}/depot/441/chunk/${loops % 50}`
        await download({ port: proxy.port, path: object, from: '127.0.0.8', headers: alphaHeaders })
      }
    })()
    for (const suffix of ['.2', '.1']) {
      await Bun.sleep(loadMs)
      renameSync(path, `${path}${suffix}`)
      await Bun.sleep(200)
      proxy.reopenLogs()
    }
    await Bun.sleep(loadMs)
    loading.abort()
    await load
    await proxy.stop()
    const text = ['.2', '.1', ''].map((suffix) => readFileSync(`${path}${suffix}`, 'utf8')).join('')
    expect(loops).toBeGreaterThan(100)
    await expectTotals(larder, 'nginx', referenceCount(text, 'plain'), noticedMs)
  })
})
