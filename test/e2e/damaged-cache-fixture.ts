import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configHash, sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { copyDashboard } from './browser.ts'

const hourAgo = Math.floor(Date.now() / 1000) - 3600

/** A service with some damaged cache files and a processed log. */
export interface DamagedCacheFixture {
  larder: Larder
  owner: Visitor
  cachePath: string
  logFile: string
  /** Paths of the damaged files: five of `steam`, two of `riot`, two without a service. */
  broken: string[]
  /** An intact file that was fetched repeatedly. */
  missed: string
}

/** Log lines by service; the last three of `steam` are misses of one file. */
export const loggedLines = { steam: 63, riot: 20 }
/** Of the object whose slices disagree. */
const patchedLength = 4 * 1_048_576
export const missedPath = '/depot/731/chunk/missed'

function write(cachePath: string, tag: string, path: string): string {
  const key = sliceKey(tag, path, 0)
  const file = writeCacheFile(cachePath, { key, body: new Uint8Array(4000), storedAt: hourAgo })
  utimesSync(file, hourAgo, hourAgo)
  return file
}

function fillCache(cachePath: string): { broken: string[]; missed: string } {
  const cut = (file: string, length: number) => {
    truncateSync(file, length)
    utimesSync(file, hourAgo, hourAgo)
    return file
  }
  for (let at = 0; at < 40; at++) write(cachePath, 'steam', `/depot/731/chunk/sound${at}`)
  for (let at = 0; at < 12; at++) write(cachePath, 'riot', `/channels/public/bundles/${at}.bundle`)
  const broken = [
    ...[0, 1, 2, 3].map((at) => cut(write(cachePath, 'steam', `/depot/731/chunk/cut${at}`), 2000)),
    cut(write(cachePath, 'steam', '/depot/440/chunk/empty'), 0),
    cut(write(cachePath, 'steam', '/depot/440/chunk/head'), 200),
    ...[90, 91].map((at) =>
      cut(write(cachePath, 'riot', `/channels/public/bundles/${at}.bundle`), 900),
    ),
    patched(cachePath),
  ]
  // Too recent to be judged.
  writeCacheFile(cachePath, {
    key: sliceKey('steam', '/depot/731/chunk/young', 0),
    body: new Uint8Array(10),
    storedAt: hourAgo,
  })
  return { broken, missed: write(cachePath, 'steam', missedPath) }
}

/** Writes four slices of one object, the second from an older version; returns that one. */
function patched(cachePath: string): string {
  const files = [0, 1, 2, 3].map((slice) => {
    const first = slice * 1_048_576
    const range = `bytes ${first}-${first + 3999}/${patchedLength}`
    const etag = slice === 1 ? '"second"' : '"first"'
    const head = ['HTTP/1.1 206 Partial Content', 'Content-Length: 4000', `Content-Range: ${range}`]
    const file = writeCacheFile(cachePath, {
      key: sliceKey('steam', '/depot/440/manifest/patched', slice),
      body: new Uint8Array(4000),
      storedAt: slice === 1 ? hourAgo - 60 : hourAgo,
      lastModifiedAt: hourAgo - 86_400,
      etag,
      head: [...head, `ETag: ${etag}`].join('\r\n'),
    })
    utimesSync(file, hourAgo, hourAgo)
    return file
  })
  return files[1] ?? ''
}

function logLines(): string[] {
  const request = { forwardedFor: '-', method: 'GET', status: 206, userAgent: 'test' }
  const line = (tag: string, target: string, at: number, cacheStatus: string) =>
    cachelogLine({
      ...request,
      tag,
      target,
      at,
      cacheStatus,
      client: '192.168.1.21',
      bytes: 4000,
      host: `${tag}.example.test`,
      range: 'bytes=0-1048575',
    })
  const hits = Array.from({ length: 60 }, (_, at) =>
    line('steam', `/depot/731/chunk/sound${at % 40}`, hourAgo + at, 'HIT'),
  )
  const bundles = Array.from({ length: loggedLines.riot }, (_, at) =>
    line('riot', `/channels/public/bundles/${at % 12}.bundle`, hourAgo + 60 + at, 'HIT'),
  )
  const misses = [0, 10, 20].map((at) => line('steam', missedPath, hourAgo + 100 + at, 'MISS'))
  return [...hits, ...bundles, ...misses, 'a line that nobody understands']
}

/** It stops after the file's last test. Resolves when the whole log is counted. */
export async function openDamagedCacheFixture(): Promise<DamagedCacheFixture> {
  const root = tempFolder('damaged')
  const logPath = join(root, 'logs')
  const volume = join(root, 'volume')
  const cachePath = join(volume, 'cache')
  mkdirSync(logPath)
  mkdirSync(cachePath, { recursive: true })
  writeFileSync(join(volume, 'CONFIGHASH'), configHash)
  const { broken, missed } = fillCache(cachePath)
  const logFile = join(logPath, 'access.log')
  writeFileSync(logFile, `${logLines().join('\n')}\n`)
  const larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath,
    sources: [{ name: 'default', logPath }],
    environment: {
      WEB_PATH: copyDashboard(root),
      DOCKER_HOST: 'unix:///nowhere/engine.sock',
      // Otherwise another test's nginx on this machine would be signalled.
      NginxLogRotation__Enabled: 'false',
    },
  })
  const owner = await larder.firstSignIn()
  // By default a first start reads only new lines.
  await owner.write('PATCH', '/api/logs/position', { position: 0 })
  await owner.write('POST', '/api/logs/process')
  await eventually(async () => {
    const { count } = await owner.read<{ count: number }>('/api/database/log-entries-count')
    return count >= loggedLines.steam + loggedLines.riot
  }, 'the log was counted')
  await eventually(
    async () => (await owner.request('GET', '/api/events/active')).ok,
    'the history answers',
  )
  return { larder, owner, cachePath, logFile, broken, missed }
}
