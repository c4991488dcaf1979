import type { KeyScheme } from '../cache/contract.ts'

/** What reading the ends of logs answers. Everything here crosses a thread as plain data. */

/** The logs of one datasource, and the time that matters, Unix seconds, both included. */
export interface TailRequest {
  logPath: string
  scheme: KeyScheme
  /** Bytes of one slice; 0: objects lie in one piece. */
  sliceBytes: number
  /** What log times without a zone are in. */
  timeZone: string
  fromS: number
  toS: number
}

/** How much was read: never more than the limits of `tails.ts`. */
export interface TailCoverage {
  filesRead: number
  linesRead: number
  /** Older lines of a file that would have mattered were not read, or a compressed file was left out. */
  isCut: boolean
  /** Why nothing or not everything could be read, for people; null when all is well. */
  problem: string | null
}

/** A piece that one client asked for several times. */
export interface RepeatedRequest {
  client: string
  tag: string
  service: string
  /** As in a cache key. */
  path: string
  /** As it was asked for, query included. */
  rawUrl: string
  host: string
  /** First byte of the slice that was asked for first; null: stored in one piece. */
  sliceStart: number | null
  asked: number
  /** Times it was asked for again within a minute. */
  quickRepeats: number
  /** How many answers had each status; at most eight of them. */
  statuses: Record<string, number>
  fromCache: number
  fetched: number
  /** Body bytes of all answers together, of the shortest and of the longest. */
  bytes: number
  leastBytes: number
  mostBytes: number
  firstS: number
  lastS: number
}

export interface RepeatsOutcome extends TailCoverage {
  /** The oddest first, at most `requestsMax`. */
  requests: RepeatedRequest[]
  /** Pieces that were left out because there were too many. */
  dropped: number
}

/** Host names under which objects of a tag were asked for, the commonest first. */
export interface HostsOutcome extends TailCoverage {
  hosts: { host: string; requests: number }[]
  /** Of the last request for the object itself; null when it was not seen. */
  objectHost: string | null
}
