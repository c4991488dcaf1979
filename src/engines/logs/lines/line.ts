import { ByteInterner, type ByteSpan } from '../../titles/bytes.ts'
import type { Platform } from '../../../platforms/platforms.ts'
import { noTitle, platformOf } from '../../titles/titles.ts'
import { networkMatcher } from '../../../core/lib/address.ts'
import type { PrefillRun, PrefillRuns } from '../downloads/prefill-runs.ts'
import { latestS, rowLimits } from '../../shipper/row-limits.ts'
import { TimeReader } from './log-time.ts'
import { RepeatedBytes } from './repeated-bytes.ts'
import { cleanText, serviceOfTag } from './service-name.ts'

/** Cache result: does not count, hit, miss. */
export const cacheNone = 0
export const cacheHit = 1
export const cacheMiss = 2
export type CacheOutcome = typeof cacheNone | typeof cacheHit | typeof cacheMiss

/** Escaping of a free text: none or `\xHH`, or as a JSON string. */
export const escapeHex = 0
export const escapeJson = 1
export type Escape = typeof escapeHex | typeof escapeJson

/** Reads the value of one JSON member; returns which part of the line it determines. */
export type ReadValue = (line: Line, buffer: Uint8Array, from: number, to: number) => number

export interface JsonName {
  bytes: Uint8Array
  /** Null: ignored. */
  read: ReadValue | null
}

export interface Tag {
  text: string
  service: string
  platform: Platform | null
  /** Stated by the name of the log file: its lines have none. */
  isOfFile: boolean
  /** Hash of the text, as part of a cache key. */
  keySeed: number
  /** The proxy stores its objects whole, not in slices. */
  isWhole: boolean
  /** Counts up from one within one Line, as an index for data of a tag; 0: not read from a line. */
  index: number
  /** Start of the last day that admitted it; see `DayNames`. */
  day: number
}

export interface Client {
  address: string
  /** All of its traffic is prefill, as configured. */
  isPrefill: boolean
  /** Runs of our daemons that have this address; null: none. */
  runs: readonly PrefillRun[] | null
  /** Counts up from zero within one Line, as an index for data of a client. */
  index: number
}

/** Fields after the byte count, without a range; places of the host relative to it. */
export interface LineEnd {
  cache: CacheOutcome
  isProbe: boolean
  isPrefill: boolean
  hostFrom: number
  hostTo: number
}

const maxInterned = 20_000

export const makeTag = (text: string, service = serviceOfTag(text)): Tag => ({
  text: cleanText(text, rowLimits.service),
  service,
  platform: platformOf(service),
  isOfFile: false,
  keySeed: Bun.hash.xxHash32(text),
  isWhole: false,
  index: 0,
  day: -1,
})

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** A client as the history spells it. Not bounded. */
export const clientAddress = (text: string): string =>
  cleanText(mapped.exec(text)?.[1] ?? text, text.length)

/**
 * The fields of one request. One object is reused for all lines: no allocation per line, and texts
 * stay bytes of the read buffer until needed.
 */
export class Line {
  timeS = 0
  tag: Tag = makeTag('')
  client: Client = { address: '', isPrefill: false, runs: null, index: 0 }
  status = 0
  bytes = 0
  cache: CacheOutcome = cacheNone
  methodFirst = 0
  readonly target: ByteSpan = { from: 0, to: 0 }
  readonly host: ByteSpan = { from: 0, to: 0 }
  /** Range header; empty or `-` without one. */
  readonly range: ByteSpan = { from: 0, to: 0 }
  escape: Escape = escapeHex
  isProbe = false
  isPrefill = false
  /** Set by `LineReader`: a heartbeat or a health check. */
  isHealthCheck = false
  /** Set by `LineReader`, of what is no health check. */
  title = noTitle
  /** Set by `LineReader` for requests that served bytes: of the range, of the target, of both. */
  firstByte = 0
  pathHash = 0
  /** The parser has set `pathHash` already. */
  isPathHashed = false
  objectHash = 0

  /** Tag, client and all else before the time; see `parseCachelog`. */
  readonly beginnings = new RepeatedBytes<{ tag: Tag; client: Client }>()
  /** What follows the byte count. */
  readonly ends = new RepeatedBytes<LineEnd>()
  #viewed: Uint8Array | null = null
  #view: DataView = new DataView(new ArrayBuffer(0))
  #latestS = 0
  readonly times: TimeReader
  /** Names of the last JSON line's members, by position. */
  readonly names: JsonName[] = []
  readonly noTag = makeTag('')
  readonly #tags: ByteInterner<Tag> = new ByteInterner((text) => ({
    ...makeTag(text === '-' ? '' : text),
    index: this.#tags.size + 1,
  }))
  readonly #clients: ByteInterner<Client> = new ByteInterner((text) => {
    const address = clientAddress(text).slice(0, rowLimits.client)
    const isPrefill = this.#isPrefillClient(address)
    return { address, isPrefill, runs: this.runs?.of(address) ?? null, index: this.#clients.size }
  })
  readonly #isPrefillClient: (address: string) => boolean
  /** Runs of our daemons; call `forget` after a change. */
  readonly runs: PrefillRuns | null

  /**
   * `timeZone`: of log times without one. `prefillClients`: addresses and networks whose entire
   * traffic is prefill.
   */
  constructor(
    timeZone = 'UTC',
    prefillClients: readonly string[] = [],
    runs: PrefillRuns | null = null,
  ) {
    this.runs = runs
    this.times = new TimeReader(timeZone)
    this.#isPrefillClient =
      prefillClients.length === 0 ? () => false : networkMatcher(prefillClients)
  }

  /** The bytes as words. */
  viewOf(buffer: Uint8Array): DataView {
    if (this.#viewed !== buffer) {
      this.#viewed = buffer
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    }
    return this.#view
  }

  setTag(buffer: Uint8Array, from: number, to: number): void {
    this.tag = to === from ? this.noTag : this.#tags.get(buffer, from, to)
  }

  setClient(buffer: Uint8Array, from: number, to: number): void {
    this.client = this.#clients.get(buffer, from, to)
  }

  /** Later than any row may be; reads the clock only for a line that seems to be. */
  get isAhead(): boolean {
    if (this.timeS <= this.#latestS) return false
    this.#latestS = latestS()
    return this.timeS > this.#latestS
  }

  /** True when a scanner or forged headers filled the cache; then call `forget`. */
  get isFull(): boolean {
    return this.#tags.size > maxInterned || this.#clients.size > maxInterned
  }

  forget(): void {
    this.#tags.clear()
    this.#clients.clear()
    this.beginnings.clear()
  }
}

const minus = 0x2d
/** Longer than any possible count, so that larger numbers are recognised as invalid. */
const maxDigits = 20

/** Non-negative number or `-` (zero); -1 when the bytes are anything else. */
export function readNumber(buffer: Uint8Array, from: number, to: number): number {
  if (to - from === 1 && buffer[from] === minus) return 0
  if (to === from || to - from > maxDigits) return -1
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = (buffer[at] as number) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

/** nginx has seven cache statuses; length and two letters identify each. */
export function readCache(buffer: Uint8Array, from: number, to: number): CacheOutcome {
  const first = buffer[from]
  const second = buffer[from + 1]
  switch (to - from) {
    case 3:
      return first === 0x48 && second === 0x49 ? cacheHit : cacheNone // HIT
    case 4:
      return first === 0x4d && second === 0x49 ? cacheMiss : cacheNone // MISS
    case 5:
      return first === 0x53 && second === 0x54 ? cacheHit : cacheNone // STALE
    case 6:
      return first === 0x42 && second === 0x59 ? cacheMiss : cacheNone // BYPASS
    case 7:
      return first === 0x45 && second === 0x58 ? cacheMiss : cacheNone // EXPIRED
    case 8:
      return first === 0x55 && second === 0x50 ? cacheHit : cacheNone // UPDATING
    case 11:
      return first === 0x52 && second === 0x45 ? cacheHit : cacheNone // REVALIDATED
    default:
      return cacheNone
  }
}

const markPrefix = Buffer.from('Larder-Pr')
const letterL = 0x4c
const letterE = 0x65
const letterO = 0x6f

/** Recognises Larder's own requests by user agent: `Larder-Probe` and `Larder-Prefill`. */
export function readOwnMark(line: Line, buffer: Uint8Array, at: number): void {
  for (let index = 1; index < markPrefix.length; index++) {
    if (buffer[at + index] !== markPrefix[index]) return
  }
  if (buffer[at + 9] === letterO) line.isProbe = true
  else if (buffer[at + 9] === letterE) line.isPrefill = true
}

/** Searches a user agent of known bounds for Larder's marks. */
export function readUserAgent(line: Line, buffer: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to - markPrefix.length; at++) {
    if (buffer[at] === letterL) readOwnMark(line, buffer, at)
  }
}

const question = 0x3f
const ignoredPaths = ['/lancache-heartbeat', '/health', '/ping'].map((path) => Buffer.from(path))

/** Only these answers are downloads; all others are failed requests and a figure of their own. */
export const isServed = ({ status }: Line): boolean => status === 200 || status === 206

/** Heartbeats and health checks, by exact path, with any query. */
export function isHealthCheck(buffer: Uint8Array, { from, to }: ByteSpan): boolean {
  const second = buffer[from + 1]
  if (second !== 0x6c && second !== 0x68 && second !== 0x70) return false // l, h, p
  for (const path of ignoredPaths) {
    const end = from + path.length
    if (end > to || (end < to && buffer[end] !== question)) continue
    let at = 0
    while (at < path.length && buffer[from + at] === path[at]) at++
    if (at === path.length) return true
  }
  return false
}

/** Splits `METHOD target PROTOCOL`; a malformed request is all target. */
export function readRequest(line: Line, buffer: Uint8Array, from: number, to: number): void {
  let start = from
  while (start < to && buffer[start] !== 0x20) start++
  let end = to
  while (end > start && buffer[end - 1] !== 0x20) end--
  const isRequest = start < to && start > from
  line.methodFirst = isRequest ? (buffer[from] as number) : 0
  line.target.from = isRequest ? start + 1 : from
  // Without a protocol (HTTP/0.9) the only space is the one before the target.
  line.target.to = isRequest && end - 1 > start ? end - 1 : to
}

/**
 * First byte of the requested range; 0 for none, several, suffix ranges and other units. As nginx's
 * slice module reads it: in any case, with spaces after the equals sign.
 */
export function firstByteOf(buffer: Uint8Array, { from, to }: ByteSpan): number {
  let start = from + 6 // bytes=
  const first = (buffer[from] as number) | 0x20
  if (to - from < 7 || first !== 0x62 || buffer[start - 1] !== 0x3d) return 0
  while (start < to && buffer[start] === 0x20) start++
  let at = start
  while (at < to && buffer[at] !== minus) at++
  for (let rest = at; rest < to; rest++) if (buffer[rest] === 0x2c) return 0
  return Math.max(0, at === start ? 0 : readNumber(buffer, start, at))
}
