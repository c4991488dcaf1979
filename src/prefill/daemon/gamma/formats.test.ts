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
import { seededRandom } from '../../../demo/random.ts'
import { readBlte } from './blte.ts'
import { parseConfig } from './config-text.ts'
import { FormatError } from '../content/format-error.ts'
import { readIndex } from './index-file.ts'
import { KeyTable } from './key-table.ts'
import { readDownloadManifest, readEncoding, readInstallManifest } from './manifests.ts'
import { parseHosts, parseVersions } from './tables.ts'

const key = (number: number) => md5(`key ${number}`)
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index))
const keyAt = (bytes: Buffer, at: number) => bytes.toString('hex', at, at + 16)
const blteText = (file: Buffer) => Buffer.concat([...readBlte(file)]).toString('latin1')

describe('tables', () => {
  const [build, cdn, ring] = [hex(key(1)), hex(key(2)), hex(key(3))]
  const head =
    'Region!STRING:0|BuildConfig!HEX:16|CDNConfig!HEX:16|KeyRing!HEX:16|VersionsName!String:0'

  test('the first row of the versions counts', () => {
    const text = `${head}\n## seqn = 5\nus|${build}|${cdn}|${ring}|1.2.3\neu|||||\n`
    expect(parseVersions(text)).toEqual({
      buildConfig: build,
      cdnConfig: cdn,
      keyRing: ring,
      name: '1.2.3',
    })
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
      hosts: [
        'level3.blizzard.com',
        'cdn.blizzard.com',
        'us.cdn.blizzard.com',
        'a.example.test',
        'b.example.test',
      ],
    })
    for (const path of ['', '../x', '/tpr', 'tpr/d3 HTTP/1.1', 'a//b']) {
      expect(() => parseHosts(text.replaceAll('tpr/d3', path))).toThrow(FormatError)
    }
  })

  test('configs: one or two keys, sizes, lists', () => {
    const list = keys(3).map(hex)
    const text = encodeConfig('Build', {
      download: list.slice(0, 2),
      'download-size': [10, 20],
      patch: list.slice(2),
      archives: [...list, 'no-key'],
    }).toString()
    const config = parseConfig(text, 'Build')
    expect(config.encodedKey('download')).toBe(list[1] ?? '')
    expect(config.encodedBytes('download')).toBe(20)
    expect(config.encodedKey('patch')).toBe(list[2] ?? '')
    expect(config.encodedKey('missing')).toBeNull()
    expect(config.encodedBytes('missing')).toBe(0)
    expect(config.keys('archives')).toEqual(list)
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
  ])('%p', (options) => expect(blteText(encodeBlte(content, options).bytes)).toBe(text))

  test('unknown modes, wrong headers and bombs are refused', () => {
    const good = encodeBlte(content).bytes
    const altered = (change: (file: Buffer) => void) => {
      const file = Buffer.from(good)
      change(file)
      return () => blteText(file)
    }
    expect(altered((file) => file.write('XLTE'))).toThrow('begin with BLTE')
    expect(altered((file) => (file[36] = 0x45))).toThrow('unknown mode 69')
    expect(altered((file) => file.writeUInt32BE(99, 4))).toThrow('malformed')
    expect(altered((file) => file.writeUInt32BE(0xff_ff_ff_ff, 12))).toThrow('too early')
    expect(altered((file) => file.writeUInt32BE(0x1f_ff_ff_ff, 16))).toThrow(
      'more than it can hold',
    )
    expect(altered((file) => file.writeUInt32BE(10, 16))).toThrow('cannot be decompressed')
    const bomb = Buffer.concat([Buffer.from('BLTE\0\0\0\0Z'), deflateSync(Buffer.alloc(3e8))])
    expect(() => blteText(bomb.subarray(0, 2000))).toThrow(FormatError)
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
  const chosen = (version: 1 | 2 | 3, rule: (name: string) => boolean) => {
    const sized = list.map((key) => ({ key, bytes: 5 }))
    const file = encodeBlte(encodeDownload(sized, tags, version), { chunkBytes: 33 }).bytes
    const found: number[] = []
    readDownloadManifest(file, rule, (bytes, at) =>
      found.push(list.map(hex).indexOf(keyAt(bytes, at))),
    )
    return found
  }

  test.each([1, 2, 3] as const)(
    'download manifest, version %d: any of a type, all types',
    (version) => {
      expect(chosen(version, (name) => ['Windows', 'enUS'].includes(name))).toEqual([0, 2, 4])
      expect(chosen(version, (name) => name === 'OSX')).toEqual([10, 11])
      expect(chosen(version, (name) => name.startsWith('en'))).toEqual([0, 1, 2, 4, 10, 19])
    },
  )

  test('without a matching tag everything is chosen', () => {
    expect(chosen(1, () => false)).toHaveLength(20)
  })

  test('install manifest', () => {
    const files = list.map((contentKey, index) => ({ path: `a\\b${index}`, contentKey, bytes: 1 }))
    const file = encodeBlte(encodeInstall(files, tags)).bytes
    const found: string[] = []
    readInstallManifest(
      file,
      (name) => name === 'enGB',
      (bytes, at) => found.push(keyAt(bytes, at)),
    )
    expect(found).toEqual([hex(key(1)), hex(key(19))])
  })

  test('encoding file, over several pages', () => {
    const files = keys(500).map((contentKey, index) => ({
      contentKey,
      encodedKey: key(index + 1000),
      bytes: 1,
    }))
    const found = new Map<string, string>()
    const file = encodeBlte(encodeEncoding(files), { chunkBytes: 5000 }).bytes
    readEncoding(file, (bytes, at, encodedAt) =>
      found.set(keyAt(bytes, at), keyAt(bytes, encodedAt)),
    )
    expect(found.size).toBe(500)
    expect(found.get(hex(key(77)))).toBe(hex(key(1077)))
  })
})

test('a table of keys', () => {
  const table = new KeyTable()
  const list = keys(20_000)
  for (const key of [...list, ...list]) table.add(key)
  expect(new Set(list.map((key) => table.indexOf(key))).size).toBe(20_000)
  expect(table.indexOf(key(-1))).toBe(-1)
  expect([table.mark(19_999), table.mark(19_999), table.mark(0)]).toEqual([true, false, true])
})

describe('ten thousand mutations neither crash nor hang a reader', () => {
  const tags = [{ name: 'enUS', type: 3, files: [0, 5] }]
  const list = keys(60)
  const download = encodeDownload(
    list.map((key) => ({ key, bytes: 5 })),
    tags,
    3,
  )
  const install = encodeInstall(
    list.map((contentKey) => ({ path: 'x', contentKey, bytes: 1 })),
    tags,
  )
  const encoding = encodeEncoding(
    list.map((key) => ({ contentKey: key, encodedKey: key, bytes: 1 })),
  )
  const plain = { isCompressed: false, chunkBytes: 700 }
  const index = encodeIndex(list.map((key) => ({ key, bytes: 9, offset: 4 })))
  const readers: [string, Buffer, (file: Buffer) => void][] = [
    ['BLTE', encodeBlte(Buffer.alloc(3000, 'x'), { chunkBytes: 500 }).bytes, blteText],
    ['index', index, (file) => readIndex(file, () => {})],
    [
      'download manifest',
      encodeBlte(download, plain).bytes,
      (file) =>
        readDownloadManifest(
          file,
          (name) => name === 'enUS',
          () => {},
        ),
    ],
    [
      'install manifest',
      encodeBlte(install, plain).bytes,
      (file) =>
        readInstallManifest(
          file,
          () => true,
          () => {},
        ),
    ],
    ['encoding file', encodeBlte(encoding, plain).bytes, (file) => readEncoding(file, () => {})],
  ]

  test.each(readers)('%s', (_name, good, read) => {
    read(good)
    const random = seededRandom(7)
    let refused = 0
    for (let round = 0; round < 2000; round++) {
      const file = Buffer.from(good)
      for (let left = random.between(1, 6); left > 0; left--) {
        // Headers and footers decide most, so they are hit more often.
        const place = random.pick([40, 40, file.length])
        const at = random.between(0, Math.min(place, file.length) - 1)
        file[random.between(0, 3) === 0 ? file.length - 1 - at : at] = random.pick([
          0, 1, 127, 128, 255,
        ])
      }
      const end = random.between(0, 9) === 0 ? random.between(0, file.length) : file.length
      try {
        read(file.subarray(0, end))
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        refused++
      }
    }
    expect(refused).toBeGreaterThan(200)
  })
})
