import type { TrafficLog, TrafficRow, TrafficSide } from '../../engines/log-scan/tail-contract.ts'
import { isTooShort, sideOf, type Figures, type Speed } from './judge.ts'

/** The download that is asked about. */
export interface Subject {
  client: string
  tag: string
  titleKey: string
}

/** Share of lines with times from which on the log's format has them; others are of an older one. */
const nearlyEvery = 0.95

const both = ({ hits, misses }: TrafficRow) => [hits, misses]
const misses = (row: TrafficRow) => [row.misses]
const sum = <T>(list: readonly T[], value: (one: T) => number) =>
  list.reduce((total, one) => total + value(one), 0)

/** Downloads that ran side by side, as one; null when they are no measure. */
function speedOf(
  rows: readonly TrafficRow[],
  sidesOf: (row: TrafficRow) => TrafficSide[],
): (Speed & { bytes: number; requests: number; seconds: number }) | null {
  const sides = rows.flatMap(sidesOf)
  const seconds = Math.max(0, ...rows.map(({ activeSeconds }) => activeSeconds))
  const bytes = sum(sides, (side) => side.bytes)
  const requests = sum(sides, (side) => side.requests)
  if (requests === 0) return null
  const timed = sum(sides, (side) => side.timed)
  const taken = sum(sides, (side) => side.requestSeconds)
  const hasTimes = timed >= nearlyEvery * requests
  return {
    bytes,
    requests,
    seconds,
    bytesPerSecond: bytes / seconds,
    connections: hasTimes ? taken / seconds : null,
    // nginx rounds to milliseconds: what fits into buffers takes none.
    requestBytesPerSecond: hasTimes ? bytes / Math.max(taken, requests / 1000) : null,
  }
}

/** The fastest of the groups of which each is long and large enough for a verdict of its own. */
function fastestOf(
  rows: readonly TrafficRow[],
  keyOf: (row: TrafficRow) => string,
  sidesOf: (row: TrafficRow) => TrafficSide[],
): { key: string; speed: Speed } | null {
  const speeds = [...Map.groupBy(rows, keyOf)].flatMap(([key, group]) => {
    const speed = speedOf(group, sidesOf)
    return speed === null || isTooShort(speed) ? [] : [{ key, speed: plain(speed) }]
  })
  return speeds.sort((a, b) => b.speed.bytesPerSecond - a.speed.bytesPerSecond)[0] ?? null
}

const plain = ({ bytesPerSecond, connections, requestBytesPerSecond }: Speed): Speed => ({
  bytesPerSecond,
  connections,
  requestBytesPerSecond,
})

const isMostlyHits = ({ hits, misses: fetched }: TrafficRow) => hits.bytes > fetched.bytes
const titleOf = ({ tag, titleKey }: Subject) => `${tag}\n${titleKey}`
const nothing: Speed = { bytesPerSecond: 0, connections: null, requestBytesPerSecond: null }

export interface Measured extends Pick<Figures, 'lineBytesPerSecond' | 'disk'> {
  /** The fastest download from the cache so far, by client. */
  bestOfClients: ReadonlyMap<string, number>
}

/** The figures of one download among all downloads of the same time. */
export function figuresOf(
  { rows, all: everything }: Pick<TrafficLog, 'rows' | 'all'>,
  subject: Subject,
  measured: Measured,
): Figures {
  const ofClient = rows.filter(({ client }) => client === subject.client)
  const own = ofClient.filter((row) => titleOf(row) === titleOf(subject))
  const all = speedOf(own, both)
  const fetched = speedOf(own, misses)
  const bytes = all?.bytes ?? 0
  const internetShare = bytes === 0 ? 0 : (fetched?.bytes ?? 0) / bytes
  const ownSides = own.map((row) => row.misses)
  const taken = sum(ownSides, (side) => side.requestSeconds)
  const others = rows.filter((row) => row.client !== subject.client && isMostlyHits(row))
  const otherTitles = rows.filter((row) => titleOf(row) !== titleOf(subject))
  const { bestOfClients, ...known } = measured
  const otherClient = fastestOf(others, ({ client }) => client, both)
  const best = [...bestOfClients.values()]
  return {
    seconds: all?.seconds ?? 0,
    bytes,
    requests: all?.requests ?? 0,
    internetShare,
    expiredShare: all === null ? 0 : sum(own, (row) => row.expired) / all.requests,
    originShare: taken > 0 ? sum(ownSides, (side) => side.originSeconds) / taken : null,
    own: plain((sideOf(internetShare) === 'internet' ? fetched : all) ?? nothing),
    client: plain(speedOf(ofClient, both) ?? nothing),
    otherClient: otherClient?.speed ?? null,
    otherTitle:
      fastestOf(otherTitles, (row) => `${row.client}\n${titleOf(row)}`, misses)?.speed ?? null,
    internetBytesPerSecond:
      everything === null ? 0 : everything.misses.bytes / everything.activeSeconds,
    bestCacheBytesPerSecond: best.length === 0 ? null : Math.max(...best),
    clientBestBytesPerSecond: bestOfClients.get(subject.client) ?? null,
    otherClientBestBytesPerSecond: bestOfClients.get(otherClient?.key ?? '') ?? null,
    ...known,
  }
}
