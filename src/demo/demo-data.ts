import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configHash } from './cache-generator.ts'
import { CacheKeeper } from './cache-keeper.ts'
import { cachelogLine } from './log-formats.ts'
import { history, Traffic } from './log-generator.ts'
import { titles } from './titles.ts'

/** The demo's clients; consoles and the like use some services only. */
export const clients: readonly { ip: string; name: string; services?: readonly string[] }[] = [
  { ip: '192.168.1.21', name: 'workshop-pc' },
  { ip: '192.168.1.22', name: 'living-room-xbox', services: ['xboxlive'] },
  { ip: '192.168.1.23', name: 'tims-pc' },
  { ip: '192.168.1.24', name: 'steamdeck', services: ['steam'] },
  { ip: '192.168.1.25', name: 'annas-laptop' },
  { ip: '192.168.1.26', name: 'game-server', services: ['steam'] },
  { ip: '192.168.1.27', name: 'rog-ally', services: ['steam', 'epicgames'] },
  { ip: 'fd00::28', name: 'lenas-laptop' },
]
const hour = 3600
const day = 24 * hour
/** Times in seconds from the start of the demo. */
export const events = [
  { name: 'Autumn LAN', from: -23 * day, until: -21 * day, colorIndex: 3, chunksPerHour: 1500 },
  { name: 'Patch weekend', from: -6 * day, until: -4 * day, colorIndex: 5, chunksPerHour: 1500 },
  { name: 'Winter LAN', from: -5 * hour, until: 2 * day, colorIndex: 2, chunksPerHour: 10_000 },
]
const historyDays = 30
const chunksPerDay = 18_000
/** Block size; larger writes gain nothing. */
const blockChars = 1 << 20
/** Cache files that fit; older ones were evicted. */
const cachedFilesMax = 9000
/** Of the sizes of all titles: the cache holds what is popular, and a larger one would hold more. */
const sizeShare = { chunks: 0.5, patchChunks: 0.4 }
/** One in this many is truncated, so that there is something to find. */
const damagedEvery = 900

/** The demo's directories: everything is below `root` and deleted with it. */
export interface DemoData {
  root: string
  dataPath: string
  logPath: string
  cachePath: string
  /** The file that live traffic is appended to. */
  accessLog: string
}

export function createDemoData(): DemoData {
  const root = mkdtempSync(join(tmpdir(), 'larder-demo-'))
  // When we are root, the private Postgres runs as another account and needs access.
  chmodSync(root, 0o755)
  const demo = {
    root,
    dataPath: join(root, 'data'),
    logPath: join(root, 'logs'),
    cachePath: join(root, 'cache'),
    accessLog: join(root, 'logs', 'access.log'),
  }
  for (const path of [demo.dataPath, demo.logPath, demo.cachePath]) mkdirSync(path)
  return demo
}

/** State in which the history ends and live traffic continues. */
export interface Past {
  traffic: Traffic
  cache: CacheKeeper
}

/** Writes a month of log ending at `untilAt`, and the resulting cache. */
export function writeHistory(demo: DemoData, seed: number, untilAt: number): Past {
  const fromAt = untilAt - historyDays * day
  const cache = createCache(demo)
  const traffic = new Traffic({
    seed,
    startAt: fromAt,
    clients: clients.map(({ ip }) => ip),
    services: Object.fromEntries(clients.map(({ ip, services }) => [ip, services])),
    chunksPerDay,
    // Afterwards, live traffic takes their place.
    parties: events.map(({ from, until, chunksPerHour }) => {
      return { from: untilAt + from, until: untilAt + Math.min(until, 0), chunksPerHour }
    }),
    titles: titles.map((title) => ({
      ...title,
      // A few games make most of the traffic.
      weight: title.weight ** 2,
      chunks: Math.ceil(title.chunks * sizeShare.chunks),
      patchChunks: Math.ceil(title.patchChunks * sizeShare.patchChunks),
    })),
    hold: (request) => cache.note(request),
  })
  const file = openSync(demo.accessLog, 'w')
  let block = ''
  for (const requests of history(traffic, { fromAt, untilAt })) {
    for (const request of requests) block += `${cachelogLine(request)}\n`
    if (block.length < blockChars) continue
    writeSync(file, block)
    block = ''
  }
  writeSync(file, block)
  closeSync(file)
  cache.flush()
  return { traffic, cache }
}

/** The volume of a stock proxy; its files come from the keeper. */
function createCache(demo: DemoData): CacheKeeper {
  writeFileSync(join(demo.cachePath, 'CONFIGHASH'), configHash)
  const root = join(demo.cachePath, 'cache')
  mkdirSync(root, { mode: 0o700 })
  return new CacheKeeper(root, cachedFilesMax, damagedEvery)
}
