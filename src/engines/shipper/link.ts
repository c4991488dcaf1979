import type { Fragment, Sql, TransactionSql } from 'postgres'
import { columnsOf } from '../../../db/columns.ts'
import { ingestPosition } from '../../../db/history/link-schema.ts'
import type { counter } from '../../../db/hot/schema.ts'
import { failedSpans, type BatchLink, type PositionChange } from './contract.ts'
import { copyRows } from './copy.ts'
import { stagedTable } from './staging.ts'

/** The last batch that a store has, and the installation it came from. */
export interface Link {
  installation: string
  epoch: number
  seq: number
  batchId: string | null
}

export interface HistorySide {
  link: (Link & { isComplete: boolean }) | null
  /** Something was counted here, by any version. */
  hasData: boolean
}

/** What one log engine writes of a history. */
export interface HistoryPart {
  /** 0: the service's own; others are nodes'. */
  slot: number
  /** Null: all but those of nodes. */
  datasources: string[] | null
}
export const wholeHistory: HistoryPart = { slot: 0, datasources: null }

/** Positions from a history, for the log engine to adopt. */
export interface HistoryPositions {
  link: Link
  facts: string | null
  /** Rows of `hot.sqlite` as JSON, log files before the ranges that refer to them. */
  rows: { kind: PositionChange['kind']; fields: string }[]
  /** Sampled objects of open downloads, by download. */
  samples: Map<number, string[]>
  counters: CounterRow[]
}

export type CounterRow = typeof counter.$inferSelect

/**
 * The history does not continue at this engine's positions: sending the batch would count wrongly.
 */
export class LinkBroken extends Error {}

/**
 * Positions of nodes share the table: those of a slot have ids from `slot * 2^50` on. The slot of the
 * service's own log engine is 0.
 */
const slotBits = 50

const firstPosition = (slot: number): string => String(BigInt(slot) << BigInt(slotBits))
const ofSlot = (sql: Sql | TransactionSql, slot: number) =>
  sql`id >= ${firstPosition(slot)} and id < ${firstPosition(slot + 1)}`
/** Ids of the downloads that were open with the last batch, as a query. */
export const openDownloads = (sql: Sql): Fragment => sql`
  select id & ${String(2n ** BigInt(slotBits) - 1n)}::bigint from ingest_position where kind = 'open'`
/** Ids of links begin with 1. */
const linkId = (slot: number): number => slot + 1

interface LinkRow {
  installation: string
  epoch: string
  seq: string
  batch_id: string | null
  is_complete: boolean
  facts: string | null
}

const stagedPositions = stagedTable<PositionChange>('ship_positions', columnsOf(ingestPosition))

const linkOf = (row: LinkRow): Link => ({
  installation: row.installation,
  epoch: Number(row.epoch),
  seq: Number(row.seq),
  batchId: row.batch_id,
})

/** Reads which batches of a slot the history holds. */
export async function readHistorySide(sql: Sql, slot = 0): Promise<HistorySide> {
  const [row] = await sql<LinkRow[]>`select * from ingest_link where id = ${linkId(slot)}`
  const link = row === undefined ? null : { ...linkOf(row), isComplete: row.is_complete }
  // Rows of a node come with its link only, and a slot is given once.
  if (slot !== 0) return { link, hasData: link !== null && link.batchId !== null }
  const [data] = await sql<{ found: boolean }[]>`
    select exists (select 1 from traffic_day) or exists (select 1 from downloads) as found`
  return { link, hasData: data?.found ?? false }
}

/**
 * Records the batch in the link, inside the transaction that writes its rows. Throws LinkBroken
 * when the history's last batch is not the one before it.
 */
export async function advanceLink(
  sql: TransactionSql,
  batchId: string,
  { installation, epoch, seq, positions }: BatchLink,
  slot: number,
): Promise<void> {
  const isComplete = positions !== null && !positions.isPartial
  const moved = await sql`
    update ingest_link set seq = ${seq}, batch_id = ${batchId}, updated_at = now(),
      is_complete = ${isComplete}, facts = coalesce(${positions?.facts ?? null}, facts)
    where id = ${linkId(slot)} and installation = ${installation} and epoch = ${epoch}
      and seq = ${seq - 1}`
  if (moved.count !== 1)
    throw new LinkBroken('the history contains batches that this hot.sqlite did not send')
  if (positions === null || positions.changes.length === 0) return
  await sql.unsafe(stagedPositions.create)
  await copyRows(sql, stagedPositions, positions.changes, stagedPositions.fields)
  const first = firstPosition(slot)
  await sql`
    delete from ingest_position as kept using ${sql(stagedPositions.table)} as change
    where kept.kind = change.kind and kept.id = change.id + ${first}::bigint
      and change.fields is null`
  await sql`
    insert into ingest_position (kind, id, fields)
    select kind, id + ${first}::bigint, fields from ${sql(stagedPositions.table)}
    where fields is not null
    on conflict (kind, id) do update set fields = excluded.fields`
}

/**
 * From now on the history continues with the batch after `seq`. Its positions are deleted: the next
 * complete batch has all of them. Returns the link with its new epoch.
 */
export function beginLink(sql: Sql, begun: Omit<Link, 'epoch'>, slot = 0): Promise<Link> {
  return sql.begin((transaction) => writeLink(transaction, begun, slot))
}

async function writeLink(
  sql: TransactionSql,
  begun: Omit<Link, 'epoch'>,
  slot: number,
): Promise<Link> {
  const { installation, seq, batchId } = begun
  const [row] = await sql<LinkRow[]>`
    insert into ingest_link as kept
      (id, installation, epoch, seq, batch_id, is_complete, updated_at)
    values (${linkId(slot)}, ${installation}, 1, ${seq}, ${batchId}, false, now())
    on conflict (id) do update set installation = excluded.installation, epoch = kept.epoch + 1,
      seq = excluded.seq, batch_id = excluded.batch_id, is_complete = false, facts = null,
      updated_at = excluded.updated_at
    returning *`
  await sql`delete from ingest_position where ${ofSlot(sql, slot)}`
  if (row === undefined) throw new LinkBroken('the history did not store the link')
  return linkOf(row)
}

/** How long emptying waits for a running export. Behind it, reports would wait as well. */
const emptyingLockMs = 10_000

/**
 * Deletes every download and all traffic, those of nodes included, and begins the link anew. Keeps
 * events, and names unless `forgetsTitles`.
 */
export function emptyHistory(
  sql: Sql,
  { installation, forgetsTitles }: { installation: string; forgetsTitles: boolean },
): Promise<Link> {
  return sql.begin(async (transaction) => {
    await transaction`select set_config('lock_timeout', ${String(emptyingLockMs)}, true)`
    // Triggers empty the roll-ups and download_objects.
    await transaction`truncate traffic, traffic_hour, traffic_day, failed_requests, downloads,
      event_downloads, shipped_batch`
    // Nothing that retention deleted before is missing from what is counted from now on.
    await transaction`comment on table traffic is null`
    if (forgetsTitles) await transaction`truncate titles`
    // A node that still sends rows is refused, until it begins anew.
    await transaction`delete from ingest_link where id <> ${linkId(0)}`
    await transaction`delete from ingest_position where id >= ${firstPosition(1)}`
    return writeLink(transaction, { installation, seq: 0, batchId: null }, 0)
  })
}

/**
 * Returns the positions and claims them for this installation: the previous owner is refused from
 * now on. Null when they are not complete.
 */
export function takePositions(
  sql: Sql,
  installation: string,
  { slot, datasources }: HistoryPart = wholeHistory,
): Promise<HistoryPositions | null> {
  return sql.begin(async (transaction) => {
    const [row] = await transaction<LinkRow[]>`
      update ingest_link set installation = ${installation}, epoch = epoch + 1, updated_at = now()
      where id = ${linkId(slot)} and is_complete returning *`
    if (row === undefined) return null
    const rows = await transaction<HistoryPositions['rows']>`
      select kind, fields from ingest_position where ${ofSlot(sql, slot)} order by kind, id`
    const samples = await transaction<{ id: string; keys: string[] }[]>`
      select download_id as id, array_to_json(object_keys) as keys from download_objects
      where download_id in (
        select id - ${firstPosition(slot)}::bigint from ingest_position
        where kind = 'open' and ${ofSlot(sql, slot)}
      )`
    const counters = await transaction<CounterRow[]>`
      select datasource, service, client, sum(hit_bytes)::float8 as "hitBytes",
        sum(miss_bytes)::float8 as "missBytes", sum(requests)::float8 as requests
      from (
        select datasource, service, client, hit_bytes, miss_bytes, requests from traffic_day
        union all
        select datasource, service, client, 0, 0, requests from failed_requests
        where span_seconds = ${failedSpans.day}
      ) as days
      where ${datasources}::text[] is null or datasource = any(${datasources}::text[])
      group by datasource, service, client`
    return {
      link: linkOf(row),
      facts: row.facts,
      rows,
      samples: new Map(samples.map(({ id, keys }) => [Number(id), keys])),
      counters,
    }
  })
}
