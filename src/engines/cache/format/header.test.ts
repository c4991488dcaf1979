import { describe, expect, test } from 'bun:test'
import { cacheFileBytes, cacheFilePath, sliceKey } from '../../../demo/cache-generator.ts'
import { structuralIssues } from '../contract.ts'
import { issueBits, readHead } from './header.ts'
import { digestOf, dirName, dirOfDigest, pathOfDigest } from './key.ts'
import { keyFormatOf, keysAt, parseKey, serviceOfKeyTag } from './key-scheme.ts'
import { serviceOfStem } from '../../logs/lines/service-name.ts'

const key = sliceKey('steam', '/depot/434174/chunk/0123456789abcdef0123456789abcdef01234567', 0)
const name = digestOf(key)
const cacheFile = (options: { head?: string; body?: number; etag?: string } = {}) =>
  Buffer.from(
    cacheFileBytes({
      key,
      body: new Uint8Array(options.body ?? 1000),
      storedAt: 1_795_211_569,
      etag: options.etag ?? '"e1"',
      ...(options.head === undefined ? {} : { head: options.head }),
    }),
  )
const judge = (bytes: Buffer, fileName = name) => readHead(bytes, bytes.length, fileName)
const patched = (change: (bytes: Buffer) => void) => {
  const bytes = cacheFile()
  change(bytes)
  return judge(bytes)
}

describe('keys', () => {
  test('published test vectors have the paths that nginx uses', () => {
    expect(name).toBe('6137b601dec7f0ebda2f24f2e8599ca7')
    expect(pathOfDigest(name)).toBe('a7/9c/6137b601dec7f0ebda2f24f2e8599ca7')
    expect(cacheFilePath(key)).toBe(pathOfDigest(name))
    expect(dirName(dirOfDigest(name))).toBe('a7/9c')
    const large = '/depot/529345/chunk/c8e5d44ca8618200552eb754ff6f6922c92a54ff'
    const format = keyFormatOf('monolithic', 'steam')
    const steamKeys = format === null ? [] : keysAt(format, large, 0, 10_485_760)
    expect(steamKeys.map(digestOf)).toContain('22e7d56f787714bc78e23495d93da0db')
  })

  test.each([
    ['monolithic', 'steam', 0, ['steam/a', 'steam/a::noslice']],
    ['monolithic', 'steam', 10, ['steam/abytes=20-29', 'steam/a', 'steam/a::noslice']],
    ['monolithic', '', 10, null],
    ['bare_metal', 'lancache-steam', 10, ['lancache-steam/a']],
    ['bare_metal', 'epic', 10, ['lancache-epicgames/a']],
    [
      'bare_metal',
      'xboxlive',
      10,
      ['lancache-windows-update/abytes=20-29', 'lancache-windows-update/a'],
    ],
    ['bare_metal', 'blizzard', 0, ['lancache-blizzard/a']],
    ['bare_metal', 'constructor', 10, null],
  ] as const)('%s proxy, tag "%s", slices of %d bytes', (scheme, tag, sliceBytes, keys) => {
    const format = keyFormatOf(scheme, tag)
    expect(format && keysAt(format, '/a', 25, sliceBytes)).toEqual(keys && [...keys])
  })

  test('services of a per-host proxy are those of its logs', () => {
    const services = Object.values(serviceOfStem).filter((service) => service !== null)
    expect(services).toHaveLength(5)
    for (const service of services) {
      const { keyTag = '' } = keyFormatOf('bare_metal', service) ?? {}
      expect([keyTag, serviceOfKeyTag(keyTag)]).toEqual([
        expect.stringMatching(/^lancache-/),
        service,
      ])
    }
  })

  test.each([
    ['steam/a/bbytes=1048576-2097151', { tag: 'steam', uri: '/a/b', sliceStart: 1_048_576 }],
    ['h:8080/x::noslice', { tag: 'h:8080', uri: '/x', sliceStart: -2 }],
    ['lancache-riot/x?a=1', { tag: 'lancache-riot', uri: '/x?a=1', sliceStart: -1 }],
    ['/x', { tag: '', uri: '/x', sliceStart: -1 }],
  ])('parses %s', (text, parts) => {
    expect(parseKey(text)).toMatchObject(parts)
  })

  test('rejects a text without a path', () => expect(parseKey('nothing')).toBeNull())
})

describe('headers', () => {
  test('an intact file has no finding and states its contents', () => {
    const head = judge(cacheFile())
    expect(head).toMatchObject({ issues: [], skipped: null, httpStatus: 206, etag: '"e1"' })
    expect(Buffer.from(head.key ?? []).toString()).toBe(key)
    expect(head.range).toEqual({ first: 0, last: 999, total: 1000 })
    expect(head).toMatchObject({ headerStart: 423, storedAt: 1_795_211_569, lastModifiedAt: -1 })
  })

  test('each kind of damage has its finding', () => {
    expect(judge(Buffer.alloc(0)).issues).toEqual(['empty_cache_file'])
    expect(judge(cacheFile().subarray(0, 100)).issues).toEqual(['truncated_cache_header'])
    expect(judge(cacheFile().subarray(0, 380)).issues).toEqual(['truncated_cache_header'])
    expect(judge(cacheFile().subarray(0, 450)).issues).toEqual(['truncated_before_payload'])
    expect(patched((bytes) => bytes.fill(0, 0, 400)).issues).toEqual(['malformed_cache_header'])
    expect(patched((bytes) => bytes.fill(0, 0, 64)).issues).toEqual(['malformed_cache_header'])
    expect(patched((bytes) => bytes.fill(0)).issues).toEqual(['malformed_cache_header'])
    expect(patched((bytes) => bytes.writeUInt8(0x20, 336)).issues).toEqual([
      'malformed_cache_header',
    ])
    expect(patched((bytes) => bytes.writeUInt8(0x21, 350)).issues).toEqual([
      'malformed_cache_header',
    ])
    expect(patched((bytes) => bytes.writeUInt8(200, 58)).issues).toEqual(['malformed_cache_header'])
    expect(patched((bytes) => bytes.writeUInt16LE(400, 56)).issues).toEqual([
      'invalid_payload_offset',
    ])
    expect(judge(cacheFile(), digestOf('another')).issues).toEqual(['cache_key_path_mismatch'])
    expect(judge(Buffer.concat([cacheFile(), Buffer.alloc(5)])).issues).toEqual([
      'content_range_length_mismatch',
    ])
    const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 999'
    expect(judge(cacheFile({ head: whole })).issues).toEqual(['payload_length_mismatch'])
    const conflict =
      'HTTP/1.1 206 Partial Content\r\nContent-Length: 7\r\nContent-Range: bytes 0-999/1000'
    expect(judge(cacheFile({ head: conflict })).issues).toEqual(['content_length_range_conflict'])
  })

  test.each([
    ['HTTP/1.1 302 Found\r\nContent-Length: 1000', 'unsupported_status'],
    ['HTTP/1.1 200 OK', 'no_authoritative_length'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2', 'ambiguous_http_headers'],
    ['HTTP/1.1 200 OK\r\nX: 1\r\n folded', 'ambiguous_http_headers'],
    ['HTTP/1.1 206 Partial Content\r\nContent-Range: rows 1-2/3', 'unsupported_range_shape'],
  ])('skips %j: %s', (head, reason) => {
    expect(judge(cacheFile({ head }))).toMatchObject({ skipped: reason, issues: [] })
  })

  test('refuses another version with its reason', () => {
    const head = patched((bytes) => bytes.writeBigUInt64LE(4n, 0))
    expect(head).toMatchObject({ skipped: 'unsupported_cache_version', issues: [] })
  })

  test('accepts another file name for a Vary variant', () => {
    // Written by nginx for `Accept-Encoding: gzip`.
    const variant = '4bc46634f5d09ded4d1e0fc8b2330d4d'
    const varied = 'x.unknown.test/varybytes=0-1048575'
    const bytes = Buffer.from(
      cacheFileBytes({ key: varied, body: new Uint8Array(9), storedAt: 1_795_211_569 }),
    )
    bytes.writeUInt8(15, 187)
    bytes.write('Accept-Encoding', 188)
    bytes.write(variant, 316, 'hex')
    expect(judge(bytes, variant).issues).toEqual([])
    expect(judge(bytes, digestOf('third')).issues).toEqual(['cache_key_path_mismatch'])
  })

  test('arbitrary bytes never throw', () => {
    let seed = 7
    for (let round = 0; round < 2000; round++) {
      const bytes = cacheFile()
      for (let change = 0; change < 4; change++) {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
        bytes.writeUInt8((seed >>> 16) & 0xff, seed % (round % 2 === 0 ? 600 : 64))
      }
      const cut = bytes.subarray(0, seed % (bytes.length + 1))
      const { issues, skipped } = judge(cut)
      expect(issues.length + Number(skipped !== null)).toBeLessThan(3)
    }
  })

  test('findings are bits in the order of their list', () => {
    expect(issueBits([])).toBe(0)
    expect(issueBits(structuralIssues.slice(0, 3))).toBe(0b111)
    expect(issueBits(structuralIssues.slice(2, 3))).toBe(0b100)
  })
})
