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
import { configHash, sliceBytes, writePiece } from './cache-generator.ts'
import { cachelogLine } from './log-formats.ts'
import { history, Traffic } from './log-generator.ts'
import { seededRandom } from './random.ts'
import { titles } from './titles.ts'

const clients = [
  '192.168.1.21',
  '192.168.1.22',
  '192.168.1.23',
  '192.168.1.24',
  '192.168.1.25',
  '192.168.1.26',
  '192.168.1.27',
  'fd00::28',
]
const historyDays = 30
const piecesPerDay = 26_000
/** Written at once; larger blocks gain nothing. */
const blockChars = 1 << 20
const cachedPieces = 3000

/** Where the demo lives: everything is below `root` and goes away with it. */
export interface World {
  root: string
  dataPath: string
  logPath: string
  cachePath: string
  /** The file that the live part appends to. */
  accessLog: string
}

export function createWorld(): World {
  const root = mkdtempSync(join(tmpdir(), 'larder-demo-'))
  // The private Postgres runs as another account when we are root and has to get in.
  chmodSync(root, 0o755)
  const world = {
    root,
    dataPath: join(root, 'data'),
    logPath: join(root, 'logs'),
    cachePath: join(root, 'cache'),
    accessLog: join(root, 'logs', 'access.log'),
  }
  for (const path of [world.dataPath, world.logPath, world.cachePath]) mkdirSync(path)
  return world
}

/** Writes a month of log that ends at `untilAt`; the answer goes on from there. */
export function writeHistory(world: World, seed: number, untilAt: number): Traffic {
  const fromAt = untilAt - historyDays * 86_400
  const traffic = new Traffic({ seed, startAt: fromAt, clients, piecesPerDay })
  const file = openSync(world.accessLog, 'w')
  let block = ''
  for (const requests of history(traffic, { fromAt, untilAt })) {
    for (const request of requests) block += `${cachelogLine(request)}\n`
    if (block.length < blockChars) continue
    writeSync(file, block)
    block = ''
  }
  writeSync(file, block)
  closeSync(file)
  return traffic
}

/** Some thousand small pieces in the format of the proxy; sizes are scaled down, names are not. */
export function writeCache(world: World, seed: number, untilAt: number): void {
  const random = seededRandom(seed)
  writeFileSync(join(world.cachePath, 'CONFIGHASH'), configHash)
  const root = join(world.cachePath, 'cache')
  mkdirSync(root, { mode: 0o700 })
  for (let count = 0; count < cachedPieces; count++) {
    const title = random.pick(titles)
    const piece = random.between(0, title.pieces - 1)
    const path = title.target(piece)
    const first = Number(/^bytes=(\d+)/.exec(title.range(piece))?.[1] ?? 0)
    const start = first - (first % sliceBytes)
    writePiece(root, {
      key: `${title.tag}${path}bytes=${start}-${start + sliceBytes - 1}`,
      body: new Uint8Array(random.between(512, 4096)),
      storedAt: untilAt - random.between(60, historyDays * 86_400),
      etag: `"${piece.toString(16)}"`,
    })
  }
}
