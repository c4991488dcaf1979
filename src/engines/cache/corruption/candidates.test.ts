import { afterAll, expect, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCache } from '../../../../db/cache/open.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { cacheFileBytes, writeCacheFile } from '../../../demo/cache-generator.ts'
import { printOf, type ExactPrint } from '../format/fingerprint.ts'
import { CacheSession } from '../index/session.ts'
import { removeMissed } from './candidates.ts'
import type { Candidate } from './corruption-contract.ts'

const missedS = 1_795_000_000
const folder = tempFolder('candidates')
const root = join(folder, 'cache')
const context = { progress: () => {}, isCancelled: () => false }

mkdirSync(root)
const session = new CacheSession(openCache(folder), folder)
await session.configure([
  { datasource: 'default', path: root, scheme: 'monolithic', sliceBytes: 1000 },
])
afterAll(() => {
  session.store.database.close()
})

const factsOf = (name: string) => ({
  key: `steam/${name}bytes=0-999`,
  body: new Uint8Array(9),
  storedAt: missedS - 60,
})

/** Writes a cache file, stored before its misses. */
function write(name: string): string {
  const path = writeCacheFile(root, factsOf(name))
  utimesSync(path, missedS - 60, missedS - 60)
  return path
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const print = (path: string) => printOf(lstatSync(path, { bigint: true }))

/** As found by a scan; without a print as an older version stored it. */
const missed = (path: string, prints?: ExactPrint[]): Candidate => ({
  id: `id of ${path}`,
  datasource: 'default',
  service: 'steam',
  exactPaths: [path],
  evidence: {
    kind: 'repeated_miss',
    rawUrl: '/a',
    normalizedUri: '/a',
    observedRange: { kind: 'no_range' },
    cacheSlice: { kind: 'ranged', start: 0, end: 999 },
    evidenceCount: 3,
    firstSeen: iso(missedS),
    lastSeen: iso(missedS + 20),
    observations: [],
    lines: [],
    ...(prints === undefined ? {} : { prints }),
  },
})

const found = (path: string) => missed(path, [print(path)])
const remove = (...candidates: Candidate[]) => removeMissed(session, candidates, context)
const healed = (path: string) => ({
  state: 'complete',
  filesDeleted: 0,
  healed: 1,
  kept: [`id of ${path}`],
})

test('removes the files that were found, also unreadable ones', async () => {
  const [intact, gone, unreadable] = ['intact', 'gone', 'unreadable'].map(write) as [
    string,
    string,
    string,
  ]
  writeFileSync(unreadable, 'no cache file')
  const candidates = [intact, gone, unreadable].map(found)
  rmSync(gone)
  expect(await remove(...candidates)).toMatchObject({
    state: 'complete',
    filesDeleted: 2,
    alreadyMissing: 1,
    healed: 0,
  })
  expect([existsSync(intact), existsSync(unreadable)]).toEqual([false, false])
})

test('keeps a file that was stored anew since the scan', async () => {
  const path = write('anew')
  const candidate = found(path)
  rmSync(path)
  writeCacheFile(root, factsOf('anew'))
  expect(await remove(candidate)).toMatchObject(healed(path))
  expect(existsSync(path)).toBe(true)
})

test('removes nothing when a file was replaced by something else', async () => {
  const [other, swapped] = ['other', 'swapped'].map(write) as [string, string]
  const candidates = [other, swapped].map(found)
  for (const content of ['no cache file', cacheFileBytes(factsOf('of another key'))]) {
    writeFileSync(swapped, content)
    const outcome = await remove(...candidates)
    expect(outcome).toMatchObject({ state: 'failed', filesDeleted: 0 })
    expect(outcome.problem).toContain('has changed since the scan')
  }
  expect([existsSync(other), existsSync(swapped)]).toEqual([true, true])
})

test('without a print, removes only a file of the key that is older than its misses', async () => {
  const old = write('old')
  expect(await remove(missed(old))).toMatchObject({ state: 'complete', filesDeleted: 1 })
  const newer = write('newer')
  utimesSync(newer, missedS + 1, missedS + 1)
  expect(await remove(missed(newer))).toMatchObject(healed(newer))
  const unreadable = write('unreadable')
  writeFileSync(unreadable, 'no cache file')
  utimesSync(unreadable, missedS - 60, missedS - 60)
  expect(await remove(missed(unreadable))).toMatchObject({ state: 'failed', filesDeleted: 0 })
  expect([existsSync(newer), existsSync(unreadable)]).toEqual([true, true])
})

test('removes nothing outside the tree', async () => {
  const path = join(folder, 'outside')
  writeFileSync(path, '')
  expect(await remove(found(path))).toMatchObject({ state: 'failed', filesDeleted: 0 })
  expect(existsSync(path)).toBe(true)
})
