import type { Title } from '../../titles/titles.ts'
import type { Client, Escape, Tag } from '../lines/line.ts'
import type { SampledKey } from '../lines/object-keys.ts'
import type { ReuseSampler } from '../reuse/sampler.ts'
import type { DownloadRow, TrafficRow } from '../../shipper/contract.ts'

/** Traffic with the same client, tag, title and prefill mark in one lane. */
export interface Group {
  readonly lane: Lane
  readonly client: Client
  readonly tag: Tag
  readonly title: Title
  readonly isPrefill: boolean
  session: Session | null
  traffic: TrafficPart | null
}

/** Of the names of lanes whose lines are older than what was read before. */
export const backfillSuffix = '/backfill'

/** One log series read in one direction of time; downloads never cross lanes. */
export interface Lane {
  readonly name: string
  readonly datasource: string
  /** Null for lines that are older than what was read before. */
  readonly reuse: ReuseSampler | null
  readonly sessions: Map<string, Session>
  groups: Map<Client, Map<Title, Group[]>>
  lastS: number
  sweptS: number
}

/** A download that may still grow. Times are Unix seconds, sizes bytes. */
export interface Session extends Omit<DownloadRow, 'objectKeys'> {
  lane: string
  sample: SampledKey[]
  /** Changed since the last commit. */
  isDirty: boolean
  isClosed: boolean
  /** Number of the read chunk that touched it last. */
  chunk: number
  urlFrom: number
  urlTo: number
  urlEscape: Escape
  /** The group that adds to it; null until its first line after a restart. */
  group: Group | null
}

export const sessionKey = (client: string, tag: string, title: string, prefill: boolean): string =>
  `${client}\n${tag}\n${title}\n${prefill ? 1 : 0}`

/** A longer silence begins a new download. */
export const gapSeconds = 300

/** Traffic of one group in one five-minute bucket, since the last commit. */
export interface TrafficPart extends Omit<
  TrafficRow,
  'datasource' | 'service' | 'client' | 'titleKey' | 'isPrefill'
> {
  /** Requests that served bytes, from the cache and from the internet. */
  hits: number
  misses: number
}
