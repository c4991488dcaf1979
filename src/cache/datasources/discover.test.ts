import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { configHash, sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { discoverDatasources, withDiscovered } from './discover.ts'

let root: string

beforeEach(() => {
  root = tempFolder('discover')
  for (const name of ['cache', 'logs']) mkdirSync(join(root, name))
})

const put = (path: string, text = '') => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const cacheAt = (path: string) =>
  writeCacheFile(join(root, 'cache', path), {
    key: sliceKey('steam', '/depot/1/chunk/a', 0),
    body: new Uint8Array(3),
    storedAt: 1_800_000_000,
  })
const logAt = (path: string, name = 'access.log') => put(join('logs', path, name))

const discover = () =>
  discoverDatasources(join(root, 'cache'), join(root, 'logs')).map((source) => ({
    name: source.name,
    cache: source.cachePath.slice(root.length + 7),
    log: source.logPath.slice(root.length + 6),
  }))

describe('what counts as a datasource', () => {
  test('the root pair is Default, nested pairs are named after their folder', () => {
    cacheAt('')
    logAt('')
    cacheAt('lan-party')
    logAt('lan-party')
    cacheAt('attic')
    logAt('attic', 'access.log.2.gz')
    expect(discover()).toEqual([
      { name: 'Default', cache: '', log: '' },
      { name: 'Attic', cache: 'attic', log: 'attic' },
      { name: 'Lan-Party', cache: 'lan-party', log: 'lan-party' },
    ])
  })

  test('neither a cache without logs nor logs without a cache', () => {
    cacheAt('one')
    put('logs/one/notes.txt')
    logAt('two')
    mkdirSync(join(root, 'cache/two'))
    expect(discover()).toEqual([])
  })

  test('any file makes a cache; per-service logs in http/ make a log folder', () => {
    put('cache/one/some-file')
    logAt('one/http', 'steam-access.log')
    expect(discover()).toEqual([{ name: 'One', cache: 'one', log: 'one' }])
  })

  test("the stock proxy's volume: the cache is one level down", () => {
    put('cache/one/CONFIGHASH', configHash)
    cacheAt('one/cache')
    logAt('one')
    expect(discover()).toEqual([{ name: 'One', cache: 'one/cache', log: 'one' }])
  })

  test('three levels below the root, not four', () => {
    cacheAt('a/b/c')
    logAt('a/b/c')
    cacheAt('a/b/c/d')
    logAt('a/b/c/d')
    expect(discover().map(({ cache }) => cache)).toEqual(['a/b/c'])
  })
})

describe('pairing', () => {
  test.each([
    ['the same name before another case', ['Games', 'games'], ['games', 'Games']],
    ['another case', ['Games'], ['games']],
    ['hyphens, underscores and spaces', ['lan_party'], ['LAN-Party']],
    ['a plural', ['steamgames'], ['steam-game']],
  ])('%s', (_, caches, logs) => {
    for (const name of [...caches, 'unrelated', 'another']) cacheAt(`x/${name}`)
    for (const name of [...logs, 'foreign', 'strange']) logAt(`x/${name}`)
    const pairs = discover().map(({ cache, log }) => `${cache} ${log}`)
    const expected = caches.map((name) => {
      const log = logs.includes(name) ? name : (logs[0] ?? '')
      return `x/${name} x/${log}`
    })
    expect(pairs.sort()).toEqual(expected.sort())
  })

  test('short names keep their last letter', () => {
    for (const name of ['abcs', 'other']) cacheAt(`x/${name}`)
    for (const name of ['abc', 'thing']) logAt(`x/${name}`)
    expect(discover()).toEqual([])
  })

  test('the only one left on either side', () => {
    for (const name of ['one', 'store']) cacheAt(name)
    for (const name of ['one', 'logbook']) logAt(name)
    expect(discover().map(({ name, log }) => `${name} ${log}`)).toEqual([
      'One one',
      'Store logbook',
    ])
  })

  test('but not below folders that are datasources themselves', () => {
    cacheAt('')
    logAt('')
    cacheAt('other')
    logAt('old')
    expect(discover().map(({ name }) => name)).toEqual(['Default'])
  })
})

describe('skipped', () => {
  test('hidden, underscored and two-digit folders, and links', () => {
    for (const name of ['.hidden', '_kept', 'ab']) {
      mkdirSync(join(root, 'cache/x', name), { recursive: true })
      put(join('cache/x', name, 'file'))
      logAt(join('x', name))
    }
    cacheAt('real')
    logAt('real')
    symlinkSync(join(root, 'cache/real'), join(root, 'cache/linked'))
    symlinkSync(join(root, 'logs/real'), join(root, 'logs/linked'))
    expect(discover().map(({ name }) => name)).toEqual(['Real'])
  })

  test('a deeper one with the same name', () => {
    cacheAt('site')
    logAt('site')
    cacheAt('more/site')
    logAt('more/site')
    expect(discover()).toEqual([{ name: 'Site', cache: 'site', log: 'site' }])
  })
})

describe('names', () => {
  test('duplicates side by side are prefixed with their parent folder', () => {
    for (const site of ['alfa', 'bravo']) {
      cacheAt(`${site}/cache`)
      logAt(`${site}/cache`)
    }
    expect(discover().map(({ name }) => name)).toEqual(['Bravo-Cache', 'Cache'])
  })

  test('only the root is called default; invalid characters become hyphens', () => {
    for (const name of ['default', 'höhle 7']) {
      cacheAt(name)
      logAt(name)
    }
    expect(discover().map(({ name }) => name)).toEqual(['Default-2', 'H-Hle-7'])
  })
})

describe('in the configuration', () => {
  const read = (extra: Record<string, string> = {}) =>
    withDiscovered(
      readConfig({
        LanCache__CachePath: join(root, 'cache'),
        LanCache__LogPath: join(root, 'logs'),
        LanCache__AutoDiscoverDatasources: 'true',
        ...extra,
      }),
    ).datasources.map(({ name }) => name)

  test('discovered datasources are used unless some are listed', () => {
    cacheAt('one')
    logAt('one')
    expect(read()).toEqual(['One'])
    expect(read({ LanCache__AutoDiscoverDatasources: 'false' })).toEqual(['default'])
    const listed = {
      LanCache__DataSources__0__Name: 'mine',
      LanCache__DataSources__0__CachePath: join(root, 'cache/one'),
      LanCache__DataSources__0__LogPath: join(root, 'logs/one'),
    }
    expect(read(listed)).toEqual(['mine'])
  })

  test('without any, the pair itself is used', () => expect(read()).toEqual(['default']))
})
