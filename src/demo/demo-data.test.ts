import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { cacheFilePath } from './cache-generator.ts'
import { CacheKeeper } from './cache-keeper.ts'
import { Traffic } from './log-generator.ts'
import { writeLive } from './live-writer.ts'
import { createDemoData, writeHistory } from './demo-data.ts'

const untilAt = 1_795_211_569
const demo = createDemoData()
afterAll(() => rmSync(demo.root, { recursive: true, force: true }))

const linesOf = (text: string) => text.split('\n').length - 1

test('writes a month of log ending now', () => {
  const { traffic } = writeHistory(demo, 1, untilAt)
  const text = readFileSync(demo.accessLog, 'utf8')
  expect(linesOf(text)).toBe(traffic.ledger.lines)
  expect(traffic.ledger.lines).toBeGreaterThan(250_000)
  const clients = [...text.matchAll(/^\[\w+\] (\S+)/gm)].map(([, client]) => client)
  expect(new Set(clients).size).toBe(8)
  expect(text.endsWith('"\n')).toBe(true)
})

test('writes cache files to the paths of their keys', () => {
  const root = join(demo.cachePath, 'cache')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  expect(files).toHaveLength(9000)
  for (const path of files.slice(0, 50)) {
    const [, key = ''] = /\nKEY: (.*)\n/.exec(readFileSync(join(root, path), 'latin1')) ?? []
    expect(cacheFilePath(key)).toBe(path)
  }
})

test('continues live, with complete lines, until stopped', async () => {
  const now = Math.floor(Date.now() / 1000)
  const later = createDemoData()
  afterAll(() => rmSync(later.root, { recursive: true, force: true }))
  const cacheRoot = join(later.cachePath, 'cache')
  const cache = new CacheKeeper(cacheRoot, 50)
  cache.flush()
  const traffic = new Traffic({
    seed: 2,
    startAt: now,
    clients: ['10.0.0.1'],
    chunksPerDay: 26_000,
    hold: (request) => cache.note(request),
  })
  writeFileSync(later.accessLog, '')
  const before = statSync(later.accessLog).size
  traffic.begin(now + 1, 500)
  const live = writeLive({ traffic }, later.accessLog, now)
  await eventually(() => statSync(later.accessLog).size >= before + 2000, 'lines are written')
  live.stop()
  const size = statSync(later.accessLog).size
  const text = readFileSync(later.accessLog, 'utf8')
  expect(text.endsWith('"\n')).toBe(true)
  expect(linesOf(text)).toBeLessThanOrEqual(traffic.ledger.lines)
  await Bun.sleep(400)
  expect(statSync(later.accessLog).size).toBe(size)
  const stored = readdirSync(cacheRoot, { recursive: true, encoding: 'utf8' })
  expect(stored.filter((path) => path.length > 32).length).toBeGreaterThan(0)
})
