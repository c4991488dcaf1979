import type { Sql } from 'postgres'
import type { DownloadRow, TrafficRow } from '../../engines/shipper/contract.ts'
import { faultOf } from '../../engines/shipper/refusal.ts'
import { RowsRefused, shipBatch, type DescribeTitle } from '../../engines/shipper/ship.ts'
import { describeTitle } from '../../engines/titles/titles.ts'
import type { SourceRow } from './source.ts'

/** Ids of imported downloads are above those of the log engine, which count from 1. */
const firstId = 100_000_000_000_000
const idSpan = 899_999_999_999_999n

const bucketSeconds = 300
/** Larger ones are mistakes, as in logs: 1 TiB. */
const bytesMax = 2 ** 40
const textMax = 500

/** The same row always gets the same id, so that a repeated import finds it. */
function idOf({ client, startedAt, service, titleKey, datasource }: SourceRow): number {
  const text = [client, startedAt, service, titleKey, datasource].join('\n')
  return firstId + Number(Bun.hash.xxHash64(text) % idSpan)
}

export interface Counts {
  imported: number
  skipped: number
  errors: number
}

/** A download of the history, as far as it is compared or kept. */
type Known = Pick<
  DownloadRow,
  | 'id'
  | 'datasource'
  | 'service'
  | 'tag'
  | 'client'
  | 'titleKey'
  | 'isPrefill'
  | 'startedAt'
  | 'hitBytes'
  | 'missBytes'
  | 'requests'
  | 'lastUrl'
  | 'revision'
>

const isBytes = (value: number) => Number.isSafeInteger(value) && value >= 0 && value <= bytesMax
const isPlausible = (row: SourceRow): boolean =>
  isBytes(row.hitBytes) &&
  isBytes(row.missBytes) &&
  Number.isFinite(row.startedAt) &&
  row.startedAt > 0 &&
  row.client !== '' &&
  [row.client, row.service, row.titleKey, row.datasource].every(({ length }) => length <= textMax)

/** Of a known download only bytes and end are replaced: its traffic stands under its own title. */
function downloadOf(row: SourceRow, known: Known | undefined): DownloadRow {
  const { service, client, datasource, titleKey, isPrefill, lastUrl, hitBytes, missBytes } = row
  const identity = { datasource, service, tag: service, client, titleKey, isPrefill, lastUrl }
  const startedAt = Math.floor(row.startedAt)
  return {
    ...(known ?? { id: idOf(row), ...identity, startedAt, requests: Math.max(1, row.requests) }),
    endedAt: Math.max(startedAt, Math.floor(row.endedAt)),
    hitBytes,
    missBytes,
    objectKeys: [],
    revision: (known?.revision ?? 0) + 1,
  }
}

/** Its bytes in the five minutes of its start; of a known download, the difference. */
function trafficOf(row: DownloadRow, known: Known | undefined): TrafficRow {
  const { datasource, service, client, titleKey, isPrefill, startedAt, endedAt } = row
  const isNew = known === undefined
  return {
    datasource,
    service,
    client,
    titleKey,
    isPrefill,
    bucketAt: Math.floor(startedAt / bucketSeconds) * bucketSeconds,
    hitBytes: row.hitBytes - (known?.hitBytes ?? 0),
    missBytes: row.missBytes - (known?.missBytes ?? 0),
    requests: isNew ? row.requests : 0,
    failedRequests: 0,
    downloads: isNew ? 1 : 0,
    firstAt: startedAt,
    lastAt: endedAt,
  }
}

const keyOf = ({ client, startedAt }: { client: string; startedAt: number }) =>
  `${client} ${Math.floor(startedAt)}`

/** Downloads of the history with an id, or with a client and a start, of these rows. */
async function knownOf(sql: Sql, rows: SourceRow[]): Promise<Known[]> {
  const asked = rows.map((row) => ({
    id: idOf(row),
    client: row.client,
    at: Math.floor(row.startedAt),
  }))
  return sql<Known[]>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb)
        as row (id bigint, client text, at bigint)
    )
    select d.id::float8 as id, d.datasource, d.service, d.tag, d.client,
      d.title_key as "titleKey", d.is_prefill as "isPrefill", d.last_url as "lastUrl",
      extract(epoch from d.started_at)::float8 as "startedAt",
      d.hit_bytes::float8 as "hitBytes", d.miss_bytes::float8 as "missBytes",
      d.requests::float8 as requests, d.revision
    from downloads d where d.id in (
      select id from asked
      union
      select own.id from asked join downloads own
        on own.started_at = to_timestamp(asked.at) and own.client = asked.client
      where own.id < ${firstId}
    )`
}

export interface WriteOptions {
  overwrites: boolean
  counts: Counts
}

/** Pairs each row with the download that it stands for; leaves out what must not be written. */
async function chosen(sql: Sql, rows: SourceRow[], { overwrites, counts }: WriteOptions) {
  const plausible = rows.filter(isPlausible)
  counts.errors += rows.length - plausible.length
  const known = await knownOf(sql, plausible)
  const byId = new Map(known.map((one) => [one.id, one]))
  const byKey = new Map(known.filter(({ id }) => id < firstId).map((one) => [keyOf(one), one]))
  const taken = new Set<number>()
  return plausible.flatMap((row) => {
    const match = byId.get(idOf(row)) ?? byKey.get(keyOf(row))
    const id = match?.id ?? idOf(row)
    const isRepeated = taken.has(id)
    taken.add(id)
    if (isRepeated || (match !== undefined && !overwrites)) {
      counts.skipped++
      return []
    }
    const download = downloadOf(row, match)
    return [{ download, traffic: trafficOf(download, match), gameAppId: row.gameAppId }]
  })
}

type Chosen = Awaited<ReturnType<typeof chosen>>

/** One transaction; divided while rows are refused, so that only these are errors. */
async function store(sql: Sql, rows: Chosen, counts: Counts): Promise<void> {
  if (rows.length === 0) return
  const apps = new Map(rows.map(({ download, gameAppId }) => [download.titleKey, gameAppId]))
  const describe: DescribeTitle = (titleKey, service) => {
    const title = describeTitle(titleKey, service)
    return { ...title, gameAppId: title.gameAppId ?? apps.get(titleKey) ?? null }
  }
  const batch = {
    batchId: crypto.randomUUID(),
    downloads: rows.map(({ download }) => download),
    traffic: rows.map(({ traffic }) => traffic),
  }
  try {
    await shipBatch(sql, batch, { describeTitle: describe, knownTitles: new Set() })
    counts.imported += rows.length
  } catch (error) {
    if (!(error instanceof RowsRefused) || faultOf(error) === null) throw error
    if (rows.length === 1) {
      counts.errors++
      return
    }
    const middle = Math.ceil(rows.length / 2)
    await store(sql, rows.slice(0, middle), counts)
    await store(sql, rows.slice(middle), counts)
  }
}

/**
 * Writes downloads of another instance with their traffic. Repeating it changes nothing: imported
 * downloads are found by their id, those counted here by client and start.
 */
export async function writeRows(sql: Sql, rows: SourceRow[], options: WriteOptions): Promise<void> {
  await store(sql, await chosen(sql, rows, options), options.counts)
}
