import { describe, expect, test } from 'bun:test'
import { latin1 } from '../../titles/bytes.ts'
import { seededRandom } from '../../../demo/random.ts'
import { cacheHit, cacheMiss, cacheNone, firstByteOf, Line, makeTag, readRequest } from './line.ts'
import { parseTime } from './log-time.ts'
import { normalisedPath } from '../../cache/format/key-scheme.ts'
import { addToSample, hashPath, maxObjectKeys, targetText, type SampledKey } from './object-keys.ts'
import { parseLine, type SeriesHint } from './parse-line.ts'
import { serviceOfTag } from './service-name.ts'

const shared: SeriesHint = { tag: null, isFallback: false }
const perHost: SeriesHint = { tag: makeTag('windows-update', 'wsus'), isFallback: false }

function read(text: string, hint = shared) {
  const buffer = Buffer.from(`before\n${text}\nafter "x" y`, 'utf8')
  const from = 7
  const line = new Line()
  const outcome = parseLine(line, hint, buffer, { from, to: from + Buffer.byteLength(text) })
  return {
    outcome,
    at: line.timeS,
    tag: line.tag.text,
    service: line.tag.service,
    client: line.client.address,
    status: line.status,
    bytes: line.bytes,
    cache: line.cache,
    target: targetText(line, buffer),
    host: latin1(buffer, line.host.from, line.host.to),
    range: latin1(buffer, line.range.from, line.range.to),
  }
}

const at = Date.UTC(2026, 10, 20, 21, 52, 49) / 1000
const time = '20/Nov/2026:21:52:49 +0000'

test('keeps the names of a JSON line when its block is refilled', () => {
  const block = Buffer.alloc(400)
  const line = new Line()
  const readJson = (members: Record<string, string>) => {
    const text = JSON.stringify({
      timestamp: '1795211569.672',
      remote_addr: '10.0.0.1',
      ...members,
      bytes_sent: '7',
    })
    block.fill(0x20)
    block.write(text)
    return parseLine(line, shared, block, { from: 0, to: text.length })
  }
  expect(readJson({ padding: 'x'.repeat(9), status: '200' })).toBe('parsed')
  // The second member is now where another name was before.
  expect(readJson({ status: '404', pad: 'status":"200' })).toBe('parsed')
  expect([line.status, line.bytes]).toEqual([404, 7])
  expect(readJson({ path: '/a', status: '206' })).toBe('parsed')
  expect([line.status, latin1(block, line.target.from, line.target.to)]).toEqual([206, '/a'])
})

describe('the common format', () => {
  test.each([
    [
      `[steam] 192.168.1.50 / - - - [${time}] "GET /depot/4/chunk/a HTTP/1.1" 200 1048576 "-" "Valve/Steam HTTP Client 1.0" "HIT" "lancache.steamcontent.com" "-"`,
      { tag: 'steam', client: '192.168.1.50', bytes: 1048576, cache: cacheHit },
    ],
    [
      `[x.test:8080] fe80::1 / 10.1.2.3, 10.0.0.1 - jane doe [${time}] "GET /a//b?c HTTP/1.1" 206 5 "-" "q\\x22 [x]" "EXPIRED" "x.test" "bytes=5-9"`,
      {
        tag: 'x.test:8080',
        client: 'fe80::1',
        cache: cacheMiss,
        target: '/a//b?c',
        range: 'bytes=5-9',
      },
    ],
    [
      `[[::1]:80] ::ffff:10.0.0.9 / - - - [${time}] "GET /\\xC3\\xA9 HTTP/1.1" 200 1 "-" "-" "STALE" "x" "-"`,
      { service: 'localhost', client: '10.0.0.9', target: '/é', cache: cacheHit },
    ],
    [
      `[] 192.168.1.99 / - - - [${time}] "GARBAGE" 400 157 "-" "-" "-" "" "-"`,
      { tag: '', service: 'unknown', target: 'GARBAGE', cache: cacheNone, host: '' },
    ],
    [
      `10.0.0.1 / - - - [${time}] "GET / HTTP/1.0" 000 - "-" "-"`,
      { service: 'unknown', status: 0, bytes: 0 },
    ],
  ])('%s', (text, fields) => {
    expect(read(text)).toMatchObject({ outcome: 'parsed', at, ...fields })
  })

  test.each([
    '[steam] 10.0.0.1',
    `[steam] 10.0.0.1 / - - - [99/Nov/2026:21:52:49 +0000] "GET / HTTP/1.1" 200 1 "-"`,
    `[steam] 10.0.0.1 / - - - [${time}] "GET / HTTP/1.1" 2x0 1 "-"`,
    `[steam] 10.0.0.1 / - - - [${time}] "GET / HTTP/1.1`,
    'steam" "" ""',
    '{"a":1',
    '{"timestamp":"1","status":"200"}',
  ])('unreadable: %s', (text) => {
    expect(read(text).outcome).toBe('unparsed')
  })
})

test('JSON lines: numbers as text, absent fields empty, milliseconds', () => {
  const line =
    '{"timestamp":"1795211569.672","time_local":"x","cache_identifier":"steam","remote_addr":"10.0.0.2",' +
    '"forwarded_for":"1, \\"2\\"","remote_user":"","status":"200","bytes_sent":1048576,"referer":"",' +
    '"user_agent":"a\\\\","upstream_cache_status":"REVALIDATED","host":"h.test","http_range":"",' +
    '"method":"GET","path":"/depot/4/a\\"b","proto":"HTTP/1.1","scheme":"http"}'
  expect(read(line)).toMatchObject({
    outcome: 'parsed',
    at: 1795211569,
    tag: 'steam',
    client: '10.0.0.2',
    bytes: 1048576,
    cache: cacheHit,
    target: '/depot/4/a"b',
    host: 'h.test',
  })
})

const jsonLine = (members: Record<string, unknown>) =>
  JSON.stringify({ status: '200', remote_addr: '10.0.0.2', timestamp: `${at}.0`, ...members })

test('JSON lines: full names, in any order, different from line to line', () => {
  const line = new Line()
  const read = (members: Record<string, unknown>) => {
    const buffer = Buffer.from(jsonLine(members))
    const outcome = parseLine(line, shared, buffer, { from: 0, to: buffer.length })
    return { outcome, bytes: line.bytes, path: targetText(line, buffer) }
  }
  const near = { hose: 'x', pats: '/no', bytes_send: '3', statup: '500', __proto__x: '1' }
  expect(read({ path: '/a', ...near, bytes_sent: 5 })).toEqual({
    outcome: 'parsed',
    bytes: 5,
    path: '/a',
  })
  expect(read({ ...near, bytes_sent: 6, path: '/b' })).toMatchObject({ bytes: 6, path: '/b' })
  expect(read({ path: '/a', ...near })).toMatchObject({ outcome: 'unparsed' })
  expect(read({ ['x'.repeat(10_000)]: 1, bytes_sent: 7, path: '/c' })).toMatchObject({ bytes: 7 })
  expect(read({ constructor: '1', toString: '2', bytes_sent: 8 })).toMatchObject({ bytes: 8 })
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, index]))
  expect(read({ ...many, bytes_sent: 9 })).toMatchObject({ bytes: 9 })
  expect(line.names.length).toBeLessThanOrEqual(64)
})

describe('the per-host format', () => {
  const plain = `[${time}] 192.168.1.50 GET "/depot/4/chunk/a" - HTTP/1.1 200 "-" 512 1049000 1048576 0.005 1048576 HIT lancache.steamcontent.com 200 0.004 "Valve x"`
  const lists = `[${time}] fe80::2 GET "/b x?a=1"  HTTP/1.1 206 "-" 498 1049000 77 0.100 1048576, 5 : 6 MISS lol.dyn.riotcdn.net 206, 206 : 200 0.050, 0.048 : - "-"`
  const uncached = `[${time}] 10.0.0.3 GET "/x" bytes=0-9 HTTP/1.1 200 "-" 1 2 3 0.1 -, - - h.test -, - -, - "-"`

  test.each([
    [plain, { client: '192.168.1.50', bytes: 1048576, cache: cacheHit, range: '-' }],
    [lists, { bytes: 77, cache: cacheMiss, host: 'lol.dyn.riotcdn.net', target: '/b x?a=1' }],
    [uncached, { bytes: 3, cache: cacheNone, range: 'bytes=0-9' }],
  ])('%s', (text, fields) => {
    expect(read(text, perHost)).toMatchObject({ outcome: 'parsed', at, service: 'wsus', ...fields })
  })

  test('ignores the service in a shared file, and only counts a fallback file', () => {
    expect(read(plain).outcome).toBe('hintless_detailed')
    expect(read(plain, { tag: null, isFallback: true }).outcome).toBe('fallback')
  })
})

test.each([
  ['epic', 'epicgames'],
  ['127.0.0.1:18080', 'localhost'],
  ['192.168.1.5:8080', 'ip-address'],
  ['2001:db8::1', 'ip-address'],
  ['CDN.Example.TEST', 'cdn.example.test'],
  ['', 'unknown'],
])('tag %p belongs to service %p', (tag, service) => {
  expect(serviceOfTag(tag)).toBe(service)
})

// The slices that nginx stored for these requests.
test.each([
  ['bytes=1048576-1048580', 1_048_576],
  ['Bytes=1048576-', 1_048_576],
  ['bytes= 1048577-', 1_048_577],
  ['bytes=-5', 0],
  ['bytes=0-1,1048577-1048578', 0],
  ['lines=1048576-', 0],
  ['-', 0],
])('range %s begins at %d', (range, first) => {
  const buffer = Buffer.from(range)
  expect(firstByteOf(buffer, { from: 0, to: buffer.length })).toBe(first)
})

test('decodes, merges and resolves the path of a cache key', () => {
  expect(normalisedPath('/p//q/./r/../s%2Ft%20u+v%3Fw?k=v')).toBe('/p/q/s/t u+v?w')
})

test.each([
  ['20/Nov/2026:23:52:49 +0200', at],
  ['20/Nov/2026:21:22:49 -0030', at],
  ['31/Feb/2026:21:52:49 +0000', Number.NaN],
  ['20/Nov/2026:25:52:49 +0000', Number.NaN],
])('time %s', (text, seconds) => {
  expect(parseTime(text)).toBe(seconds)
})

test('the request and the hash of its path are those of its parts, whatever it consists of', () => {
  const random = seededRandom(26)
  const signs = ['GET', ' ', '/', '?', 'a', '=', '!', '\\x22', '~', 'HTTP/1.1']
  for (let round = 0; round < 3000; round++) {
    const parts = Array.from({ length: random.between(0, 8) }, () => random.pick(signs))
    const request = parts.join('')
    const text = `1.2.3.4 / - - - [20/Nov/2026:21:52:49 +0000] "${request}" 200 5 "-" "-" "HIT" "h" "-"`
    const buffer = Buffer.from(text)
    const line = new Line()
    expect(parseLine(line, shared, buffer, { from: 0, to: buffer.length })).toBe('parsed')
    const apart = new Line()
    const from = text.indexOf('"') + 1
    readRequest(apart, buffer, from, from + request.length)
    const { target, methodFirst, isPathHashed, pathHash } = line
    expect({ request, target, methodFirst }).toEqual({
      request,
      target: apart.target,
      methodFirst: apart.methodFirst,
    })
    if (isPathHashed)
      expect({ request, pathHash }).toEqual({ request, pathHash: hashPath(buffer, target) })
  }
})

test('a sample keeps the objects with the lowest hashes, in their order', () => {
  const random = seededRandom(27)
  const sample: SampledKey[] = []
  const seen = new Set<number>()
  for (let round = 0; round < 2000; round++) {
    const hash = random.between(0, 3000)
    const before = [...sample]
    const added = addToSample(sample, hash)
    seen.add(hash)
    const lowest = [...seen].sort((a, b) => a - b).slice(0, maxObjectKeys)
    expect(sample.map(([one]) => one)).toEqual(lowest)
    const [gone = null] = before.filter((entry) => !sample.includes(entry))
    expect(added?.displaced ?? null).toBe(gone)
    expect(added === null).toBe(before.length === sample.length && gone === null)
  }
})
