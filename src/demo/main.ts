/*
 * Generators of logs and cache files, and the service on top of them. `bun run demo` runs it on a
 * temporary folder; the image leaves it out. Stand-ins on loopback answer for the platforms, so
 * that the demo signs in to Epic and Xbox through the API and every game gets its name the usual
 * way; tests use the same ones. A cache on loopback has content for a few games of Epic,
 * Battle.net, Riot Games and Xbox to prefill.
 */
/**
 * `bun run demo`: a month of generated history, a cache tree and a live log, with the real service
 * running on them. Everything is in a temporary directory and is removed at the end.
 */
import { randomBytes } from 'node:crypto'
import { appendFileSync, rmSync } from 'node:fs'
import { readConfig } from '../core/config.ts'
import { createLogger } from '../core/lib/log.ts'
import { RecentLog } from '../core/lib/recent-log.ts'
import { StartRefused } from '../core/process/start-refused.ts'
import type { DiskEngine } from '../engines/disk/facade.ts'
import { startService } from '../service.ts'
import { writeLive } from './live-writer.ts'
import { cachelogLine } from './log-formats.ts'
import { serveOutside } from './outside.ts'
import { writePastSizes } from './past-sizes.ts'
import { servePrefill } from './prefill-site.ts'
import { fillReadyBoard, renewLater } from './ready-board.ts'
import { furnish, ownDisk, scanLater } from './stage.ts'
import { signInToPlatforms } from './sign-in-to-platforms.ts'
import { installationKey, Visitor } from './visitor.ts'
import { createDemoData, writeHistory } from './demo-data.ts'

const seed = 20_261_121
/** How often the demo checks that its parent process is alive. */
const parentPollMs = 1000
const newBuildAfterMs = 4 * 60_000

const demo = createDemoData()
const removeDemoData = () => rmSync(demo.root, { recursive: true, force: true })
process.on('exit', removeDemoData)

const untilAt = Math.floor(Date.now() / 1000)
const past = writeHistory(demo, seed, untilAt)

const environment = process.env
const outside = serveOutside()
const prefill = servePrefill(
  (request) => {
    past.cache.note(request)
    appendFileSync(demo.accessLog, `${cachelogLine(request)}\n`)
  },
  { betaUrl: outside.environment.Beta__LauncherBaseUrl },
)
const config = readConfig({
  PORT: environment['PORT'],
  HOST: environment['HOST'],
  TZ: environment['TZ'],
  LOG_LEVEL: environment['LOG_LEVEL'] ?? 'warn',
  DATA_PATH: demo.dataPath,
  LanCache__LogPath: demo.logPath,
  LanCache__CachePath: demo.cachePath,
  ...outside.environment,
  ...prefill.environment,
})
const disk = (engine: DiskEngine) => ownDisk(engine, () => past.cache.bytes)
const recentLog = new RecentLog()
const log = createLogger(config.logLevel, recentLog)

function end(reason: string): never {
  process.stderr.write(`The demo ends: ${reason}\n`)
  return process.exit(1)
}

/** As the service's own process does when a snapshot is to be restored: at the same address. */
function restart(): void {
  running = running.then(async (service) => {
    await service.stop()
    return startService({ ...config, port: service.port }, log, { recentLog, restart, disk })
  })
}
let running = startService(config, log, { recentLog, restart, disk })
const service = await running.catch((error: unknown) => {
  if (error instanceof StartRefused) end(error.message)
  throw error
})
const account = { username: 'demo', password: `Demo-${randomBytes(9).toString('base64url')}-1` }
const key = installationKey(demo.dataPath)
const visitor = new Visitor(service.url)
await visitor.setUp(key, account)
const { history } = service.parts
const signedIn = signInToPlatforms(visitor)
/** What keeps the database from starting; null when it is there. */
const fault = await new Promise<string | null>((resolve) => {
  const check = () => {
    const { state, message } = history.status()
    if (state === 'ready' || state === 'unavailable') resolve(message)
  }
  history.onStatus(check)
  check()
})
if (fault !== null) {
  await Promise.allSettled([service.stop(), signedIn])
  end(fault)
}
await signedIn
await furnish(visitor, service.url, outside.hookUrl)
await writePastSizes(service.parts, seed)
await fillReadyBoard(visitor)
const newBuild = renewLater(visitor, prefill.renew, newBuildAfterMs)
const stopped = new AbortController()
// The pages show what is missing if it fails.
void scanLater(visitor, stopped.signal).catch((err: unknown) =>
  log.warn({ err }, 'the demo has no scan'),
)
const live = writeLive(past, demo.accessLog, untilAt)

process.stdout.write(`
  Larder demo
    address   http://localhost:${service.port}
    key       ${key}
    account   ${account.username}
    password  ${account.password}

  ${past.traffic.ledger.lines.toLocaleString('en')} lines of history, live downloads, data in ${demo.root}
  Ctrl+C stops it and removes everything.

`)

let isStopping = false
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  stopped.abort()
  live.stop()
  newBuild.stop()
  await (await running).stop()
  await Promise.all([outside.stop(), prefill.stop()])
  process.exit(0)
}
process.on('SIGINT', () => void stop())
process.on('SIGTERM', () => void stop())
// A killed package runner does not always forward the signal.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) void stop()
}, parentPollMs).unref()
