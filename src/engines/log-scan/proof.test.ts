import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  lineOf,
  miss,
  missedLog,
  pathIn,
  scanMisses,
  startS,
  stored,
  type LoggedRequest,
} from '../../../test/support/missed-log.ts'
import { cacheFileBytes, writeCacheFile } from '../../demo/cache-generator.ts'

describe('misses', () => {
  const slices = [0, 1, 2, 3].map((slice) => `steam/abytes=${slice * 1000}-${slice * 1000 + 999}`)

  test('count for the first slice alone: nginx logs nothing about the others', async () => {
    const requests = [0, 10, 20].map((at) => miss(at, '/a', '-', 2001))
    const folder = missedLog({ 'access.log': requests.map(lineOf).join('') }, slices)
    const { candidates } = await scanMisses(folder)
    expect(candidates.map(({ cacheSlice }) => cacheSlice)).toEqual([
      { kind: 'ranged', start: 0, end: 999 },
    ])
    expect(candidates[0]).toMatchObject({
      service: 'steam',
      normalizedUri: '/a',
      observedRange: { kind: 'no_range' },
      files: [{ path: pathIn(folder, 'steam/abytes=0-999') }],
    })
    const ranges = ['3100-3900', '2500-3500', '1500-3500', '500-3500', '2500-3900']
    const ranged = ranges.map((range, at) => lineOf(miss(at, '/a', `bytes=${range}`)))
    expect(
      (await scanMisses(missedLog({ 'access.log': ranged.join('') }, slices))).candidates,
    ).toEqual([])
  })

  test.each<string>(['-', 'bytes=0-', 'bytes=999-5000'])(
    'are disproved by a later hit of the slice (range %s)',
    async (range) => {
      const hit = (at: number, cache: string, of = range) => ({ ...miss(at, '/a', of), cache })
      const misses = [1, 11, 21].map((at) => miss(at, '/a'))
      const after = async (...lines: LoggedRequest[]) => {
        const text = lines.map(lineOf).join('')
        return (await scanMisses(missedLog({ 'access.log': text }, slices))).candidates.length
      }
      for (const cache of ['HIT', 'STALE', 'UPDATING', 'REVALIDATED']) {
        expect(await after(...misses, hit(86_000, cache))).toBe(0)
      }
      expect(await after(...misses.slice(0, 2), hit(12, 'HIT'), ...misses.slice(2))).toBe(0)
      expect(await after(hit(0, 'HIT'), ...misses)).toBe(1)
      expect(await after(...misses, hit(30, 'HIT', 'bytes=1000-5000'))).toBe(1)
      expect(await after(...misses, hit(30, 'EXPIRED'))).toBe(1)
      const again = [100, 101, 102].map((at) => miss(at, '/a'))
      expect(await after(...misses, hit(30, 'HIT'), ...again)).toBe(1)
    },
  )

  test('show a damaged file only if it existed before them', async () => {
    const lines = [0, 10, 20].map((at) => lineOf(miss(at, '/a', '-', 600 * 262_144)))
    const folder = missedLog({ 'access.log': lines.join('') }, slices.slice(0, 1))
    const path = pathIn(folder, slices[0] ?? '')
    const found = async (at: number) => {
      stored(path, at)
      return (await scanMisses(folder)).candidates.length
    }
    expect([await found(30), await found(20), await found(0), await found(-5)]).toEqual([
      0, 0, 0, 0,
    ])
    // The requests may have begun ten minutes before they ended, and one of them stored the file.
    expect([await found(-605), await found(-606)]).toEqual([0, 1])
  })

  test('of the last minute with enough of them decide', async () => {
    const times = [0, 10, 20, 3600, 3610, 3620, 3630]
    const text = times.map((at) => lineOf(miss(at, '/a'))).join('')
    const folder = missedLog({ 'access.log': text }, slices.slice(0, 1))
    stored(pathIn(folder, slices[0] ?? ''), 20)
    const { candidates } = await scanMisses(folder)
    expect(candidates[0]?.misses.map(({ line }) => line.at - startS)).toEqual([3610, 3620, 3630])
  })

  test('say nothing about the file of another variant', async () => {
    const folder = missedLog({
      'access.log': [0, 1, 2].map((at) => lineOf(miss(at, '/a'))).join(''),
    })
    const facts = { key: slices[0] ?? '', body: new Uint8Array(9), storedAt: startS - 900 }
    const path = writeCacheFile(join(folder, 'cache'), facts)
    stored(path, -900)
    expect((await scanMisses(folder)).candidates).toHaveLength(1)
    const bytes = Buffer.from(cacheFileBytes(facts))
    bytes.writeUInt8(10, 187)
    bytes.write('User-Agent', 188)
    writeFileSync(path, bytes)
    stored(path, -900)
    expect((await scanMisses(folder)).candidates).toEqual([])
  })
})
