/*
 * What limited a download, from figures of the log and of the same minutes' other downloads.
 *
 * The log shows what the proxy sent, so each verdict is a comparison: a part is named when others
 * that share everything except this part were faster. Without others, or when nothing differs, there is no
 * verdict. Formats of the log that state how long each request took also tell how many connections
 * a client used; without those times a client with few connections cannot be told from a slow one,
 * and the thresholds are stricter.
 */
import type { DiskLoad } from '../../engines/disk/load.ts'

export const verdicts = [
  'internet',
  'origin',
  'singleConnection',
  'cacheDisk',
  'clientNetwork',
  'revalidation',
  'none',
  'notEnoughData',
] as const
export type Verdict = (typeof verdicts)[number]

/** Why there is no verdict. `short`: too little of it. `alone`: nothing to compare it with. */
export const withoutVerdict = ['notInLog', 'short', 'alone'] as const
export type WithoutVerdict = (typeof withoutVerdict)[number]

/** Speed of one client or title; the last two are null in formats without times of requests. */
export interface Speed {
  bytesPerSecond: number
  /** Requests under way at a time, on average. */
  connections: number | null
  /** Speed of one request. */
  requestBytesPerSecond: number | null
}

export interface Figures {
  /** Of the download, in the part of its time that was examined, without pauses. */
  seconds: number
  bytes: number
  requests: number
  /** Share of its bytes that came from the internet, 0 to 1. */
  internetShare: number
  /** Share of its requests for which the proxy asked the origin about an expired file, 0 to 1. */
  expiredShare: number
  /** Share of the time of its misses that the proxy waited for the origin; null without times. */
  originShare: number | null
  own: Speed
  /** All of its client's downloads together. */
  client: Speed
  /** The fastest other client at the same time, mostly from the cache. */
  otherClient: Speed | null
  /** The fastest other title from the internet at the same time. */
  otherTitle: Speed | null
  /** What all clients together received from the internet. */
  internetBytesPerSecond: number
  /** The line as set, else the fastest download from the internet so far; null: unknown. */
  lineBytesPerSecond: number | null
  /** The fastest downloads from the cache so far: of all, of its client, of `otherClient`. */
  bestCacheBytesPerSecond: number | null
  clientBestBytesPerSecond: number | null
  otherClientBestBytesPerSecond: number | null
  /** Of the cache's disk at that time; null where it was not measured. */
  disk: DiskLoad | null
}

export interface Judgement {
  verdict: Verdict
  reason: WithoutVerdict | null
}

/** Less is a burst that fits into buffers, where speed depends on the moment it began. */
export const enough = { seconds: 5, bytes: 4 * 1024 * 1024, requests: 4 }
/** From twice the speed on, a difference is not one of fair shares, file sizes or rounding. */
const half = 0.5
/** Without times of requests, up to four connections may explain a difference. */
const quarter = 0.25
/** A fifth from the internet takes most of the time where the internet is slower than the cache. */
const internetShareMin = 0.2
/** The part of the way that is judged. */
export const sides = ['internet', 'cache'] as const
export const sideOf = (internetShare: number): (typeof sides)[number] =>
  internetShare >= internetShareMin ? 'internet' : 'cache'

/** Protocol overhead and unsteady senders leave a fifth of a line unused. */
const nearlyAll = 0.8
/** The average of one connection that is always busy, with some overlap of the next request. */
const oneConnection = 1.5
/** Below, the proxy had nothing to send for more than half of the time: the client did not ask. */
const mostlyIdle = 0.5
/** A disk with work nine tenths of the time has no reserve; half is not a limit. */
const diskBusy = { surely: 0.9, notAtAll: 0.5 }
/** Processors that wait for a disk a quarter of their time: several processes stand still. */
const diskWaits = 0.25

/** A connection of its own is as fast as others', but others use more of them. */
function usesOneConnection(own: Speed, other: Speed): boolean {
  const [few, many] = [own.connections, other.connections]
  const [one, each] = [own.requestBytesPerSecond, other.requestBytesPerSecond]
  if (few === null || many === null || one === null || each === null) return false
  return few >= mostlyIdle && few <= oneConnection && many >= 2 * few && one >= half * each
}

/** A disk with work all the time may still be as fast as it gets. */
const isFast = ({ client, bestCacheBytesPerSecond: best }: Figures) =>
  best !== null && client.bytesPerSecond >= nearlyAll * best

const isIdle = ({ connections }: Speed) => connections !== null && connections < mostlyIdle

function ofInternet(figures: Figures): Verdict | null {
  const { own, otherTitle, lineBytesPerSecond: line, internetBytesPerSecond: all } = figures
  if (isIdle(own)) return 'clientNetwork'
  if (line !== null && all >= nearlyAll * line) return 'internet'
  if (otherTitle !== null) {
    if (usesOneConnection(own, otherTitle)) return 'singleConnection'
    const [one, each] = [own.requestBytesPerSecond, otherTitle.requestBytesPerSecond]
    const [ratio, limit] =
      one === null || each === null
        ? [own.bytesPerSecond / otherTitle.bytesPerSecond, quarter]
        : [one / each, half]
    if (ratio < limit) return 'origin'
    // Much faster than all others, it shows nothing of a line that they share.
    if (ratio <= 1 / limit) return 'internet'
  }
  const isWaiting = figures.originShare !== null && figures.originShare >= nearlyAll
  if (line === null || all >= half * line || !isWaiting || own.connections === null) return null
  return own.connections > oneConnection ? 'origin' : 'singleConnection'
}

/** Measured: a read that blocks nginx without threads takes no time at all in its log. */
const isDiskIdle = ({ disk }: Figures) =>
  disk !== null && disk.busy !== null && disk.busy < diskBusy.notAtAll

const isSlowerThanEver = (speed: Speed | null, best: number | null): boolean =>
  speed !== null && best !== null && speed.bytesPerSecond < half * best

/** Measured, or two clients at once are slower than each of them has been: they share the cache. */
function isDiskBusy(figures: Figures): boolean {
  const { disk, client, otherClient } = figures
  if ((disk?.busy ?? 0) >= diskBusy.surely || (disk?.waiting ?? 0) >= diskWaits) return true
  if (isDiskIdle(figures)) return false
  return (
    isSlowerThanEver(client, figures.clientBestBytesPerSecond) &&
    isSlowerThanEver(otherClient, figures.otherClientBestBytesPerSecond)
  )
}

function ofCache(figures: Figures): Verdict | null {
  const { client, otherClient } = figures
  if (otherClient !== null && client.bytesPerSecond < half * otherClient.bytesPerSecond) {
    return usesOneConnection(client, otherClient) ? 'singleConnection' : 'clientNetwork'
  }
  if (isFast(figures)) return 'none'
  if (isDiskBusy(figures)) return 'cacheDisk'
  return isDiskIdle(figures) && isIdle(client) ? 'clientNetwork' : null
}

/** Too little for a verdict, and no measure for others. */
export const isTooShort = (of: Pick<Figures, 'seconds' | 'bytes' | 'requests'>): boolean =>
  of.seconds < enough.seconds || of.bytes < enough.bytes || of.requests < enough.requests

/** What limited a download most, as far as its figures prove it. */
export function judge(figures: Figures): Judgement {
  const { requests, expiredShare, internetShare } = figures
  if (requests === 0) return { verdict: 'notEnoughData', reason: 'notInLog' }
  if (isTooShort(figures)) {
    return { verdict: 'notEnoughData', reason: 'short' }
  }
  if (expiredShare >= half && !isFast(figures)) return { verdict: 'revalidation', reason: null }
  const verdict = sideOf(internetShare) === 'internet' ? ofInternet(figures) : ofCache(figures)
  return verdict === null
    ? { verdict: 'notEnoughData', reason: 'alone' }
    : { verdict, reason: null }
}
