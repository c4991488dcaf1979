import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFolder } from '../support/in-memory.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { storePath } from '../../db/stores.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { digestOf } from '../../src/engines/cache/format/key.ts'
import { Larder } from './larder.ts'
import { alphaHeaders, download, startProxy, type Proxy } from './proxy.ts'

const root = tempFolder('lab', diskFolder)
let proxy: Proxy
let larder: Larder
let visitor: Visitor

const mebibyte = 1_048_576
const chunk = (depot: number, bytes: number) => `/size/${bytes}/depot/${depot}/chunk/${depot}aa`
const range = (slice: number) => `bytes=${slice * mebibyte}-${(slice + 1) * mebibyte - 1}`

beforeAll(async () => {
  proxy = await startProxy(root)
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [{ name: 'main', logPath: proxy.plainLogs }],
    environment: { CacheIndex__RefreshMinutes: '0' },
  })
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
  await proxy.stop()
})

interface Size {
  totalFiles: number
  totalBytes: number
  totalDirectories: number
}

const readSize = () => visitor.read<Size>('/api/cache/size?datasource=main')

/** The listing of `find`. */
function found() {
  const list = (...command: string[]) =>
    Bun.spawnSync(['find', proxy.cachePath, '-mindepth', '1', ...command])
      .stdout.toString()
      .split('\n')
      .filter((line) => line !== '')
  const sizes = list('-type', 'f', '-printf', '%s\\n').map(Number)
  return {
    totalFiles: sizes.length,
    totalBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    totalDirectories: list('-type', 'd').length,
  }
}

const indexed = () => {
  const database = openSqlite(storePath(join(root, 'data'), 'cache'), { readonly: true })
  const rows = database
    .query<{ digest: string; tag: string; titleKey: string; issues: number }, []>(
      `SELECT lower(hex(digest)) AS digest, tag, title_key AS titleKey, issues
         FROM cache_file f JOIN cache_content c ON c.id = f.content_id`,
    )
    .all()
  database.close()
  return rows
}

test('the index holds exactly the cache files left by downloads, key by key', async () => {
  const one = chunk(441, 3_158_073)
  const two = chunk(77, 100)
  const third = { host: 'cdn.example.test' }
  await download({ port: proxy.port, path: one, headers: alphaHeaders })
  await download({ port: proxy.port, path: two, headers: alphaHeaders })
  await download({
    port: proxy.port,
    path: `${chunk(78, 4_000_000)}?token=1`,
    headers: { ...alphaHeaders, range: 'bytes=2000000-2500000' },
  })
  await download({ port: proxy.port, path: '/size/5000/a%20b//c', headers: third })
  const keys = [
    ...[0, 1, 2, 3].map((slice) => `steam${one}${range(slice)}`),
    `steam${two}${range(0)}`,
    ...[1, 2].map((slice) => `steam${chunk(78, 4_000_000)}${range(slice)}`),
    `testcdn/size/5000/a b/c${range(0)}`,
  ]
  expect(await readSize()).toMatchObject(found())
  const rows = indexed()
  expect(rows.map(({ digest }) => digest).toSorted()).toEqual(keys.map(digestOf).toSorted())
  expect(rows.every(({ issues }) => issues === 0)).toBe(true)
  const titles = new Set(rows.map(({ tag, titleKey }) => `${tag} ${titleKey}`))
  expect([...titles].toSorted()).toEqual([
    'steam alpha:441',
    'steam alpha:77',
    'steam alpha:78',
    'testcdn ',
  ])

  await download({ port: proxy.port, path: chunk(79, 10), headers: alphaHeaders })
  const removed = indexed()[0]?.digest ?? ''
  rmSync(join(proxy.cachePath, removed.slice(30), removed.slice(28, 30), removed))
  expect(await readSize()).toMatchObject(found())
  expect(indexed().map(({ digest }) => digest)).not.toContain(removed)
})
