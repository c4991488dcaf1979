import type { CacheInfo, Mismatch, ServiceStatus, SystemConfig } from '../../api/queries.ts'
import { logProblems } from '../../app/remedies.ts'
import type { Tone } from '../../components/figures.tsx'
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
  detail?: string
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

export interface HealthTexts {
  bytes: (bytes: number) => string
  seconds: (ms: number) => string
  moment: (at: string) => string
}

function logItem(status: ServiceStatus, texts: HealthTexts): HealthItem {
  const { ingest, datasources } = status
  const broken = datasources.find(({ problem }) => problem !== 'none')
  if (broken !== undefined && broken.problem !== 'none') {
    const problem = logProblems[broken.problem]
    return {
      id: 'log',
      tone: 'bad',
      label: { key: problem.label },
      remedy: { key: problem.remedy, values: { path: broken.logPath, name: broken.name } },
      ...(broken.message === null ? {} : { detail: broken.message }),
    }
  }
  if (isStandstill(ingest.state)) return ingestItem(ingest, texts)
  if (datasources.length === 0) {
    return {
      id: 'log',
      tone: 'bad',
      label: { key: 'health.noLog' },
      remedy: { key: 'remedy.noLog' },
    }
  }
  return ingestItem(ingest, texts)
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

function ingestItem(ingest: ServiceStatus['ingest'], texts: HealthTexts): HealthItem {
  const isLive = ingest.lagMs <= liveLagMs
  if (ingest.state === 'following' && ingest.lagMs < noticedLagMs) {
    return { id: 'log', tone: 'good', label: { key: 'health.logEnd' } }
  }
  if (ingest.state === 'following') {
    const values = { time: texts.seconds(ingest.lagMs) }
    return { id: 'log', tone: isLive ? 'good' : 'quiet', label: { key: 'health.log', values } }
  }
  if (ingest.state === 'reading') {
    const values = { bytes: texts.bytes(ingest.backlogBytes) }
    return { id: 'log', tone: isLive ? 'good' : 'quiet', label: { key: 'health.reading', values } }
  }
  if (ingest.state === 'starting' || ingest.state === 'awaiting_setup') {
    return { id: 'log', tone: 'quiet', label: { key: 'health.starting' } }
  }
  const { label, remedy } = standstills[isStandstill(ingest.state) ? ingest.state : 'stopped']
  const more = {
    ...(ingest.message === null ? {} : { detail: ingest.message }),
    ...(ingest.mismatch === null ? {} : { choices: ingest.mismatch.choices }),
  }
  return { id: 'log', tone: 'bad', label: { key: label }, remedy: { key: remedy }, ...more }
}

/** Steps of an update, which may take minutes. */
const updates = {
  copying: 'health.historyCopying',
  migrating: 'health.historyUpdating',
} as const satisfies Record<string, Key>

const isUpdate = (state: string): state is keyof typeof updates => state in updates

function historyItem({ history }: ServiceStatus, texts: HealthTexts): HealthItem {
  if (history.state === 'ready')
    return { id: 'history', tone: 'good', label: { key: 'health.history' } }
  if (history.state === 'unavailable' || history.state === 'stopped') {
    return {
      id: 'history',
      tone: 'bad',
      label: { key: 'health.historyAway' },
      remedy: { key: history.mode === 'external' ? 'remedy.historyExternal' : 'remedy.history' },
      ...(history.message === null ? {} : { detail: history.message }),
    }
  }
  if (isUpdate(history.state)) {
    const values = { time: texts.seconds(Date.now() - Date.parse(history.since)) }
    return { id: 'history', tone: 'quiet', label: { key: updates[history.state], values } }
  }
  return { id: 'history', tone: 'quiet', label: { key: 'health.historyStarting' } }
}

/** Queued rows are reported after this many seconds. */
const outboxLagSeconds = 120

function outboxItem({ ingest, history }: ServiceStatus, texts: HealthTexts): HealthItem[] {
  const { isStuck, lagSeconds, lastError } = ingest.outbox
  if (history.state !== 'ready' || (!isStuck && lagSeconds < outboxLagSeconds)) return []
  const detail = lastError === null ? {} : { detail: lastError }
  if (isStuck) {
    const label = { key: 'health.stuck' } as const
    return [{ id: 'outbox', tone: 'bad', label, remedy: { key: 'remedy.stuck' }, ...detail }]
  }
  const values = { time: texts.seconds(lagSeconds * 1000) }
  return [{ id: 'outbox', tone: 'quiet', label: { key: 'health.outbox', values }, ...detail }]
}

/** Data missing from reports, and merged names. */
function boundItems({ outbox, limits: reached }: ServiceStatus['ingest']): HealthItem[] {
  const { quarantined: count } = outbox
  const label = { key: 'health.quarantine', values: { count } } as const
  const remedy = { key: 'remedy.quarantine' } as const
  return [
    ...(count > 0 ? [{ id: 'quarantine', tone: 'attention', label, remedy } as const] : []),
    ...reached.flatMap(({ limit, value, subject }) =>
      isShown(limit)
        ? [
            {
              id: limit,
              tone: 'attention',
              label: { key: limits[limit] },
              remedy: { key: 'remedy.limit' },
              detail: `${subject} ${value}`.trim(),
            } as const,
          ]
        : [],
    ),
  ]
}

function diskItem(cache: CacheInfo, config: SystemConfig | undefined): HealthItem {
  const source = config?.dataSources.find(({ cacheWritable, enabled }) => enabled && !cacheWritable)
  if (cache.totalCacheSize <= 0 || cache.driveState !== 'ok') {
    return {
      id: 'disk',
      tone: 'attention',
      label: { key: 'health.noCache' },
      remedy:
        source === undefined
          ? { key: 'remedy.noCache' }
          : { key: 'remedy.cachePath', values: { path: source.cachePath } },
    }
  }
  if (source !== undefined) {
    return {
      id: 'disk',
      tone: 'quiet',
      label: { key: 'health.readOnly' },
      remedy: { key: 'remedy.readOnly', values: { path: source.cachePath } },
    }
  }
  return { id: 'disk', tone: 'good', label: { key: 'health.disk' } }
}

function indexItem({ cacheIndex }: ServiceStatus): HealthItem[] {
  if (cacheIndex.damagedCopy === null) return []
  return [
    {
      id: 'index',
      tone: 'quiet',
      label: { key: 'health.cacheIndex' },
      remedy: { key: 'remedy.cacheIndex' },
      detail: cacheIndex.damagedCopy,
    },
  ]
}

/** A check that found nothing wrong says little about a later day. */
const checkAgeMaxMs = 24 * 60 * 60_000

/** What the last status check found about the proxy and DNS. */
function checkedItems({ dns }: ServiceStatus): HealthItem[] {
  if (dns !== null && !dns.cacheAnswers) {
    const remedy = { key: 'remedy.noAnswer' } as const
    return [{ id: 'proxy', tone: 'attention', label: { key: 'health.noAnswer' }, remedy }]
  }
  if (dns !== null && !dns.leadsToCache) {
    const remedy = { key: 'remedy.dns' } as const
    return [{ id: 'dns', tone: 'attention', label: { key: 'health.dns' }, remedy }]
  }
  if (dns === null || Date.now() - Date.parse(dns.checkedAtUtc) > checkAgeMaxMs) {
    return [{ id: 'dns', tone: 'quiet', label: { key: 'health.unchecked' } }]
  }
  return [
    { id: 'proxy', tone: 'good', label: { key: 'health.answers' } },
    { id: 'dns', tone: 'good', label: { key: 'health.dnsWell' } },
  ]
}

/** What the last search for names found; shown only when something is wrong. */
function nameItems({ names }: ServiceStatus): HealthItem[] {
  const items: HealthItem[] = []
  if (names.problem !== null) {
    const [label, remedy] = [{ key: 'health.names' }, { key: 'remedy.names' }] as const
    items.push({ id: 'names', tone: 'quiet', label, remedy, detail: names.problem })
  }
  return items
}

/** Each node that is away, since when. */
const nodeItems = ({ nodesAway }: ServiceStatus, texts: HealthTexts): HealthItem[] =>
  nodesAway.map(({ name, sinceUtc }) => ({
    id: `node ${name}`,
    tone: 'bad',
    label: { key: 'health.nodeAway', values: { name, time: texts.moment(sinceUtc) } },
    remedy: { key: 'remedy.nodeAway' },
  }))

/** All components in the order of data flow: log, history, disk, and what the last check found. */
export function healthItems(
  status: ServiceStatus,
  cache: CacheInfo | null,
  config: SystemConfig | undefined,
  texts: HealthTexts,
): HealthItem[] {
  return [
    logItem(status, texts),
    historyItem(status, texts),
    ...outboxItem(status, texts),
    ...nodeItems(status, texts),
    ...boundItems(status.ingest),
    ...indexItem(status),
    ...(cache === null ? [] : [diskItem(cache, config)]),
    ...checkedItems(status),
    ...nameItems(status),
  ]
}
