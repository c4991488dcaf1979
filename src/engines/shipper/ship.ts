import type { Sql, TransactionSql } from 'postgres'
import { columnsOf } from '../../../db/columns.ts'
import { downloadObjects, downloads, traffic } from '../../../db/history/schema.ts'
import type { DescribeTitle } from '../catalogue/describe.ts'
import { failedSpans, type DownloadRow, type ShipBatch, type TrafficRow } from './contract.ts'
import { copyRows } from './copy.ts'
import { advanceLink } from './link.ts'
import type { Fault } from './refusal.ts'
import { ensurePartitions, monthsOf } from './partitions.ts'
import { isInstant, stagedTable } from './staging.ts'
import { addTitles } from './titles.ts'

// `is_evicted` belongs to the cache engine and is not overwritten.
const downloadColumns = columnsOf(downloads, ['isEvicted'])
const objectColumns = columnsOf(downloadObjects, ['downloadId'])
const trafficColumns = columnsOf(traffic)

const stagedDownloads = stagedTable<DownloadRow>('ship_downloads', [
  ...downloadColumns,
  ...objectColumns,
])
const stagedTraffic = stagedTable<TrafficRow>('ship_traffic', [
  ...trafficColumns,
  { key: 'failedRequests', name: 'failed_requests', type: 'bigint' },
])
const staging = `${stagedDownloads.create}; ${stagedTraffic.create}`

const list = (parts: readonly string[]) => parts.join(', ')

const stagedValue = (column: (typeof downloadColumns)[number]) =>
  isInstant(column) ? `to_timestamp(${column.name})` : column.name
const updates = downloadColumns
  .filter(({ key }) => key !== 'id')
  .map(({ name }) => `${name} = excluded.${name}`)

// Ignores states older than the one in the table. Stored in the order of the indexes by title: only
// those have no place where most new rows go.
const storeDownloads = `
  with stored as (
    insert into downloads as kept (${list(downloadColumns.map(({ name }) => name))})
    select ${list(downloadColumns.map(stagedValue))}
    from ${stagedDownloads.table} order by title_key, client
    on conflict (id) do update set
      ${list(updates)}
    where excluded.revision > kept.revision
    returning id
  )
  insert into download_objects as kept (download_id, object_keys)
  select id, object_keys from ${stagedDownloads.table} join stored using (id)
  on conflict (download_id) do update set object_keys = excluded.object_keys
  where kept.object_keys is distinct from excluded.object_keys`

/** The newest state of each download: a statement cannot store a row twice. */
function newestOf(rows: DownloadRow[]): DownloadRow[] {
  const newest = new Map<number, DownloadRow>()
  for (const row of rows) {
    if ((newest.get(row.id)?.revision ?? -1) < row.revision) newest.set(row.id, row)
  }
  return [...newest.values()]
}

async function shipDownloads(sql: TransactionSql, rows: DownloadRow[]): Promise<void> {
  if (rows.length === 0) return
  await copyRows(sql, stagedDownloads, newestOf(rows), stagedDownloads.fields)
  await sql.unsafe(storeDownloads)
}

/**
 * SQL for the start of the wider bucket that contains a five-minute bucket, and the order of the
 * level's primary key: rows that are stored together share its pages.
 */
const levels = {
  traffic: { bucket: 'to_timestamp(bucket_at)', order: 'bucket, title_key' },
  traffic_hour: {
    bucket: "date_trunc('hour', to_timestamp(bucket_at), 'UTC')",
    order: 'title_key, bucket',
  },
  traffic_day: {
    bucket: "date_trunc('day', to_timestamp(bucket_at), 'UTC')",
    order: 'title_key, bucket',
  },
} as const

/** Whole numbers of traffic are sums; other columns are the bounds of its time and the key. */
const trafficSums = trafficColumns.filter(({ type }) => type === 'bigint').map(({ name }) => name)
const trafficKey = trafficColumns
  .map(({ name }) => name)
  .filter((name) => !trafficSums.includes(name) && name !== 'first_at' && name !== 'last_at')

/** Adds the staged traffic to one level; grouped first, so that each row occurs once. */
function addTraffic(level: keyof typeof levels): string {
  const [, ...groups] = trafficKey
  const { bucket, order } = levels[level]
  const places = list(trafficKey.map((_name, index) => String(index + 1)))
  return `
    insert into ${level} as kept (${list([...trafficKey, ...trafficSums])}, first_at, last_at)
    select ${bucket} as bucket, ${list(groups)},
      ${list(trafficSums.map((name) => `sum(${name})::bigint`))},
      to_timestamp(min(first_at)), to_timestamp(max(last_at))
    from ${stagedTraffic.table} where requests > 0 or hit_bytes <> 0 or miss_bytes <> 0
    group by ${places} order by ${order}, client, service, datasource, is_prefill
    on conflict (${list(trafficKey)}) do update set
      ${list(trafficSums.map((name) => `${name} = kept.${name} + excluded.${name}`))},
      first_at = least(kept.first_at, excluded.first_at),
      last_at = greatest(kept.last_at, excluded.last_at)`
}

const addFailed = `
  insert into failed_requests as kept
    (span_seconds, bucket_at, datasource, service, client, is_prefill, requests)
  select span, to_timestamp(floor(bucket_at / span) * span), datasource, service, client,
    is_prefill, sum(failed_requests)::bigint
  from ${stagedTraffic.table} cross join (values (${failedSpans.five}), (${failedSpans.day})) as spans (span)
  where failed_requests > 0 group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (span_seconds, bucket_at, datasource, service, client, is_prefill)
    do update set requests = kept.requests + excluded.requests`

async function shipTraffic(sql: TransactionSql, rows: TrafficRow[]): Promise<void> {
  if (rows.length === 0) return
  await ensurePartitions(sql, monthsOf(rows.map((row) => row.bucketAt)))
  await copyRows(sql, stagedTraffic, rows, stagedTraffic.fields)
  await sql.unsafe(addTraffic('traffic'))
  await sql.unsafe(addTraffic('traffic_hour'))
  await sql.unsafe(addTraffic('traffic_day'))
  await sql.unsafe(addFailed)
}

/** Title keys known to be in the history, which later batches need not check again. */
export type KnownTitles = Set<string>

const knownTitlesMax = 100_000

/** Keys of the batch that may be new, each with the first service seen with it. */
function newTitles(batch: ShipBatch, known: KnownTitles): Map<string, string> {
  const found = new Map<string, string>()
  for (const row of [...batch.downloads, ...batch.traffic]) {
    if (row.titleKey === '') continue // content without a title
    if (known.has(row.titleKey) || found.has(row.titleKey)) continue
    found.set(row.titleKey, row.service)
  }
  return found
}

/** The history refused the rows of a batch: none is stored, nor can be later. */
export class RowsRefused extends Error {
  /** As another machine judged it. */
  fault?: Fault | null
}

export interface ShipOptions {
  describeTitle: DescribeTitle
  knownTitles: KnownTitles
  /** Of the log engine that sends the batch; absent: the service's own. */
  slot?: number
}

/**
 * Commits a batch to the history in one transaction, exactly once: a batch whose id is in
 * `shipped_batch` was completely committed before and changes nothing. Returns whether it was new.
 */
export async function shipBatch(
  sql: Sql,
  batch: ShipBatch,
  { describeTitle, knownTitles, slot = 0 }: ShipOptions,
): Promise<boolean> {
  const titles = newTitles(batch, knownTitles)
  const isNew = await sql.begin(async (transaction) => {
    const entered = await transaction`
      insert into shipped_batch (batch_id, shipped_at) values (${batch.batchId}, now())
      on conflict do nothing returning 1`
    if (entered.length === 0) return false
    if (batch.link !== undefined) {
      await advanceLink(transaction, batch.batchId, batch.link, slot)
    }
    try {
      await transaction.unsafe(staging)
      await shipDownloads(transaction, batch.downloads)
      await shipTraffic(transaction, batch.traffic)
      await addTitles(transaction, titles, describeTitle)
    } catch (cause) {
      // No other attempt is running: it would hold the id inserted above.
      throw new RowsRefused('rows of a batch were refused', { cause })
    }
    return true
  })
  if (isNew) {
    if (knownTitles.size > knownTitlesMax) knownTitles.clear()
    for (const key of titles.keys()) knownTitles.add(key)
  }
  return isNew
}
