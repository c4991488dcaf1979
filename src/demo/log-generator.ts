import { Ledger } from './ledger.ts'
import type { LoggedRequest } from './log-formats.ts'
import { seededRandom, type Random } from './random.ts'
import { titles, type Title } from './titles.ts'

export interface TrafficSettings {
  seed: number
  /** Unix seconds of the first possible request. */
  startAt: number
  clients: readonly string[]
  /** Approximate number of objects or slices downloaded on a weekday. */
  chunksPerDay: number
  titles?: readonly Title[]
  /** Times with more traffic than the days around them. */
  parties?: readonly Party[]
  /** Of clients that use some services only. */
  services?: Readonly<Record<string, readonly string[] | undefined>>
  /** Whether the cache holds an object or slice, which it does from then on; without it, nothing is evicted. */
  hold?: (request: LoggedRequest) => boolean
}

/** Objects or slices downloaded in addition, in Unix seconds. */
export interface Party {
  from: number
  until: number
  chunksPerHour: number
}

/** A client downloading a range of one title's objects or slices. */
interface Running {
  client: string
  title: Title
  titleIndex: number
  chunk: number
  endChunk: number
  bytesPerSecond: number
  /** Bytes due but less than one object or slice. */
  carryBytes: number
}

interface Planned {
  at: number
  run: Running
}

const daySeconds = 86_400
/** Share of downloads that begin in each hour; evenings are busiest. */
const hourWeights = [3, 2, 1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 6, 7, 9, 11, 13, 14, 12, 9, 6]
const hourWeightSum = hourWeights.reduce((sum, weight) => sum + weight, 0)
const megabyte = 1_000_000
const slowestBytesPerSecond = 3 * megabyte
const fastestBytesPerSecond = 110 * megabyte
/** Seconds between two of the proxy's heartbeats. */
const heartbeatSeconds = 600
/** One request in this many is followed by a failed one. */
const failureEvery = 4000
/** Titles offered to a client before it just repairs files. */
const choiceAttempts = 4

/**
 * Simulates a LAN second by second: clients install titles, fetch updates and repair files; an
 * object fetched by one is a hit for the next. Equal settings produce equal requests.
 */
export class Traffic {
  readonly ledger = new Ledger()
  readonly #settings: TrafficSettings
  readonly #random: Random
  readonly #titles: readonly Title[]
  /** By title: the cached objects or slices, and each client's patch level. */
  readonly #cached = new Map<number, Set<number>>()
  readonly #patchOf = new Map<string, number>()
  #planned: Planned[] = []
  #plannedUntil: number
  #running: Running[] = []

  constructor(settings: TrafficSettings) {
    this.#settings = settings
    this.#random = seededRandom(settings.seed)
    this.#titles = settings.titles ?? titles
    this.#plannedUntil = settings.startAt
  }

  get runningCount(): number {
    return this.#running.length
  }

  /** Starts a download now, regardless of the schedule. */
  begin(at: number, chunksMax: number): void {
    const run = this.#choose(at)
    run.endChunk = Math.min(run.endChunk, run.chunk + chunksMax)
    this.#running.push(run)
  }

  /** The next second with activity, at or after `at`. */
  nextSecond(at: number): number {
    if (this.#running.length > 0) return at
    while (this.#planned.length === 0) this.#planDay()
    const heartbeat = Math.ceil(at / heartbeatSeconds) * heartbeatSeconds
    return Math.max(at, Math.min(heartbeat, this.#planned[0]?.at ?? heartbeat))
  }

  /** All requests that end in this second, in log order. */
  second(at: number): LoggedRequest[] {
    while (this.#plannedUntil <= at) this.#planDay()
    while (this.#planned[0] !== undefined && this.#planned[0].at <= at) {
      const next = this.#planned.shift()
      if (next !== undefined) this.#running.push(next.run)
    }
    const requests: LoggedRequest[] = []
    if (at % heartbeatSeconds === 0) requests.push(heartbeat(at))
    for (const run of this.#running) this.#advance(run, at, requests)
    this.#running = this.#running.filter((run) => run.chunk < run.endChunk)
    for (const request of requests) this.ledger.add(request)
    return requests
  }

  #advance(run: Running, at: number, requests: LoggedRequest[]): void {
    const { title } = run
    run.carryBytes += run.bytesPerSecond * (0.6 + this.#random.next() * 0.8)
    while (run.carryBytes >= title.chunkBytes && run.chunk < run.endChunk) {
      const bytes = this.#bytesOf(run)
      run.carryBytes -= bytes
      requests.push(this.#request(run, at, bytes))
      if (this.#random.between(1, failureEvery) === 1) requests.push(failure(run, at))
      run.chunk++
    }
  }

  #request(run: Running, at: number, bytes: number): LoggedRequest {
    const { title, titleIndex, chunk, client } = run
    const range = title.range(chunk)
    const request = {
      at,
      tag: title.tag,
      client,
      forwardedFor: client.endsWith('7') ? '10.1.2.3, 10.0.0.1' : '-',
      method: 'GET',
      target: title.target(chunk),
      status: range === '-' ? 200 : 206,
      bytes,
      userAgent: title.userAgent,
      cacheStatus: 'MISS',
      host: title.host,
      range,
    }
    const { hold } = this.#settings
    const isHit = hold === undefined ? this.#isKept(titleIndex, chunk) : hold(request)
    if (isHit) request.cacheStatus = 'HIT'
    return request
  }

  /** Of a cache without a limit. */
  #isKept(titleIndex: number, chunk: number): boolean {
    const cached = this.#cached.get(titleIndex) ?? new Set<number>()
    this.#cached.set(titleIndex, cached)
    const isKept = cached.has(chunk)
    cached.add(chunk)
    return isKept
  }

  /** Ranges are full; a whole object is slightly below the maximum, always by the same amount. */
  #bytesOf({ title, chunk }: Running): number {
    if (title.range(chunk) !== '-') return title.chunkBytes
    return title.chunkBytes - ((chunk * 7919) % (title.chunkBytes >> 3))
  }

  #planDay(): void {
    const dayAt = this.#plannedUntil
    const weekday = new Date(dayAt * 1000).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    const chunks = this.#settings.chunksPerDay * (isWeekend ? 1.6 : 0.8)
    this.#plan(chunks, () => dayAt + this.#secondOfDay())
    for (const { from, until, chunksPerHour } of this.#settings.parties ?? []) {
      const start = Math.max(from, dayAt)
      const seconds = Math.min(until, dayAt + daySeconds) - start
      this.#plan((chunksPerHour * seconds) / 3600, () => start + this.#random.between(0, seconds))
    }
    this.#planned.sort((a, b) => a.at - b.at)
    this.#plannedUntil += daySeconds
  }

  #plan(chunks: number, moment: () => number): void {
    let rest = chunks
    while (rest > 0) {
      const at = moment()
      const run = this.#choose(at)
      this.#planned.push({ at, run })
      rest -= run.endChunk - run.chunk
    }
  }

  #secondOfDay(): number {
    let rest = this.#random.next() * hourWeightSum
    let hour = 0
    for (const weight of hourWeights) {
      if (rest < weight) break
      rest -= weight
      hour++
    }
    return Math.min(hour, 23) * 3600 + this.#random.between(0, 3599)
  }

  /** Usually something new to the client; occasionally a repair of its files. */
  #choose(at: number): Running {
    for (let attempt = 1; attempt < choiceAttempts; attempt++) {
      const run = this.#offer(at)
      if (run !== null) return run
    }
    return this.#repair()
  }

  #repair(): Running {
    const client = this.#random.pick(this.#settings.clients)
    const titleIndex = this.#pickTitle(client)
    const title = this.#titles[titleIndex] ?? this.#random.pick(this.#titles)
    const chunk = this.#random.between(0, title.chunks - 1)
    const endChunk = Math.min(title.chunks, chunk + this.#random.between(5, 120))
    const bytesPerSecond = this.#speed()
    return { client, title, titleIndex, carryBytes: 0, bytesPerSecond, chunk, endChunk }
  }

  /** An installation or an update; null when the client is up to date. */
  #offer(at: number): Running | null {
    const client = this.#random.pick(this.#settings.clients)
    const titleIndex = this.#pickTitle(client)
    const title = this.#titles[titleIndex] ?? this.#random.pick(this.#titles)
    const days = (at - this.#settings.startAt) / daySeconds
    // Titles are updated on different days.
    const patch = Math.floor((days + titleIndex) / title.patchDays)
    const owned = `${client} ${titleIndex}`
    const has = this.#patchOf.get(owned)
    this.#patchOf.set(owned, patch)
    const run = { client, title, titleIndex, carryBytes: 0, bytesPerSecond: this.#speed() }
    if (has === undefined) return { ...run, chunk: 0, endChunk: title.chunks }
    if (has < patch) {
      const chunk = title.chunks + has * title.patchChunks
      return { ...run, chunk, endChunk: chunk + (patch - has) * title.patchChunks }
    }
    return null
  }

  #speed(): number {
    return this.#random.between(slowestBytesPerSecond, fastestBytesPerSecond)
  }

  #pickTitle(client: string): number {
    const services = this.#settings.services?.[client]
    const weightOf = ({ tag, weight }: Title) =>
      services === undefined || services.includes(tag) ? weight : 0
    const sum = this.#titles.reduce((all, title) => all + weightOf(title), 0)
    let rest = this.#random.next() * sum
    for (const [index, title] of this.#titles.entries()) {
      rest -= weightOf(title)
      if (rest < 0) return index
    }
    return 0
  }
}

const heartbeat = (at: number): LoggedRequest => ({
  at,
  tag: '127.0.0.1',
  client: '127.0.0.1',
  forwardedFor: '-',
  method: 'GET',
  target: '/lancache-heartbeat',
  status: 204,
  bytes: 0,
  userAgent: 'curl/8.5.0',
  cacheStatus: '-',
  host: '127.0.0.1',
  range: '-',
})

const failure = ({ client, title, chunk }: Running, at: number): LoggedRequest => ({
  at,
  tag: title.tag,
  client,
  forwardedFor: '-',
  method: 'GET',
  target: `${title.target(chunk)}.old`,
  status: 404,
  bytes: 153,
  userAgent: title.userAgent,
  cacheStatus: 'MISS',
  host: title.host,
  range: '-',
})

export interface HistoryRange {
  fromAt: number
  untilAt: number
  /** Stops after this many lines. */
  linesMax?: number
}

/** The lines of a time range in blocks of about a second, without waiting. */
export function* history(
  traffic: Traffic,
  { fromAt, untilAt, linesMax = Number.POSITIVE_INFINITY }: HistoryRange,
): Generator<LoggedRequest[]> {
  for (let at = traffic.nextSecond(fromAt); at < untilAt; at = traffic.nextSecond(at + 1)) {
    const requests = traffic.second(at)
    if (requests.length > 0) yield requests
    if (traffic.ledger.lines >= linesMax) return
  }
}
