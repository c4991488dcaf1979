import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { cachelogLine, type LoggedRequest } from '../../src/demo/log-formats.ts'
import { history, Traffic } from '../../src/demo/log-generator.ts'
import { chunkName, seededRandom, type Random } from '../../src/demo/random.ts'
import { titles, type Title } from '../../src/demo/titles.ts'

// No client ends in 7: GoAccess cannot read lists of forwarded addresses.
const demoClients = Array.from({ length: 40 }, (_, index) => `192.168.${index}.${20 + (index % 5)}`)
const lanClients = Array.from({ length: 45 }, (_, index) => `10.10.0.${index * 5 + 11}`)
const blockCharacters = 1 << 22
const daySeconds = 86_400

export interface LogFile {
  path: string
  lines: number
  bytes: number
  /** Without heartbeats. */
  requests: number
}

export interface LogKind {
  what: string
  /** `processor`: lines read per processor second, without Postgres. */
  budget: { read: string; shipped: string; processor: string }
  generate(root: string, linesMax: number): LogFile
}

function writeLog(path: string, blocks: Iterable<LoggedRequest[]>) {
  const file = openSync(path, 'w')
  let block = ''
  let bytes = 0
  const flush = () => {
    bytes += writeSync(file, block)
    block = ''
  }
  for (const requests of blocks) {
    for (const request of requests) block += `${cachelogLine(request)}\n`
    if (block.length > blockCharacters) flush()
  }
  flush()
  closeSync(file)
  return { path, bytes }
}

/** A year of a small LAN: few clients at a time, each with one long download. */
function generateYear(root: string, linesMax: number): LogFile {
  const startAt = Math.floor(Date.now() / 1000) - 365 * daySeconds
  const clients = demoClients
  const traffic = new Traffic({ seed: 9, startAt, clients, chunksPerDay: linesMax / 300 })
  const range = { fromAt: startAt, untilAt: Number.POSITIVE_INFINITY, linesMax }
  const written = writeLog(join(root, 'year.log'), history(traffic, range))
  const { lines, totals } = traffic.ledger
  return { ...written, lines, requests: totals.requests }
}

/** The same day for every run of a day, long enough ago not to be live. */
const startOfLan = () => Math.floor(Date.now() / 1000 / daySeconds - 7) * daySeconds + 36_000

/** Share of a service's downloads, percent. */
const lanShares: readonly [tag: string, share: number][] = [
  ['steam', 62],
  ['epicgames', 16],
  ['blizzard', 10],
  ['riot', 8],
  ['wsus', 4],
]
const shortestRun = 40
const longestRun = 3000
/** Objects of a title from which downloads begin; the first request of each is a miss. */
const lanChunks = 400_000
const lanRequestsPerSecond = 450

interface Run {
  title: Title
  chunk: number
  left: number
}

function chooseRun(random: Random): Run {
  let rest = random.next() * 100
  const [tag] = lanShares.find(([, share]) => (rest -= share) < 0) ?? ['steam']
  const title = random.pick(titles.filter((one) => one.tag === tag))
  return {
    title,
    chunk: random.between(0, lanChunks),
    left: random.between(shortestRun, longestRun),
  }
}

/** Riot's bundles are requested once as a whole here: each is a new object. */
const objectOf = ({ title, chunk }: Run) => (title.tag === 'riot' ? chunk * 8 : chunk)

const requestOf = (at: number, client: string, title: Title, chunk: number): LoggedRequest => ({
  at,
  tag: title.tag,
  client,
  forwardedFor: '-',
  method: 'GET',
  target: title.target(chunk),
  status: title.range(chunk) === '-' ? 200 : 206,
  bytes: title.chunkBytes,
  userAgent: title.userAgent,
  cacheStatus: 'HIT',
  host: title.host,
  range: title.range(chunk),
})

function* lanBlocks(linesMax: number): Generator<LoggedRequest[]> {
  const random = seededRandom(45)
  const startAt = startOfLan()
  const runs = lanClients.map(() => chooseRun(random))
  const cached = new Set<string>()
  for (let line = 0; line < linesMax;) {
    const block: LoggedRequest[] = []
    for (const [index, client] of lanClients.entries()) {
      if (line === linesMax) break
      const run = runs[index] ?? chooseRun(random)
      const at = startAt + Math.floor(line++ / lanRequestsPerSecond)
      const request = requestOf(at, client, run.title, objectOf(run))
      const object = `${request.host}${request.target}${request.range}`
      if (!cached.has(object)) request.cacheStatus = 'MISS'
      cached.add(object)
      block.push(request)
      run.chunk++
      if (--run.left === 0) runs[index] = chooseRun(random)
    }
    yield block
  }
}

/** Requests of each title in a round before a client comes back to the first one. */
const manyTitles = 9000

/** Every line is another title than its client's last, and a download of its own. */
function* titleBlocks(linesMax: number): Generator<LoggedRequest[]> {
  const startAt = startOfLan()
  const [title] = titles
  if (title === undefined) throw new Error('the demo has no titles')
  for (let line = 0; line < linesMax;) {
    const block: LoggedRequest[] = []
    for (const [index, client] of lanClients.entries()) {
      if (line === linesMax) break
      const depot = 1_000_000 + ((Math.floor(line / lanClients.length) + index * 199) % manyTitles)
      const at = startAt + Math.floor(line++ / lanClients.length)
      const target = `/depot/${depot}/chunk/${chunkName(depot, index)}`
      block.push({ ...requestOf(at, client, title, 0), target })
    }
    yield block
  }
}

// Lines of any client follow each other, and nothing is requested twice.
const mixedClients = [
  ...lanClients.slice(5),
  ...Array.from({ length: 5 }, (_, index) => `fd00:10::${index + 1}`),
]
const mixedDepots = 400
const smallestObject = 1000
const largestObject = 1_000_000
/** Of a file of Battle.net that ranges are taken from. */
const archiveBytes = 256_000_000

interface MixedRun {
  title: Title
  /** Names the title where the service has a new one for each download. */
  serial: number
  depot: number
  left: number
}

const guidOf = (name: string) =>
  [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => name.slice(from, to))
    .join('-')

function mixedRequest(
  { title, serial, depot }: MixedRun,
  { line, random, at, client }: { line: number; random: Random; at: number; client: string },
): LoggedRequest {
  const name = chunkName(serial + 1000, line)
  const targets: Record<string, string> = {
    steam: `/depot/${depot}/chunk/${name}`,
    epicgames: `/Builds/Org/o-${serial}/default/ChunksV4/01/${name.slice(0, 16)}_${name.slice(0, 32)}.chunk`,
    riot: `/channels/public/bundles/${name.slice(0, 16).toUpperCase()}.bundle`,
    wsus: `/filestreamingservice/files/${guidOf(chunkName(serial, 0))}?P1=${line}`,
    blizzard: `/tpr/fenris/data/${name.slice(0, 2)}/${name.slice(2, 4)}/${name.slice(0, 32)}`,
  }
  const bytes = random.between(smallestObject, largestObject)
  const isRange = title.tag === 'blizzard'
  const first = isRange ? random.between(0, archiveBytes) : 0
  return {
    ...requestOf(at, client, title, 0),
    target: targets[title.tag] ?? '/',
    status: isRange ? 206 : 200,
    range: isRange ? `bytes=${first}-${first + bytes - 1}` : '-',
    bytes,
    cacheStatus: 'MISS',
  }
}

/** `only`: the lines of one service among them. */
function* mixedBlocks(linesMax: number, only?: string): Generator<LoggedRequest[]> {
  const random = seededRandom(2026)
  const startAt = startOfLan()
  let serial = 0
  const next = (): MixedRun => {
    const { title, left } = chooseRun(random)
    return { title, left, serial: serial++, depot: 500_000 + random.between(1, mixedDepots) }
  }
  const runs = mixedClients.map(next)
  for (let line = 0; line < linesMax; line++) {
    const index = random.between(0, mixedClients.length - 1)
    const run = runs[index] ?? next()
    const at = startAt + Math.floor(line / lanRequestsPerSecond)
    if (only === undefined || run.title.tag === only) {
      yield [mixedRequest(run, { line, random, at, client: mixedClients[index] ?? '' })]
    }
    if (--run.left === 0) runs[index] = next()
  }
}

const bundleBlocks = (linesMax: number) =>
  mixedBlocks(Number.POSITIVE_INFINITY, 'riot').take(linesMax)

function generateFrom(name: string, blocks: (linesMax: number) => Iterable<LoggedRequest[]>) {
  return (root: string, linesMax: number): LogFile => ({
    ...writeLog(join(root, `${name}.log`), blocks(linesMax)),
    lines: linesMax,
    requests: linesMax,
  })
}

const lan = generateFrom('lan', lanBlocks)
const mixed = generateFrom('mixed', mixedBlocks)
const bundles = generateFrom('bundles', bundleBlocks)
const everyTitle = generateFrom('titles', titleBlocks)
const maxTitleLines = 400_000

export const logKinds = {
  year: {
    what: 'a year',
    budget: { read: '10 times', shipped: '', processor: '800 k lines/s' },
    generate: generateYear,
  },
  lan: {
    what: '45 clients at once',
    budget: { read: '15 times', shipped: '', processor: '' },
    generate: lan,
  },
  mixed: {
    what: 'any of 45 clients next, every object new',
    budget: { read: '', shipped: '20 times', processor: '' },
    generate: mixed,
  },
  bundles: {
    what: "a new bundle of Riot's per line",
    budget: { read: '10 times', shipped: '', processor: '' },
    generate: bundles,
  },
  titles: {
    what: 'every line another title',
    budget: { read: '', shipped: '1 time', processor: '' },
    generate: (root, linesMax) => everyTitle(root, Math.min(linesMax, maxTitleLines)),
  },
} as const satisfies Record<string, LogKind>
