import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readHead } from '../engines/cache/format/header.ts'
import { CacheKeeper } from './cache-keeper.ts'
import type { LoggedRequest } from './log-formats.ts'

const root = tempFolder('keeper')

const request = (target: string, change: Partial<LoggedRequest> = {}): LoggedRequest => ({
  at: 1_795_211_569,
  tag: 'steam',
  client: '10.0.0.1',
  forwardedFor: '-',
  method: 'GET',
  target,
  status: 200,
  bytes: 900_000,
  userAgent: '-',
  cacheStatus: 'MISS',
  host: 'h',
  range: '-',
  ...change,
})
const files = () =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => join(root, path))
    .filter((path) => statSync(path).isFile())
const keys = () =>
  files()
    .map((path) => /\nKEY: (.*)\n/.exec(readFileSync(path, 'latin1'))?.[1] ?? '')
    .sort()

test('truncates some cache files when told to', () => {
  const place = tempFolder('keeper')
  const keeper = new CacheKeeper(place, 10, 2)
  for (const name of ['/a', '/b', '/c', '/d']) keeper.note(request(name))
  keeper.flush()
  const heads = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((path) => join(place, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => {
      const bytes = readFileSync(path)
      expect(statSync(path).mtimeMs).toBe(1_795_211_569_000)
      return readHead(bytes, bytes.length, path.slice(-32)).issues.length
    })
  expect(heads.filter((count) => count > 0)).toHaveLength(2)
})

test('keeps the most recently requested objects, as valid files of the right length', () => {
  const keeper = new CacheKeeper(root, 3)
  for (const name of ['/a', '/b', '/c', '/a', '/d']) keeper.note(request(name))
  keeper.note(request('/e', { status: 404 }))
  expect(files()).toEqual([])
  expect(keeper.flush()).toBe(3)
  const range = 'bytes=0-1048575'
  expect(keys()).toEqual([`steam/a${range}`, `steam/c${range}`, `steam/d${range}`])
  keeper.note(request('/f?q=1', { range: 'bytes=1572864-2097151', status: 206 }))
  expect(keys()).toEqual([`steam/a${range}`, `steam/d${range}`, 'steam/fbytes=1048576-2097151'])
  expect(keeper.bytes).toBe(files().reduce((sum, path) => sum + statSync(path).size, 0))
  for (const path of files()) {
    const bytes = readFileSync(path)
    const head = readHead(bytes, bytes.length, path.slice(-32))
    expect(head).toMatchObject({ issues: [], skipped: null })
    expect([900_000, 1_048_576]).toContain(head.expectedPayloadBytes ?? 0)
  }
})
