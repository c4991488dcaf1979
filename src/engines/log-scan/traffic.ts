import { latin1 } from '../titles/bytes.ts'
import { TitleReader } from '../titles/titles.ts'
import { cacheHit, cacheMiss, isServed, type Line } from '../logs/lines/line.ts'
import type { LogPeriod, TrafficLog, TrafficRow, TrafficSide } from './tail-contract.ts'
import { TailReader } from './tails.ts'

/** Downloads in one answer; those with the most bytes. */
const rowsMax = 500
/** Downloads that are counted at a time; lines of further ones are left out. */
const openMax = 5000
/** A longer silence is a pause of the client, which says nothing about speed. */
const pauseSeconds = 20

const json = /"request_time":\s*"?(\d+\.\d+)/
const jsonOrigin = /"upstream_response_time":\s*"?([\d.,: -]+)/
/** Between referer and user agent: lengths, then the time; the origin's time is the last field. */
const detailed = /" \d+ \d+ \d+ (\d+\.\d+) /
const detailedOrigin = /((?:\d+\.\d+(?:, | : )?)+) "[^"]*"\s*$/
/** Behind the last field of the common format, where somebody has added it. */
const appended = /" (\d+\.\d+)(?: ([\d., :-]+))?\s*$/

const sumOf = (list: string | undefined): number =>
  (list ?? '').split(/[,: ]+/).reduce((sum, one) => sum + (Number(one) || 0), 0)

/** How long a request took, and the origin's part of it; null in formats without such times. */
export function timesOf(text: string): { request: number; origin: number } | null {
  if (text.startsWith('{')) {
    const [, request] = json.exec(text) ?? []
    const origin = sumOf(jsonOrigin.exec(text)?.[1])
    return request === undefined ? null : { request: Number(request), origin }
  }
  const [, request] = detailed.exec(text) ?? []
  if (request !== undefined) {
    return { request: Number(request), origin: sumOf(detailedOrigin.exec(text)?.[1]) }
  }
  const [, added, origin] = appended.exec(text) ?? []
  return added === undefined ? null : { request: Number(added), origin: sumOf(origin) }
}

const expired = /["\s](?:REVALIDATED|EXPIRED)["\s]/
const emptySide = (): TrafficSide => ({
  requests: 0,
  bytes: 0,
  timed: 0,
  requestSeconds: 0,
  originSeconds: 0,
})

interface OpenRow {
  row: TrafficRow
  /** End of its last request. */
  endS: number
}

function openRow(of: Pick<TrafficRow, 'client' | 'tag' | 'titleKey'>, beginS: number): OpenRow {
  const sides = { hits: emptySide(), misses: emptySide() }
  return { row: { ...of, ...sides, expired: 0, activeSeconds: 1 }, endS: beginS }
}

interface Counted {
  times: ReturnType<typeof timesOf>
  beginS: number
  isExpired: boolean
}

function count(open: OpenRow, line: Line, { times, beginS, isExpired }: Counted): void {
  const { row } = open
  const side = line.cache === cacheHit ? row.hits : row.misses
  side.requests++
  side.bytes += line.bytes
  if (times !== null) {
    side.timed++
    side.requestSeconds += times.request
    side.originSeconds += times.origin
  }
  if (isExpired) row.expired++
  if (line.timeS <= open.endS) return
  const isAfterPause = beginS > open.endS + pauseSeconds
  row.activeSeconds += line.timeS - (isAfterPause ? beginS : open.endS)
  open.endS = line.timeS
}

class Traffic {
  readonly #rows = new Map<string, OpenRow>()
  readonly #titles = new TitleReader()
  #all: OpenRow | null = null

  add(line: Line, buffer: Buffer, span: { from: number; to: number }): void {
    if (!isServed(line) || (line.cache !== cacheHit && line.cache !== cacheMiss)) return
    const text = latin1(buffer, span.from, span.to)
    const times = timesOf(text)
    const beginS = line.timeS - (times?.request ?? 0)
    const isExpired = expired.test(text)
    this.#all ??= openRow({ client: '', tag: '', titleKey: '' }, beginS)
    for (const open of [this.#all, this.#open(line, buffer, beginS)]) {
      if (open !== null) count(open, line, { times, beginS, isExpired })
    }
  }

  finish(): Pick<TrafficLog, 'rows' | 'all'> {
    const rows = [...this.#rows.values()].map(({ row }) => row)
    const bytes = ({ hits, misses }: TrafficRow) => hits.bytes + misses.bytes
    rows.sort((a, b) => bytes(b) - bytes(a))
    return { rows: rows.slice(0, rowsMax), all: this.#all?.row ?? null }
  }

  #open(line: Line, buffer: Buffer, beginS: number): OpenRow | null {
    const { tag } = line
    if (this.#titles.isFull) this.#titles.forget()
    const titleKey =
      tag.platform === null
        ? ''
        : this.#titles.read(tag.platform, buffer, line.target, line.host).key
    const client = line.client.address
    const key = `${client}\n${tag.text}\n${titleKey}`
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    if (this.#rows.size >= openMax) return null
    const open = openRow({ client, tag: tag.text, titleKey }, beginS)
    this.#rows.set(key, open)
    return open
  }
}

/** What every client received of every title in a period, from the ends of the logs. */
export async function readTraffic(request: LogPeriod): Promise<TrafficLog> {
  const reader = new TailReader(request)
  const traffic = new Traffic()
  await reader.read((line, buffer, span) => traffic.add(line, buffer, span))
  return { coverage: reader.coverage, ...traffic.finish() }
}
