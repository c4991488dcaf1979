import type { Sql, TransactionSql } from 'postgres'
import type { TitleDescription } from '../../platforms/titles.ts'
import type { DownloadRow, ShipBatch, TrafficRow } from './contract.ts'
import {
  copyRows,
  flagField,
  integerField,
  secondsField,
  textArrayField,
  textField,
} from './copy.ts'
import { ensurePartitions, monthsOf } from './partitions.ts'

/** What a title key says by itself; names that are looked up come from the catalogue later. */
export type DescribeTitle = (titleKey: string, service: string) => TitleDescription

const stagedDownloads = {
  table: 'ship_downloads',
  columns: (
    'id datasource service tag client title_key is_prefill started_at ended_at ' +
    'hit_bytes miss_bytes requests last_url revision object_keys'
  ).split(' '),
}

const stagedTraffic = {
  table: 'ship_traffic',
  columns: (
    'bucket_at datasource service client title_key is_prefill ' +
    'hit_bytes miss_bytes requests downloads first_at last_at'
  ).split(' '),
}

// Live as long as the connection, empty after every transaction. Instants are Unix seconds.
const staging = `
  create temp table if not exists ship_downloads (
    id bigint, datasource text, service text, tag text, client text, title_key text,
    is_prefill boolean, started_at float8, ended_at float8, hit_bytes bigint, miss_bytes bigint,
    requests bigint, last_url text, revision integer, object_keys text[]
  ) on commit delete rows;
  create temp table if not exists ship_traffic (
    bucket_at float8, datasource text, service text, client text, title_key text,
    is_prefill boolean, hit_bytes bigint, miss_bytes bigint, requests bigint, downloads bigint,
    first_at float8, last_at float8
  ) on commit delete rows`

const downloadFields = (row: DownloadRow) => [
  integerField(row.id),
  textField(row.datasource),
  textField(row.service),
  textField(row.tag),
  textField(row.client),
  textField(row.titleKey),
  flagField(row.isPrefill),
  secondsField(row.startedAt),
  secondsField(row.endedAt),
  integerField(row.hitBytes),
  integerField(row.missBytes),
  integerField(row.requests),
  textField(row.lastUrl),
  integerField(row.revision),
  textArrayField(row.objectKeys),
]

const trafficFields = (row: TrafficRow) => [
  secondsField(row.bucketAt),
  textField(row.datasource),
  textField(row.service),
  textField(row.client),
  textField(row.titleKey),
  flagField(row.isPrefill),
  integerField(row.hitBytes),
  integerField(row.missBytes),
  integerField(row.requests),
  integerField(row.downloads),
  secondsField(row.firstAt),
  secondsField(row.lastAt),
]

async function shipDownloads(sql: TransactionSql, rows: DownloadRow[]): Promise<void> {
  if (rows.length === 0) return
  await copyRows(sql, stagedDownloads, rows, downloadFields)
  // Older states of the same download count for nothing, in this batch and in the table.
  // `is_evicted` belongs to the cache engine and is left alone.
  await sql`
    with newest as (
      select distinct on (id) * from ship_downloads order by id, revision desc
    ), stored as (
      insert into downloads as kept (id, datasource, service, tag, client, title_key, is_prefill,
        started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
      select id, datasource, service, tag, client, title_key, is_prefill,
        to_timestamp(started_at), to_timestamp(ended_at), hit_bytes, miss_bytes, requests,
        last_url, revision from newest
      on conflict (id) do update set
        datasource = excluded.datasource, service = excluded.service, tag = excluded.tag,
        client = excluded.client, title_key = excluded.title_key,
        is_prefill = excluded.is_prefill, started_at = excluded.started_at,
        ended_at = excluded.ended_at, hit_bytes = excluded.hit_bytes,
        miss_bytes = excluded.miss_bytes, requests = excluded.requests,
        last_url = excluded.last_url, revision = excluded.revision
      where excluded.revision > kept.revision
      returning id
    )
    insert into download_objects as kept (download_id, object_keys)
    select id, object_keys from newest join stored using (id)
    on conflict (download_id) do update set object_keys = excluded.object_keys
    where kept.object_keys is distinct from excluded.object_keys`
}

/** Start of the wider bucket that a five-minute bucket belongs to, in SQL. */
const levels = {
  traffic: 'to_timestamp(bucket_at)',
  traffic_hour: "date_trunc('hour', to_timestamp(bucket_at), 'UTC')",
  traffic_day: "date_trunc('day', to_timestamp(bucket_at), 'UTC')",
} as const

/** Adds the staged traffic to one level; grouped first, so that no row is met twice. */
const addTraffic = (level: keyof typeof levels) => `
  insert into ${level} as kept (bucket_at, datasource, service, client, title_key, is_prefill,
    hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
  select ${levels[level]} as bucket, datasource, service, client, title_key, is_prefill,
    sum(hit_bytes)::bigint, sum(miss_bytes)::bigint, sum(requests)::bigint,
    sum(downloads)::bigint, to_timestamp(min(first_at)), to_timestamp(max(last_at))
  from ship_traffic group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (bucket_at, datasource, service, client, title_key, is_prefill) do update set
    hit_bytes = kept.hit_bytes + excluded.hit_bytes,
    miss_bytes = kept.miss_bytes + excluded.miss_bytes,
    requests = kept.requests + excluded.requests,
    downloads = kept.downloads + excluded.downloads,
    first_at = least(kept.first_at, excluded.first_at),
    last_at = greatest(kept.last_at, excluded.last_at)`

async function shipTraffic(sql: TransactionSql, rows: TrafficRow[]): Promise<void> {
  if (rows.length === 0) return
  await ensurePartitions(sql, monthsOf(rows.map((row) => row.bucketAt)))
  await copyRows(sql, stagedTraffic, rows, trafficFields)
  await sql.unsafe(addTraffic('traffic'))
  await sql.unsafe(addTraffic('traffic_hour'))
  await sql.unsafe(addTraffic('traffic_day'))
}

/** Title keys that are in the history for certain, so that not every batch asks again. */
export type KnownTitles = Set<string>

const knownTitlesMax = 100_000

/** Keys of the batch that may be new, each with the service it was first seen with. */
function newTitles(batch: ShipBatch, known: KnownTitles): Map<string, string> {
  const found = new Map<string, string>()
  for (const row of [...batch.downloads, ...batch.traffic]) {
    if (row.titleKey === '') continue // content without a title
    if (known.has(row.titleKey) || found.has(row.titleKey)) continue
    found.set(row.titleKey, row.service)
  }
  return found
}

/** JSON would carry what the database cannot store; COPY replaces it in the same way. */
const storable = (text: string | null) => text?.replaceAll('\0', '').toWellFormed() ?? null

async function shipTitles(
  sql: TransactionSql,
  titles: Map<string, string>,
  describe: DescribeTitle,
): Promise<void> {
  if (titles.size === 0) return
  const rows = [...titles].map(([key, service]) => {
    const title = describe(key, service)
    return {
      title_key: storable(key),
      service: storable(service),
      platform: title.platform,
      game_name: storable(title.gameName),
      game_app_id: title.gameAppId,
      beta_app_id: storable(title.betaAppId),
      epsilon_product_id: storable(title.epsilonProductId),
      depot_id: title.depotId,
    }
  })
  await sql`
    insert into titles (title_key, service, platform, game_name, game_app_id, beta_app_id,
      epsilon_product_id, depot_id, updated_at)
    select title_key, service, platform, game_name, game_app_id, beta_app_id,
      epsilon_product_id, depot_id, now()
    from jsonb_to_recordset(${sql.json(rows)}) as row (title_key text, service text,
      platform text, game_name text, game_app_id bigint, beta_app_id text,
      epsilon_product_id text, depot_id bigint)
    order by title_key
    on conflict (title_key) do nothing`
}

/** The history refused the rows of a batch: nothing of it is there, nor can it come later. */
export class RowsRefused extends Error {}

export interface ShipOptions {
  describeTitle: DescribeTitle
  knownTitles: KnownTitles
}

/**
 * Commits a batch to the history in one transaction, exactly once: a batch whose id is in
 * `shipped_batch` was committed as a whole before and changes nothing. Answers whether it was new.
 */
export async function shipBatch(
  sql: Sql,
  batch: ShipBatch,
  { describeTitle, knownTitles }: ShipOptions,
): Promise<boolean> {
  const titles = newTitles(batch, knownTitles)
  const isNew = await sql.begin(async (transaction) => {
    const entered = await transaction`
      insert into shipped_batch (batch_id, shipped_at) values (${batch.batchId}, now())
      on conflict do nothing returning 1`
    if (entered.length === 0) return false
    try {
      await transaction.unsafe(staging)
      await shipDownloads(transaction, batch.downloads)
      await shipTraffic(transaction, batch.traffic)
      await shipTitles(transaction, titles, describeTitle)
    } catch (cause) {
      // No other attempt is under way: it would hold the id that was entered above.
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
