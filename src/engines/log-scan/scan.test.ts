import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { logTime } from '../../../test/support/log-lines.ts'
import {
  lineOf,
  miss,
  missedLog,
  pathIn,
  scanMisses,
  sliceBytes,
  startS,
  type LoggedRequest,
} from '../../../test/support/missed-log.ts'
import { scanLogs } from './scan.ts'
import { randomBelow } from '../../../test/support/random.ts'

/** First of the times within a minute of the last one. */
const firstOf = (times: number[] = []) =>
  times.find((at) => (times.at(-1) ?? 0) - at <= 60) ?? Number.POSITIVE_INFINITY

/** The rules as documented, in the simplest form that keeps everything. */
function bruteForce(requests: LoggedRequest[], threshold: number) {
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
    const path = it.path.replace(/\?.*/, '')
    const firstByte = /^bytes=(\d+)-\d*$/.exec(it.range)?.[1] ?? 0
    const slice = `${path} ${Math.floor(Number(firstByte) / sliceBytes) * sliceBytes}`
    if (it.cache === 'HIT') {
      for (const name of [slice, `${path} whole`]) {
        const missed = found.get(name)?.map((miss) => requests[miss]?.at ?? 0)
        const seen = groups.get(name)?.map(({ at }) => at)
        if (it.at >= firstOf(missed)) found.delete(name)
        if (it.at >= firstOf(seen?.slice(-threshold))) groups.delete(name)
      }
    }
    if (it.method !== 'GET' || it.cache !== 'MISS' || ![200, 206].includes(it.status)) return
    const range = /^bytes=(\d+)-(\d+)$/.exec(it.range)
    if (range === null && it.range !== '-') return
    for (const name of range === null ? [`${path} whole`, slice] : [slice]) {
      const sightings = groups.get(name) ?? []
      groups.set(name, sightings)
      if (it.at < (sightings.at(-1)?.at ?? 0)) continue
      sightings.push({ at: it.at, index })
      const window = sightings.filter(({ at }) => it.at - at <= 60).slice(-threshold)
      if (window.length < threshold) continue
      found.set(
        name,
        window.map(({ index: one }) => one),
      )
    }
  })
  return found
}

function randomRequests(
  seed: number,
  length: number,
  paths: number,
  misses: number,
): LoggedRequest[] {
  const random = randomBelow(seed)
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
      cache: ['HIT', 'EXPIRED', 'BYPASS'][random(misses)] ?? 'MISS',
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
    [1, 3, 25, 20],
    [2, 5, 9, 100],
    [3, 10, 1, 1000],
    [4, 3, 40, 50],
  ])(
    'match a brute-force search (seed %i, threshold %i)',
    async (seed, threshold, paths, misses) => {
      const requests = randomRequests(seed, 4000, paths, misses)
      const expected = bruteForce(requests, threshold)
      expect(expected.size).toBeGreaterThan(2)
      const texts = requests.map(lineOf)
      const [old, middle, now] = [texts.slice(0, 900), texts.slice(900, 2500), texts.slice(2500)]
      const folder = missedLog(
        {
          'access.log.2.gz': gzipSync(old.join('')),
          'access.log.1.zst': zstdCompressSync(middle.join('')),
          'access.log': now.join(''),
        },
        [...expected.keys()].map(keyOfName),
      )
      const { state, candidates, linesRead } = await scanMisses(folder, { threshold })
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
          const { at, path, range } = requests[index] as LoggedRequest
          return [at, path, range]
        }),
      ])
      expect(new Map(actual)).toEqual(new Map(wanted))
    },
  )

  test('and of whole objects count: plain and of the fallback', async () => {
    const requests = [0, 10, 20].map((at) => miss(at, '/a%20b//c?q=1'))
    const keys = ['steam/a b/c', 'steam/a b/c::noslice']
    const folder = missedLog({ 'access.log': requests.map(lineOf).join('') }, keys)
    const both = await scanMisses(folder)
    expect(both.candidates).toMatchObject([
      {
        cacheSlice: { kind: 'no_range' },
        files: keys.map((key) => ({ path: pathIn(folder, key) })),
      },
    ])
    const one = await scanMisses(
      missedLog({ 'access.log': requests.map(lineOf).join('') }, keys.slice(1)),
    )
    expect(one.candidates).toMatchObject([{ cacheSlice: { kind: 'noslice' } }])
  })

  test('a missing or irregular cache file is no candidate', async () => {
    const folder = missedLog({
      'access.log': [0, 1, 2].map((at) => lineOf(miss(at, '/a'))).join(''),
    })
    expect((await scanMisses(folder)).candidates).toEqual([])
    const path = pathIn(folder, 'steam/abytes=0-999')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync('/etc/hostname', path)
    expect(await scanMisses(folder)).toMatchObject({ state: 'complete', candidates: [] })
  })

  test('only lines within the selected days count', async () => {
    const lines = [0, 1, 2].map((at) => lineOf(miss(at, '/a'))).join('')
    const folder = missedLog({ 'access.log': lines }, ['steam/abytes=0-999'])
    expect((await scanMisses(folder)).candidates).toHaveLength(1)
    expect((await scanMisses(folder, { fromS: startS + 1 })).candidates).toEqual([])
    expect((await scanMisses(folder, { toS: startS + 1 })).candidates).toEqual([])
    utimesSync(join(folder, 'logs', 'access.log'), startS - 100, startS - 100)
    expect(await scanMisses(folder, { fromS: startS })).toMatchObject({
      linesRead: 0,
      candidates: [],
    })
  })

  test('a copy of a log does not count twice', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => lineOf(miss(index * 61, '/a'))).join('')
    const folder = missedLog({ 'access.log.1.gz': gzipSync(lines), 'access.log.1': lines }, [
      'steam/abytes=0-999',
    ])
    expect(await scanMisses(folder)).toMatchObject({ linesRead: 20, candidates: [] })
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
    const folder = missedLog(
      {
        'steam-access.log': lines('/a%20b?q=1'),
        'epicgames-access.log': lines('/a%20b?q=1'),
        'blizzard-access.log': lines('/a%20b?q=1'),
        'windows-update-access.log': lines('/a%20b?q=1'),
        'fallback-access.log': lines('/a%20b?q=1'),
      },
      keys,
    )
    const { candidates } = await scanMisses(folder, bare)
    expect(candidates.map(({ files }) => files.map(({ path }) => path))).toEqual(
      expect.arrayContaining(keys.map((key) => [pathIn(folder, key)])),
    )
    const services = candidates.map(({ service }) => service)
    expect(services).toHaveLength(4)
    expect(services).toEqual(expect.arrayContaining(['blizzard', 'epicgames', 'steam', 'wsus']))
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
    const outcome = await scanMisses(missedLog(files))
    expect(outcome).toMatchObject({ state: 'failed', candidates: [] })
    expect(outcome.problem).toMatch(reason)
  })

  test('a missing cache fails with the reason', async () => {
    const folder = missedLog({ 'access.log': lineOf(miss(0, '/a')) })
    rmSync(join(folder, 'cache'), { recursive: true })
    expect(await scanMisses(folder)).toMatchObject({ state: 'failed' })
  })

  test('a cancelled scan returns nothing', async () => {
    const folder = missedLog({ 'access.log': lineOf(miss(0, '/a')) })
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
  const folder = missedLog({ 'access.log': lines.join('') }, ['steam/busybytes=0-999'])
  const bounded = await scanMisses(folder, { threshold: 5 }, 20_000)
  expect(bounded.groupsDropped).toBeGreaterThan(10_000)
  expect(bounded.candidates.map(({ normalizedUri }) => normalizedUri)).toEqual(['/busy'])
  expect((await scanMisses(folder, { threshold: 5 })).groupsDropped).toBe(0)
})
