import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import {
  encodeBlte,
  encodeConfig,
  encodeDownload,
  encodeEncoding,
  encodeIndex,
  encodeInstall,
  hex,
  md5,
  type EncodedTag,
} from '../../../../test/support/stand-ins/gamma-encoder.ts'
import { arriving } from '../../../../test/support/arriving.ts'
import { seededRandom } from '../../../demo/random.ts'
import { wantedRanges } from './archive-ranges.ts'
import { readBlte } from './blte.ts'
import { ByteSource } from './byte-source.ts'
import { parseConfig } from './config-text.ts'
import { FormatError } from '../content/format-error.ts'
import { readIndex } from './index-file.ts'
import { KeySet } from './key-set.ts'
import { readDownloadManifest, readEncoding, readInstallManifest } from './manifests.ts'
import { parseHosts, parseVersions } from './tables.ts'

const key = (number: number) => md5(`key ${number}`)
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index))
const keyAt = (bytes: Buffer, at: number) => bytes.toString('hex', at, at + 16)

const sourceOf = (bytes: Buffer, partBytes?: number) => new ByteSource(arriving(bytes, partBytes))

async function textOf(source: ByteSource): Promise<string> {
  let text = ''
  for await (const part of source.rest()) text += part.toString('latin1')
  return text
}

const blteText = (file: Buffer, key: Buffer) => readBlte(arriving(file), hex(key), textOf)

describe('tables', () => {
  const [build, cdn, ring] = [hex(key(1)), hex(key(2)), hex(key(3))]
  const head =
    'Region!STRING:0|BuildConfig!HEX:16|CDNConfig!HEX:16|KeyRing!HEX:16|VersionsName!String:0' +
    '|ProductConfig!HEX:16'

  test('the first row of the versions counts', () => {
    const product = hex(key(4))
    const text = `${head}\n## seqn = 5\nus|${build}|${cdn}|${ring}|1.2.3|${product}\neu|||||\n`
    const version = {
      buildConfig: build,
      cdnConfig: cdn,
      keyRing: ring,
      productConfig: product,
      name: '1.2.3',
    }
    for (const name of ['KeyRing', 'KEYRING', 'Keyring']) {
      expect(parseVersions(text.replace('KeyRing', name))).toEqual(version)
    }
    expect(parseVersions(text.replace(ring, '')).keyRing).toBeNull()
  })

  test.each([
    '',
    '<html>',
    head,
    `${head}\nus|../../etc|${cdn}||1`,
    `${head}\nus|${build}|${cdn}||`,
  ])('versions refused: %j', (text) => expect(() => parseVersions(text)).toThrow(FormatError))

  test('hosts of all rows follow the usual ones, each once', () => {
    const text =
      'Name!STRING:0|Path!STRING:0|Hosts!STRING:0\nus|tpr/d3|a.example.test cdn.blizzard.com\n' +
      'eu|tpr/d3|b.example.test a.example.test bad\u0000host\n'
    expect(parseHosts(text)).toEqual({
      path: 'tpr/d3',
      configPath: 'tpr/configs/data',
      hosts: [
        'level3.blizzard.com',
        'cdn.blizzard.com',
        'us.cdn.blizzard.com',
        'a.example.test',
        'b.example.test',
      ],
    })
    const withConfigs = (path: string) =>
      parseHosts(`Path!STRING:0|ConfigPath!STRING:0\ntpr/d3|${path}\n`).configPath
    expect(withConfigs('tpr/other/data')).toBe('tpr/other/data')
    expect(withConfigs('../etc')).toBe('tpr/configs/data')
    for (const path of ['', '../x', '/tpr', 'tpr/d3 HTTP/1.1', 'a//b']) {
      expect(() => parseHosts(text.replaceAll('tpr/d3', path))).toThrow(FormatError)
    }
  })

  test('configs: one or two keys, sizes, lists', () => {
    const list = keys(3).map(hex)
    const text = encodeConfig('Build', {
      download: list.slice(0, 2),
      'download-size': [10, 20],
      install: list.slice(0, 2),
      'install-size': [10],
      patch: list.slice(2),
      archives: [...list, 'no-key'],
    }).toString()
    const config = parseConfig(text, 'Build')
    expect(config.encodedKey('download')).toBe(list[1] ?? '')
    expect(config.encodedBytes('download')).toBe(20)
    expect(config.encodedBytes('install')).toBe(0)
    expect(config.encodedKey('patch')).toBe(list[2] ?? '')
    expect(config.encodedKey('missing')).toBeNull()
    expect(config.encodedBytes('missing')).toBe(0)
    expect(config.keys('archives')).toEqual(list)
    expect(config.names.slice(0, 2)).toEqual(['download', 'download-size'])
    expect(() => parseConfig(text, 'CDN')).toThrow(FormatError)
  })
})

describe('BLTE', () => {
  const text = 'some content '.repeat(5000)
  const content = Buffer.from(text)

  test.each([
    {},
    { isCompressed: false },
    { chunkBytes: 1000 },
    { isSimple: true },
    { isSimple: true, isCompressed: false },
  ])('%p', async (options) => {
    const { bytes, encodedKey } = encodeBlte(content, options)
    expect(await blteText(bytes, encodedKey)).toBe(text)
  })

  test('what is not read is passed over, and damaged content is refused there, too', async () => {
    const { bytes, encodedKey } = encodeBlte(content, { chunkBytes: 10_000, isCompressed: false })
    const beginning = async (file: Buffer) => {
      const parts = arriving(file, 700)
      const read = async (source: ByteSource) => (await source.take(4)).toString()
      const found = await readBlte(parts, hex(encodedKey), read)
      return { found, isAtEnd: (await parts.next()).done }
    }
    expect(await beginning(bytes)).toEqual({ found: 'some', isAtEnd: true })
    const damaged = Buffer.from(bytes)
    damaged[damaged.length - 100] = 0
    expect(await beginning(damaged).catch(String)).toContain('a BLTE chunk is damaged')
  })

  test.each([true, false])(
    'a connection that breaks off is no damage, inflated: %p',
    async (isCompressed) => {
      const random = seededRandom(1)
      const noise = Buffer.from(Array.from({ length: 200_000 }, () => random.between(0, 255)))
      const { bytes, encodedKey } = encodeBlte(noise, { isCompressed, chunkBytes: 150_000 })
      async function* broken() {
        yield* arriving(bytes.subarray(0, 100_000))
        throw new Error('broken off')
      }
      const error: unknown = await readBlte(broken(), hex(encodedKey), textOf).catch(
        (it: unknown) => it,
      )
      expect(error).toEqual(new Error('broken off'))
      expect(error).not.toBeInstanceOf(FormatError)
    },
  )

  test('unknown modes, wrong headers, other keys and bombs are refused', async () => {
    const { bytes, encodedKey } = encodeBlte(content)
    const altered = (change: (file: Buffer) => void, isKeyRight = true) => {
      const file = Buffer.from(bytes)
      change(file)
      return blteText(file, isKeyRight ? md5(file.subarray(0, 36)) : encodedKey)
    }
    const refused = async (result: Promise<unknown>, reason: string) => {
      const error: unknown = await result.catch((it: unknown) => it)
      expect(error).toBeInstanceOf(FormatError)
      expect(String(error)).toContain(reason)
    }
    await refused(
      altered((file) => file.write('XLTE')),
      'begin with BLTE',
    )
    await refused(
      altered((file) => (file[36] = 0x45)),
      'unknown mode 69',
    )
    await refused(
      altered((file) => file.writeUInt32BE(99, 4)),
      'malformed',
    )
    await refused(
      altered((file) => file.writeUInt32BE(60_000, 12)),
      'too early',
    )
    await refused(
      altered((file) => file.writeUInt32BE(0x1f_ff_ff_ff, 16)),
      'more than it can hold',
    )
    await refused(
      altered((file) => file.writeUInt32BE(10, 16)),
      'more than it announces',
    )
    await refused(
      altered((file) => (file[20] = 1 - (file[20] ?? 0)), false),
      'another key',
    )
    await refused(
      altered((file) => (file[60] = 1 - (file[60] ?? 0))),
      '',
    )
    const bomb = Buffer.concat([Buffer.from('BLTE\0\0\0\0Z'), deflateSync(Buffer.alloc(3e8))])
    await refused(blteText(bomb.subarray(0, 2000), encodedKey), 'cannot be decompressed')
  })
})

describe('indexes', () => {
  const entries = keys(1000).map((key, index) => ({ key, bytes: index + 1, offset: index * 7 }))
  const read = (file: Buffer) => {
    const found = new Map<string, { bytes: number; offset: number }>()
    readIndex(file, (at, bytes, offset) => found.set(keyAt(file, at), { bytes, offset }))
    return found
  }

  test('of an archive, over several blocks', () => {
    const found = read(encodeIndex(entries))
    expect(found.size).toBe(1000)
    expect(found.get(hex(key(999)))).toEqual({ bytes: 1000, offset: 6993 })
  })

  test('of loose files, without offsets', () => {
    const found = read(encodeIndex(entries, { isLoose: true }))
    expect(found.size).toBe(1000)
    expect(found.get(hex(key(0)))).toEqual({ bytes: 1, offset: 0 })
  })

  test('a big-endian number of entries, and none at all', () => {
    const file = encodeIndex(entries)
    file.writeUInt32BE(1000, file.length - 12)
    expect(read(file).size).toBe(1000)
    expect(read(encodeIndex([])).size).toBe(0)
  })

  test('refused: no footer, other sizes, fewer entries than announced', () => {
    const file = encodeIndex(entries)
    const altered = (at: number, value: number) => {
      const copy = Buffer.from(file)
      copy[copy.length - 20 + at] = value
      return () => read(copy)
    }
    expect(() => read(file.subarray(0, 20))).toThrow(FormatError)
    expect(altered(0, 2)).toThrow(FormatError)
    expect(altered(3, 0)).toThrow(FormatError)
    expect(altered(6, 9)).toThrow(FormatError)
    expect(altered(9, 0xff)).toThrow('fewer entries')
  })
})

describe('manifests', () => {
  const list = keys(20)
  const tags: EncodedTag[] = [
    { name: 'Windows', type: 1, files: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
    { name: 'OSX', type: 1, files: [10, 11] },
    { name: 'enUS', type: 3, files: [0, 2, 4, 10] },
    { name: 'enGB', type: 3, files: [1, 19] },
  ]
  /** Numbers of the keys that a set holds. */
  const numbers = (set: KeySet) => {
    set.sort()
    return list.flatMap((key, index) => (set.has(key) ? [index] : []))
  }
  const chosen = async (version: 1 | 2 | 3, rule: (name: string) => boolean) => {
    const sized = list.map((key) => ({ key, bytes: 5 }))
    const content = encodeDownload(sized, tags, version)
    return numbers(await readDownloadManifest(sourceOf(content, 33), rule))
  }

  test.each([1, 2, 3] as const)(
    'download manifest, version %d: any of a type, all types',
    async (version) => {
      expect(await chosen(version, (name) => ['Windows', 'enUS'].includes(name))).toEqual([0, 2, 4])
      expect(await chosen(version, (name) => name === 'OSX')).toEqual([10, 11])
      expect(await chosen(version, (name) => name.startsWith('en'))).toEqual([0, 1, 2, 4, 10, 19])
    },
  )

  test('without a matching tag everything is chosen', async () => {
    expect(await chosen(1, () => false)).toHaveLength(20)
  })

  test('install manifest', async () => {
    const files = list.map((contentKey, index) => ({ path: `a\\b${index}`, contentKey, bytes: 1 }))
    const source = sourceOf(encodeInstall(files, tags), 7)
    expect(numbers(await readInstallManifest(source, (name) => name === 'enGB'))).toEqual([1, 19])
  })

  test('encoding file, over several pages', async () => {
    const files = keys(500).map((contentKey, index) => ({
      contentKey,
      encodedKey: list[index] ?? key(index + 1000),
      bytes: 1,
    }))
    const wanted = new KeySet()
    for (const number of [3, 7, 19]) wanted.add(key(number))
    const source = sourceOf(encodeEncoding(files))
    const found = await readEncoding(source, wanted.sort())
    expect(found.size).toBe(3)
    expect(numbers(found)).toEqual([3, 7, 19])
  })
})

test('a set of keys', () => {
  const set = new KeySet()
  const list = keys(20_000)
  for (const key of [...list, ...list]) set.add(key)
  set.keep((index) => index % 2 === 0)
  const further = new KeySet()
  further.add(key(-2))
  set.addAll(further)
  set.sort()
  expect(set.size).toBe(20_001)
  for (const [index, key] of list.entries()) expect(set.has(key)).toBe(index % 2 === 0)
  expect([set.has(key(-1)), set.has(key(-2))]).toEqual([false, true])
  expect([set.take(key(-1)), set.take(key(2)), set.take(key(2))]).toEqual([false, true, false])
})

test('ranges of an archive: near ones are one, each key counts once', () => {
  const random = seededRandom(3)
  const files = keys(300).map((key) => ({ key, bytes: random.between(1, 9000), isWanted: false }))
  let offset = 0
  const entries = files.map((file) => {
    file.isWanted = random.between(0, 2) === 0
    const entry = { ...file, offset }
    offset += file.bytes + random.pick([0, 0, 5000])
    return entry
  })
  const wanted = new KeySet()
  for (const { key, isWanted } of entries) if (isWanted) wanted.add(key)
  const index = encodeIndex(entries)
  const bounds = [...wantedRanges(index, wanted.sort())]
  expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
  const gaps = bounds
    .slice(1, -1)
    .flatMap((last, at) => (at % 2 === 0 ? [(bounds[at + 2] ?? 0) - last - 1] : []))
  expect(gaps.length).toBeGreaterThan(20)
  expect(Math.min(...gaps)).toBeGreaterThan(4096)
  // Bytes of no wanted file are requested only in gaps of at most 4096.
  const isIn = (at: number) =>
    bounds.filter((bound) => bound < at).length % 2 === 1 || bounds.includes(at)
  for (const { offset: first, bytes, isWanted } of entries) {
    if (isWanted) expect([isIn(first), isIn(first + bytes - 1)]).toEqual([true, true])
    else if (bytes > 8192) expect(isIn(first + 4097)).toBe(false)
  }
  expect(wantedRanges(index, wanted)).toHaveLength(0)
})
