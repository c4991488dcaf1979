import type { TransactionSql } from 'postgres'
import type { HistoryTarget } from '../../db/history/connect.ts'
import {
  copyRows,
  flagField,
  integerField,
  textArrayField,
  textField,
} from '../../src/engines/shipper/copy.ts'
import type { DownloadRow } from '../../src/engines/shipper/contract.ts'
import { ensurePartitions, monthsOf } from '../../src/engines/shipper/partitions.ts'
import { describeTitle } from '../../src/engines/titles/titles.ts'
import { filledDatabase, openTestClient } from './postgres.ts'

export interface SeedOptions {
  /** Default: one million. */
  downloads?: number
  /** Last instant of the seeded days. Default: 2026-11-21T12:00Z. */
  until?: Date
  /** Default: a year. */
  days?: number
  clients?: number
  titles?: number
}

export type SeedDownload = Omit<
  DownloadRow,
  'datasource' | 'tag' | 'lastUrl' | 'objectKeys' | 'revision'
>

const daySeconds = 86_400
const batchRows = 20_000

/** A small deterministic generator: the same seed gives the same history everywhere. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const services = [
  ['steam', (number: number) => `alpha:${228_980 + number * 11}`],
  ['epicgames', (number: number) => `beta:/Builds/Org/o-${number}/default`],
  ['riot', (number: number) => `delta:game-${number}`],
  ['blizzard', (number: number) => `gamma:game-${number}`],
  ['xboxlive', (number: number) => `epsilon:product-${number}`],
  ['wsus', () => ''],
] as const

function titleAt(number: number) {
  const [service, key] = services[number % services.length] ?? services[0]
  return { service, titleKey: key(number) }
}

/** Downloads in order of time; evenings and some titles are busier, as in reality. */
function* downloadsOf(options: Required<SeedOptions>): Generator<SeedDownload> {
  const random = numbers(20_261_121)
  const end = Math.floor(options.until.getTime() / 1000)
  const allSeconds = options.days * daySeconds
  const step = allSeconds / options.downloads
  for (let id = 1; id <= options.downloads; id++) {
    const startedAt = Math.floor(end - allSeconds + (id - 1) * step)
    const title = titleAt(Math.floor(random() ** 2 * options.titles))
    const seconds = Math.min(Math.floor(random() ** 3 * 7200), end - startedAt)
    const total = Math.floor(random() ** 4 * 20_000_000_000)
    const hitBytes = Math.floor(total * random() ** 0.5)
    yield {
      id,
      ...title,
      client: `10.0.${Math.floor(random() * 2)}.${10 + Math.floor(random() * (options.clients / 2))}`,
      isPrefill: random() < 0.05,
      startedAt,
      endedAt: startedAt + seconds,
      hitBytes,
      missBytes: total - hitBytes,
      requests: 1 + Math.floor(total / 1_048_576),
    }
  }
}

/** Batches of rows that easily fit into memory. */
function* batchesOf<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < batchRows) continue
    yield batch
    batch = []
  }
  yield batch
}

const downloadColumns = (
  'id datasource service tag client title_key is_prefill started_at ended_at ' +
  'hit_bytes miss_bytes requests last_url revision'
).split(' ')

const intoDownloads = { table: 'downloads', columns: downloadColumns }
const intoObjects = { table: 'download_objects', columns: ['download_id', 'object_keys'] }

const instantField = (seconds: number) => new Date(seconds * 1000).toISOString()

const urlOf = (row: SeedDownload) => `/depot/${row.id % 5000}/chunk/${row.id.toString(16)}`

const downloadFields = (row: SeedDownload) => [
  integerField(row.id),
  'default',
  row.service,
  row.service,
  row.client,
  textField(row.titleKey),
  flagField(row.isPrefill),
  instantField(row.startedAt),
  instantField(row.endedAt),
  integerField(row.hitBytes),
  integerField(row.missBytes),
  integerField(row.requests),
  urlOf(row),
  '1',
]

const objectFields = (row: SeedDownload) => [
  integerField(row.id),
  textArrayField([`0 ${urlOf(row)}`]),
]

// All bytes of a download go into the bucket in which it began: exact sums at every level.
const fill = (table: string, bucket: string) => `
  insert into ${table}
  select ${bucket}, datasource, service, client, title_key, is_prefill, sum(hit_bytes),
    sum(miss_bytes), sum(requests), count(*), min(started_at), max(ended_at)
  from downloads group by 1, 2, 3, 4, 5, 6`

const hourOf = "date_trunc('hour', started_at, 'UTC')"

async function fillTraffic(sql: TransactionSql): Promise<void> {
  await sql.unsafe("set local work_mem = '256MB'")
  const fine = "date_bin('5 minutes', started_at, '2000-01-01Z')"
  await sql.unsafe(fill('traffic', fine))
  await sql.unsafe(fill('traffic_hour', hourOf))
  await sql.unsafe(fill('traffic_day', "date_trunc('day', started_at, 'UTC')"))
}

async function fillTitles(sql: TransactionSql): Promise<void> {
  const found = await sql<{ title_key: string; service: string }[]>`
    select distinct on (title_key) title_key, service from downloads where title_key <> ''`
  const rows = found.map(({ title_key: key, service }, index) => {
    const title = describeTitle(key, service)
    return {
      title_key: key,
      service,
      platform: title.platform,
      game_name: title.gameName ?? `Game ${index}`,
      game_app_id: title.platform === 'alpha' ? 1000 + index : null,
      depot_id: title.depotId,
      updated_at: new Date(0),
    }
  })
  if (rows.length > 0) await sql`insert into titles ${sql(rows)}`
}

/**
 * Fills an empty history, the same every time: downloads, traffic at all levels and
 * titles match to the byte. A million downloads take about a minute.
 */
export async function seedHistory(target: HistoryTarget, options: SeedOptions = {}) {
  const all = {
    downloads: options.downloads ?? 1_000_000,
    until: options.until ?? new Date('2026-11-21T12:00:00Z'),
    days: options.days ?? 365,
    clients: options.clients ?? 20,
    titles: options.titles ?? 200,
  }
  const end = all.until.getTime() / 1000
  const days = Array.from({ length: all.days + 1 }, (_, day) => end - day * daySeconds)
  const sql = openTestClient(target)
  try {
    await sql.begin((transaction) => ensurePartitions(transaction, monthsOf(days)))
    for (const batch of batchesOf(downloadsOf(all))) {
      await sql.begin(async (transaction) => {
        await copyRows(transaction, intoDownloads, batch, downloadFields)
        await copyRows(transaction, intoObjects, batch, objectFields)
      })
      // A batch is a week, and replaced sums are vacuumed after each, as in operation. Without
      // that, the table would grow to many times its usual size.
      await sql`vacuum download_groups`
    }
    await sql.begin(async (transaction) => {
      await fillTraffic(transaction)
      await fillTitles(transaction)
    })
    await sql`analyze`
  } finally {
    await sql.end()
  }
}

/** A database of its own with a seeded history. Files that ask for the same one share the seeding. */
export const seededDatabase = (options: SeedOptions): Promise<HistoryTarget> =>
  filledDatabase(`seeded_${Bun.hash(JSON.stringify(options)).toString(36)}`, (target) =>
    seedHistory(target, options),
  )
