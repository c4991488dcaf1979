import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { digestOf, pathOfDigest } from '../../src/engines/cache/format/key.ts'
import type { LogScanRequest } from '../../src/engines/log-scan/contract.ts'
import { scanLogs } from '../../src/engines/log-scan/scan.ts'
import { logTime } from './log-lines.ts'
import { tempFolder } from './temp-folder.ts'

export const sliceBytes = 1000
export const startS = Date.UTC(2026, 10, 20, 12) / 1000
let root: string | undefined
let count = 0

/** One line of the log. */
export interface LoggedRequest {
  at: number
  path: string
  range: string
  bytes: number
  cache: string
  method: string
  status: number
  tag: string
}

export const lineOf = (it: LoggedRequest) =>
  `[${it.tag}] 10.0.0.1 / - - - [${logTime(it.at)}] "${it.method} ${it.path} HTTP/1.1" ${it.status} ` +
  `${it.bytes} "-" "agent" "${it.cache}" "host" "${it.range}"\n`
export const miss = (at: number, path: string, range = '-', bytes = 500): LoggedRequest => ({
  at: startS + at,
  path,
  range,
  bytes,
  cache: 'MISS',
  method: 'GET',
  status: range === '-' ? 200 : 206,
  tag: 'steam',
})

/** Sets when a file was stored, in seconds after the start. */
export const stored = (path: string, at: number) => utimesSync(path, startS + at, startS + at)

/** A folder with logs, and a cache that holds the given keys. */
export function missedLog(files: Record<string, string | Uint8Array>, keys: string[] = []) {
  root ??= tempFolder('log-scan')
  const folder = join(root, String(count++))
  for (const name of ['logs', 'cache']) mkdirSync(join(folder, name), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'logs', name), text)
  for (const key of keys) {
    const path = join(folder, 'cache', pathOfDigest(digestOf(key)))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
    stored(path, -2 * 86_400)
  }
  return folder
}

export const pathIn = (folder: string, key: string) =>
  join(folder, 'cache', pathOfDigest(digestOf(key)))

const context = { progress: () => {}, isCancelled: () => false }
export const scanMisses = (
  folder: string,
  options: Partial<LogScanRequest> = {},
  maxGroups?: number,
) =>
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
