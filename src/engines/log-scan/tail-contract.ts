export type {
  DownloadLogRequest,
  HostsRequest,
  LogPeriod,
  RepeatsRequest,
  TailRequest,
} from '../inputs.ts'

/** Result of reading the ends of logs. Everything here crosses a thread as plain data. */

/** How much was read: never more than the limits of `tails.ts`. */
export interface TailCoverage {
  filesRead: number
  linesRead: number
  /** Relevant older lines of a file were not read, or a compressed file was skipped. */
  isCut: boolean
  /** Why some or all logs could not be read, as text; null without problems. */
  problem: string | null
}

/** A slice that one client requested several times. */
export interface RepeatedRequest {
  client: string
  tag: string
  service: string
  /** As in a cache key. */
  path: string
  /** As requested, query included. */
  rawUrl: string
  host: string
  /** First byte of the first requested slice; null: stored whole. */
  sliceStart: number | null
  asked: number
  /** Repeats within a minute. */
  quickRepeats: number
  /** Number of responses per status; at most eight statuses. */
  statuses: Record<string, number>
  fromCache: number
  fetched: number
  /** Body bytes: of all responses, of the shortest and of the longest. */
  bytes: number
  leastBytes: number
  mostBytes: number
  firstS: number
  lastS: number
}

export interface RepeatsOutcome extends TailCoverage {
  /** The most suspicious first, at most `requestsMax`. */
  requests: RepeatedRequest[]
  /** Slices left out beyond the limit. */
  dropped: number
}

/** Host names under which objects of a tag were requested, most frequent first. */
export interface HostsOutcome extends TailCoverage {
  hosts: { host: string; requests: number }[]
  /** From the last request for the object itself; null without one. */
  objectHost: string | null
}

/** One request that delivered content. */
export interface ContentSample {
  service: string
  host: string
  /** As requested, query included. */
  path: string
  timeS: number
  isHit: boolean
  status: number
  bytes: number
}

export interface SamplesOutcome extends TailCoverage {
  scannedBytes: number
  samples: ContentSample[]
}

/**
 * Why a request was a miss, as far as the log proves it. `first`: nobody asked before in the lines
 * read. `gone`: somebody did, and the object is no longer there. `again`: this download had
 * fetched it already. `together`: another client was fetching it. `expired`, `bypassed`: nginx
 * says so. `range`: an open range, or several, name no slice.
 */
export const missCauses = [
  'first',
  'gone',
  'again',
  'together',
  'expired',
  'bypassed',
  'range',
  'unknown',
] as const
export type MissCause = (typeof missCauses)[number]

export interface MissedRequest {
  path: string
  /** First byte of the slice; null where the object is stored whole. */
  sliceStart: number | null
  timeS: number
  bytes: number
  /** The last request for it before. */
  before: { timeS: number; isHit: boolean; isOwn: boolean } | null
  cause: MissCause
}

export interface DownloadLog {
  coverage: TailCoverage
  /** Time of the oldest line that was read; null without any. */
  readFromS: number | null
  /** Requests served from the cache, fetched, and answered with an error. */
  hits: number
  misses: number
  failed: number
  secondsPerPoint: number
  /** Bytes from the cache and from the internet, from the start on. */
  points: [hitBytes: number, missBytes: number][]
  /** Misses that were searched in the lines before; the rest are only counted. */
  examined: number
  causes: Partial<Record<MissCause, number>>
  samples: MissedRequest[]
  /** Its first lines as they are in the log. */
  lines: string[]
}

/** Requests of one download that were served from the cache, or fetched from the internet. */
export interface TrafficSide {
  requests: number
  bytes: number
  /** Requests whose line states how long they took. */
  timed: number
  /** How long those took, and how long the proxy waited for the origin in them. */
  requestSeconds: number
  originSeconds: number
}

/** What one client received of one title in the period. */
export interface TrafficRow {
  client: string
  tag: string
  titleKey: string
  hits: TrafficSide
  misses: TrafficSide
  /** Requests for files that had expired, so that the proxy asked the origin first. */
  expired: number
  /** Its time without pauses. */
  activeSeconds: number
}

export interface TrafficLog {
  coverage: TailCoverage
  /** The most bytes first. */
  rows: TrafficRow[]
  /** Everything together; null without any. */
  all: TrafficRow | null
}
