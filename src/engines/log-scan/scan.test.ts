import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { logTime } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { digestOf, pathOfDigest } from '../cache/format/key.ts'
import type { LogScanRequest } from './contract.ts'
import { scanLogs } from './scan.ts'

const sliceBytes = 1000
const startS = Date.UTC(2026, 10, 20, 12) / 1000
let root: string
let count = 0
beforeAll(() => (root = tempFolder('log-scan')))

interface Request {
  at: number
  path: string
  range: string
  bytes: number
  cache: string
  method: string
  status: number
  tag: string
}

const lineOf = (it: Request) =>
  `[${it.tag}] 10.0.0.1 / - - - [${logTime(it.at)}] "${it.method} ${it.path} HTTP/1.1" ${it.status} ` +
  `${it.bytes} "-" "agent" "${it.cache}" "host" "${it.range}"\n`
const miss = (at: number, path: string, range = '-', bytes = 500): Request => ({
  at: startS + at,
  path,
  range,
  bytes,
  cache: 'MISS',
  method: 'GET',
  status: range === '-' ? 200 : 206,
  tag: 'steam',
})

/** A folder with logs, and a cache that holds the given keys. */
function place(files: Record<string, string | Uint8Array>, keys: string[] = []) {
  const folder = join(root, String(count++))
  for (const name of ['logs', 'cache']) mkdirSync(join(folder, name), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'logs', name), text)
  for (const key of keys) {
    const path = join(folder, 'cache', pathOfDigest(digestOf(key)))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
  }
  return folder
}

const pathIn = (folder: string, key: string) => join(folder, 'cache', pathOfDigest(digestOf(key)))

const context = { progress: () => {}, isCancelled: () => false }
const scan = (folder: string, options: Partial<LogScanRequest> = {}, maxGroups?: number) =>
  scanLogs(
    {
      logPath: join(folder, 'logs'),
      cachePath: join(folder, 'cache'),
      scheme: 'monolithic',
      sliceBytes,
      timeZone: 'UTC',
      threshold: 3,
      fromS: startS - 86_400,
      toS: startS + 86_400,
      ...options,
    },
    context,
    maxGroups,
  )

/** The rules as documented, in the simplest form that keeps everything. */
function bruteForce(requests: Request[], threshold: number) {
  const groups = new Map<string, { at: number; index: number }[]>()
  const found = new Map<string, number[]>()
  let clock = 0
  requests.forEach((it, index) => {
    if (it.at < clock - 60) {
      if (it.at > clock - 3600) return
      groups.clear()
      clock = it.at
    }
    clock = Math.max(clock, it.at)
    if (it.method !== 'GET' || it.cache !== 'MISS' || ![200, 206].includes(it.status)) return
    const range = /^bytes=(\d+)-(\d+)$/.exec(it.range)
    if (range === null && it.range !== '-') return
    const path = it.path.replace(/\?.*/, '')
    const from = range === null ? 0 : Number(range[1])
    const to = range === null ? it.bytes - 1 : Number(range[2])
    const names = range === null ? [`${path} whole`] : []
    const first = Math.floor(from / sliceBytes)
    for (let slice = first; slice * sliceBytes <= to; slice++) {
      names.push(`${path} ${slice * sliceBytes}`)
    }
    for (const name of names) {
      const sightings = groups.get(name) ?? []
      groups.set(name, sightings)
      if (found.has(name) || it.at < (sightings.at(-1)?.at ?? 0)) continue
      sightings.push({ at: it.at, index })
      const window = sightings.filter(({ at }) => it.at - at <= 60)
      if (window.length >= threshold)
        found.set(
          name,
          window.map(({ index: one }) => one),
        )
    }
  })
  return found
}

function randomRequests(seed: number, length: number, paths: number): Request[] {
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let now = startS
  return Array.from({ length }, (_, index) => {
    now += random(4)
    if (index % 700 === 699) now -= 4000
    if (index % 450 === 449) now += 300
    const kind = random(6)
    const first = random(4000)
    const ranges = ['-', `bytes=${first}-${first + random(2500)}`, 'bytes=-100', 'bytes=5-']
    const range = ranges[kind < 3 ? 0 : kind < 5 ? 1 : 2 + random(2)] as string
    return {
      at: now - (random(12) === 0 ? random(130) : random(3)),
      path: `/depot/1/chunk/${random(paths)}${random(9) === 0 ? '?query' : ''}`,
      range,
      bytes: random(5000),
      cache: ['MISS', 'MISS', 'MISS', 'HIT', 'EXPIRED', 'BYPASS'][random(6)] as string,
      method: random(15) === 0 ? 'HEAD' : 'GET',
      status: random(20) === 0 ? 404 : 206,
      tag: 'steam',
    }
  })
}

const keyOfName = (name: string) => {
  const [path, slice] = name.split(' ') as [string, string]
  if (slice === 'whole') return `steam${path}`
  return `steam${path}bytes=${slice}-${Number(slice) + sliceBytes - 1}`
}

describe('repeated misses', () => {
  test.each([
    [1, 3, 25],
    [2, 5, 9],
    [3, 10, 1],
    [4, 3, 40],
  ])('match a brute-force search (seed %i, threshold %i)', async (seed, threshold, paths) => {
    const requests = randomRequests(seed, 4000, paths)
    const expected = bruteForce(requests, threshold)
    expect(expected.size).toBeGreaterThan(5)
    const texts = requests.map(lineOf)
    const [old, middle, now] = [texts.slice(0, 900), texts.slice(900, 2500), texts.slice(2500)]
    const folder = place(
      {
        'access.log.2.gz': gzipSync(old.join('')),
        'access.log.1.zst': zstdCompressSync(middle.join('')),
        'access.log': now.join(''),
      },
      [...expected.keys()].map(keyOfName),
    )
    const { state, candidates, linesRead } = await scan(folder, { threshold })
    expect([state, linesRead]).toEqual(['complete', requests.length])
    const actual: [string, unknown[]][] = candidates.map((found) => {
      const { normalizedUri, cacheSlice, misses } = found
      const slice = cacheSlice.kind === 'ranged' ? cacheSlice.start : 'whole'
      const seen = misses.map(({ line, rawUrl }) => [line.at, rawUrl, line.range])
      return [`${normalizedUri} ${slice}`, seen]
    })
    const wanted: [string, unknown[]][] = [...expected].map(([name, indexes]) => [
      name,
      indexes.map((index) => {
        const { at, path, range } = requests[index] as Request
        return [at, path, range]
      }),
    ])
    expect(new Map(actual)).toEqual(new Map(wanted))
  })

  test('a request without a range counts for the slices of its response', async () => {
    const requests = [0, 10, 20].map((at) => miss(at, '/a', '-', 2001))
    const slices = [0, 1, 2, 3].map((slice) => `steam/abytes=${slice * 1000}-${slice * 1000 + 999}`)
    const folder = place({ 'access.log': requests.map(lineOf).join('') }, slices)
    const { candidates } = await scan(folder)
    expect(candidates.map(({ cacheSlice }) => cacheSlice)).toEqual([
      { kind: 'ranged', start: 0, end: 999 },
      { kind: 'ranged', start: 1000, end: 1999 },
      { kind: 'ranged', start: 2000, end: 2999 },
    ])
    expect(candidates[0]).toMatchObject({
      service: 'steam',
      normalizedUri: '/a',
      observedRange: { kind: 'no_range' },
      paths: [pathIn(folder, 'steam/abytes=0-999')],
    })
  })

  test('and for whole objects: plain and of the fallback', async () => {
    const requests = [0, 10, 20].map((at) => miss(at, '/a%20b//c?q=1'))
    const keys = ['steam/a b/c', 'steam/a b/c::noslice']
    const folder = place({ 'access.log': requests.map(lineOf).join('') }, keys)
    const both = await scan(folder)
    expect(both.candidates).toMatchObject([
      { cacheSlice: { kind: 'no_range' }, paths: keys.map((key) => pathIn(folder, key)) },
    ])
    const one = await scan(place({ 'access.log': requests.map(lineOf).join('') }, keys.slice(1)))
    expect(one.candidates).toMatchObject([{ cacheSlice: { kind: 'noslice' } }])
  })

  test('a missing or irregular cache file is no candidate', async () => {
    const folder = place({ 'access.log': [0, 1, 2].map((at) => lineOf(miss(at, '/a'))).join('') })
    expect((await scan(folder)).candidates).toEqual([])
    const path = pathIn(folder, 'steam/abytes=0-999')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync('/etc/hostname', path)
    expect(await scan(folder)).toMatchObject({ state: 'complete', candidates: [] })
  })

  test('only lines within the selected days count', async () => {
    const lines = [0, 1, 2].map((at) => lineOf(miss(at, '/a'))).join('')
    const folder = place({ 'access.log': lines }, ['steam/abytes=0-999'])
    expect((await scan(folder)).candidates).toHaveLength(1)
    expect((await scan(folder, { fromS: startS + 1 })).candidates).toEqual([])
    expect((await scan(folder, { toS: startS + 1 })).candidates).toEqual([])
    utimesSync(join(folder, 'logs', 'access.log'), startS - 100, startS - 100)
    expect(await scan(folder, { fromS: startS })).toMatchObject({ linesRead: 0, candidates: [] })
  })

  test('a copy of a log does not count twice', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => lineOf(miss(index * 61, '/a'))).join('')
    const folder = place({ 'access.log.1.gz': gzipSync(lines), 'access.log.1': lines }, [
      'steam/abytes=0-999',
    ])
    expect(await scan(folder)).toMatchObject({ linesRead: 20, candidates: [] })
  })
})

describe('per-host logs', () => {
  const detailed = (at: number, uri: string, range = '-') =>
    `[${logTime(startS + at)}] 10.0.0.1 GET "${uri}" ${range} HTTP/1.1 200 "-" 500 900 700 0.1 ` +
    `700 MISS host.example 200 0.1 "agent"\n`
  const bare = { scheme: 'bare_metal' } as const

  test('have their own keys', async () => {
    const lines = (uri: string) => [0, 10, 20].map((at) => detailed(at, uri)).join('')
    const keys = [
      'lancache-steam/a b',
      'lancache-epicgames/a%20b?q=1',
      'lancache-blizzard/a bbytes=0-999',
      'lancache-windows-update/a bbytes=0-999',
    ]
    const folder = place(
      {
        'steam-access.log': lines('/a%20b?q=1'),
        'epicgames-access.log': lines('/a%20b?q=1'),
        'blizzard-access.log': lines('/a%20b?q=1'),
        'windows-update-access.log': lines('/a%20b?q=1'),
        'fallback-access.log': lines('/a%20b?q=1'),
      },
      keys,
    )
    for (const key of keys) {
      utimesSync(pathIn(folder, key), startS - 10, startS - 10)
    }
    const { candidates } = await scan(folder, bare)
    expect(candidates.map(({ paths }) => paths)).toEqual(
      expect.arrayContaining(keys.map((key) => [pathIn(folder, key)])),
    )
    const services = candidates.map(({ service }) => service)
    expect(services).toHaveLength(4)
    expect(services).toEqual(expect.arrayContaining(['blizzard', 'epicgames', 'steam', 'wsus']))
  })

  test('a whole file counts only if it existed before the misses', async () => {
    const lines = [0, 1, 2].map((at) => detailed(at, '/a', 'bytes=5-10')).join('')
    const folder = place({ 'steam-access.log': lines }, ['lancache-steam/a'])
    const path = pathIn(folder, 'lancache-steam/a')
    utimesSync(path, startS - 5, startS - 5)
    expect((await scan(folder, bare)).candidates).toEqual([])
    utimesSync(path, startS - 6, startS - 6)
    expect((await scan(folder, bare)).candidates).toHaveLength(1)
  })
})

describe('unreadable input', () => {
  test.each<[string, Record<string, string | Uint8Array>, RegExp]>([
    ['no log at all', {}, /no access log/],
    ['a broken archive', { 'access.log.1.gz': 'no archive' }, /access\.log\.1\.gz cannot be read/],
    [
      'half an archive',
      { 'access.log.1.gz': gzipSync('x\n'.repeat(5000)).subarray(0, 20) },
      /access\.log\.1\.gz cannot be read/,
    ],
  ])('fails with the reason for %s', async (_, files, reason) => {
    const outcome = await scan(place(files))
    expect(outcome).toMatchObject({ state: 'failed', candidates: [] })
    expect(outcome.problem).toMatch(reason)
  })

  test('a missing cache fails with the reason', async () => {
    const folder = place({ 'access.log': lineOf(miss(0, '/a')) })
    rmSync(join(folder, 'cache'), { recursive: true })
    expect(await scan(folder)).toMatchObject({ state: 'failed' })
  })

  test('a cancelled scan returns nothing', async () => {
    const folder = place({ 'access.log': lineOf(miss(0, '/a')) })
    const request = { scheme: 'monolithic', sliceBytes, timeZone: 'UTC', threshold: 3 } as const
    const paths = { logPath: join(folder, 'logs'), cachePath: join(folder, 'cache') }
    const outcome = await scanLogs(
      { ...request, ...paths, fromS: 0, toS: 2 ** 40 },
      { progress: () => {}, isCancelled: () => true },
    )
    expect(outcome).toMatchObject({ state: 'cancelled', candidates: [] })
  })
})

test('a flood of different slices is bounded and reported, and frequent ones stay', async () => {
  const lines: string[] = []
  for (let index = 0; index < 30_000; index++) {
    lines.push(lineOf(miss(Math.floor(index / 1000), `/flood/${index}`)))
    if (index % 4000 === 0) lines.push(lineOf(miss(Math.floor(index / 1000), '/busy')))
  }
  const folder = place({ 'access.log': lines.join('') }, ['steam/busybytes=0-999'])
  const bounded = await scan(folder, { threshold: 5 }, 20_000)
  expect(bounded.groupsDropped).toBeGreaterThan(10_000)
  expect(bounded.candidates.map(({ normalizedUri }) => normalizedUri)).toEqual(['/busy'])
  expect((await scan(folder, { threshold: 5 })).groupsDropped).toBe(0)
})
