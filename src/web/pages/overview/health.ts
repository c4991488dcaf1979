import type { CacheInfo, Mismatch, ServiceStatus, SystemConfig } from '../../api/queries.ts'
import { logProblems } from '../../app/remedies.ts'
import type { Tone } from '../../components/figures.tsx'
import { byteText } from '../../format/numbers.ts'
import { lagText, momentText } from '../../format/times.ts'
import type { Key, Values } from '../../locales/translate.ts'

/** Limits that apply to one day or moment; too many files are a problem of their folder. */
const limits = {
  openDownloads: 'health.limit.openDownloads',
  servicesOfDay: 'health.limit.servicesOfDay',
  titlesOfDay: 'health.limit.titlesOfDay',
} as const satisfies Record<string, Key>

const isShown = (limit: string): limit is keyof typeof limits => limit in limits

export interface Text {
  key: Key
  values?: Values
}

/** One component: what it is and, if it fails, the consequence and the remedy. */
export interface HealthItem {
  id:
    | 'log'
    | 'history'
    | 'disk'
    | 'outbox'
    | 'quarantine'
    | 'index'
    | 'names'
    | 'proxy'
    | 'dns'
    | `node ${string}`
    | keyof typeof limits
  tone: Tone
  label: Text
  remedy?: Text
  /** The server's description of the cause. */
  detail: string | null
  /** Choices offered next to the remedy. */
  choices?: Mismatch['choices']
}

const consequences: Partial<Record<string, Key>> = {
  log: 'consequence.log',
  history: 'consequence.history',
  outbox: 'consequence.history',
  disk: 'consequence.disk',
  index: 'consequence.index',
  names: 'consequence.names',
  proxy: 'consequence.proxy',
  dns: 'consequence.dns',
  node: 'consequence.node',
}

/** What a failing component means for users; null where its label says it. */
export const consequenceOf = ({ id }: Pick<HealthItem, 'id'>): Key | null =>
  consequences[id.split(' ')[0] ?? id] ?? null

/** A smaller lag counts as "live" and is shown in tenths of a second. */
const liveLagMs = 5000
/** A smaller lag is not shown. */
const noticedLagMs = 100

interface More {
  values?: Values
  remedy?: Key
  /** Values of the remedy. */
  of?: Values
  detail?: string | null
  choices?: Mismatch['choices']
}

function item(id: HealthItem['id'], tone: Tone, label: Key, more: More = {}): HealthItem {
  const { values, remedy, of, detail = null, choices } = more
  const text = remedy && { key: remedy, values: of }
  return { id, tone, label: { key: label, values }, remedy: text, detail, choices }
}

function logItem(status: ServiceStatus): HealthItem {
  const { ingest, datasources } = status
  const broken = datasources.find(({ problem }) => problem !== 'none')
  if (broken !== undefined && broken.problem !== 'none') {
    const { label, remedy } = logProblems[broken.problem]
    const of = { path: broken.logPath, name: broken.name }
    return item('log', 'bad', label, { remedy, of, detail: broken.message })
  }
  if (!isStandstill(ingest.state) && datasources.length === 0) {
    return item('log', 'bad', 'health.noLog', { remedy: 'remedy.noLog' })
  }
  return ingestItem(ingest)
}

/** States in which nothing is read, each with its own remedy. */
const standstills = {
  paused_outbox_full: { label: 'health.paused', remedy: 'remedy.paused' },
  mismatch: { label: 'health.mismatch', remedy: 'remedy.mismatch' },
  storage_damaged: { label: 'health.damaged', remedy: 'remedy.damaged' },
  storage_failed: { label: 'health.storage', remedy: 'remedy.storage' },
  stopped: { label: 'health.stopped', remedy: 'remedy.stopped' },
} as const satisfies Record<string, { label: Key; remedy: Key }>

const isStandstill = (state: string): state is keyof typeof standstills => state in standstills

function ingestItem(ingest: ServiceStatus['ingest']): HealthItem {
  const { state, lagMs, message, mismatch } = ingest
  const tone = lagMs <= liveLagMs ? 'good' : 'quiet'
  if (state === 'following' && lagMs < noticedLagMs) return item('log', 'good', 'health.logEnd')
  if (state === 'following') {
    return item('log', tone, 'health.log', { values: { time: lagText(lagMs) } })
  }
  if (state === 'reading') {
    const values = { bytes: byteText(ingest.backlogBytes) }
    return item('log', tone, 'health.reading', { values })
  }
  if (state === 'starting' || state === 'awaiting_setup') {
    return item('log', 'quiet', 'health.starting')
  }
  const { label, remedy } = standstills[isStandstill(state) ? state : 'stopped']
  return item('log', 'bad', label, { remedy, detail: message, choices: mismatch?.choices })
}

/** Steps of an update, which may take minutes. */
const updates = {
  copying: 'health.historyCopying',
  migrating: 'health.historyUpdating',
} as const satisfies Record<string, Key>

const isUpdate = (state: string): state is keyof typeof updates => state in updates

function historyItem({ history }: ServiceStatus): HealthItem {
  const { state, mode, message: detail } = history
  if (state === 'ready') return item('history', 'good', 'health.history')
  if (state === 'unavailable' || state === 'stopped') {
    const remedy = mode === 'external' ? 'remedy.historyExternal' : 'remedy.history'
    return item('history', 'bad', 'health.historyAway', { remedy, detail })
  }
  if (isUpdate(state)) {
    const values = { time: lagText(Date.now() - Date.parse(history.since)) }
    return item('history', 'quiet', updates[state], { values })
  }
  return item('history', 'quiet', 'health.historyStarting')
}

/** Queued rows are reported after this many seconds. */
const outboxLagSeconds = 120

function outboxItem({ ingest, history }: ServiceStatus): HealthItem[] {
  const { isStuck, lagSeconds, lastError: detail } = ingest.outbox
  if (history.state !== 'ready' || (!isStuck && lagSeconds < outboxLagSeconds)) return []
  if (isStuck) return [item('outbox', 'bad', 'health.stuck', { remedy: 'remedy.stuck', detail })]
  const values = { time: lagText(lagSeconds * 1000) }
  return [item('outbox', 'quiet', 'health.outbox', { values, detail })]
}

/** Data missing from reports, and merged names. */
function boundItems({ outbox, limits: reached }: ServiceStatus['ingest']): HealthItem[] {
  const { quarantined: count } = outbox
  const about = { values: { count }, remedy: 'remedy.quarantine' } as const
  return [
    ...(count > 0 ? [item('quarantine', 'attention', 'health.quarantine', about)] : []),
    ...reached.flatMap(({ limit, value, subject }) => {
      if (!isShown(limit)) return []
      const detail = `${subject} ${value}`.trim()
      return [item(limit, 'attention', limits[limit], { remedy: 'remedy.limit', detail })]
    }),
  ]
}

function diskItem(cache: CacheInfo, config: SystemConfig | undefined): HealthItem {
  const source = config?.dataSources.find(({ cacheWritable, enabled }) => enabled && !cacheWritable)
  const of = { path: source?.cachePath ?? '' }
  if (['vanished', 'unresponsive'].includes(cache.driveState)) {
    const path = config?.dataSources[0]?.cachePath ?? ''
    return item('disk', 'attention', 'health.diskAway', {
      remedy: 'remedy.diskAway',
      of: { path },
    })
  }
  if (cache.totalCacheSize <= 0 || cache.driveState !== 'ok') {
    const remedy = source === undefined ? 'remedy.noCache' : 'remedy.cachePath'
    return item('disk', 'attention', 'health.noCache', { remedy, of: source && of })
  }
  if (source === undefined) return item('disk', 'good', 'health.disk')
  return item('disk', 'quiet', 'health.readOnly', { remedy: 'remedy.readOnly', of })
}

function indexItem({ cacheIndex: { damagedCopy: detail } }: ServiceStatus): HealthItem[] {
  if (detail === null) return []
  return [item('index', 'quiet', 'health.cacheIndex', { remedy: 'remedy.cacheIndex', detail })]
}

/** A check that found nothing wrong says little about a later day. */
const checkAgeMaxMs = 24 * 60 * 60_000

/** What the last status check found about the proxy and DNS. */
function checkedItems({ dns }: ServiceStatus): HealthItem[] {
  if (dns !== null && !dns.cacheAnswers) {
    return [item('proxy', 'attention', 'health.noAnswer', { remedy: 'remedy.noAnswer' })]
  }
  if (dns !== null && !dns.leadsToCache) {
    return [item('dns', 'attention', 'health.dns', { remedy: 'remedy.dns' })]
  }
  if (dns === null || Date.now() - Date.parse(dns.checkedAtUtc) > checkAgeMaxMs) {
    return [item('dns', 'quiet', 'health.unchecked')]
  }
  return [item('proxy', 'good', 'health.answers'), item('dns', 'good', 'health.dnsWell')]
}

/** What the last search for names found; shown only when something is wrong. */
function nameItems({ names: { problem: detail } }: ServiceStatus): HealthItem[] {
  if (detail === null) return []
  return [item('names', 'quiet', 'health.names', { remedy: 'remedy.names', detail })]
}

/** Each node that is away, since when. */
const nodeItems = ({ nodesAway }: ServiceStatus): HealthItem[] =>
  nodesAway.map(({ name, sinceUtc }) => {
    const values = { name, time: momentText(new Date(sinceUtc), new Date()) }
    return item(`node ${name}`, 'bad', 'health.nodeAway', { values, remedy: 'remedy.nodeAway' })
  })

/** All components in the order of data flow: log, history, disk, and what the last check found. */
export function healthItems(
  status: ServiceStatus,
  cache: CacheInfo | null,
  config: SystemConfig | undefined,
): HealthItem[] {
  return [
    logItem(status),
    historyItem(status),
    ...outboxItem(status),
    ...nodeItems(status),
    ...boundItems(status.ingest),
    ...indexItem(status),
    ...(cache === null ? [] : [diskItem(cache, config)]),
    ...checkedItems(status),
    ...nameItems(status),
  ]
}
