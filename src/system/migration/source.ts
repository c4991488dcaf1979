import type { Sql } from 'postgres'
import { reachClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { describeFailure, failureKind } from '../../../db/history/failures.ts'
import { orLate } from '../../core/lib/within.ts'

/** The source cannot be read. The message says why and contains no secrets. */
export class SourceRefused extends Error {}

/** A download of the other instance. Times in Unix seconds, sizes in bytes. */
export interface SourceRow {
  service: string
  client: string
  startedAt: number
  endedAt: number
  hitBytes: number
  missBytes: number
  datasource: string
  titleKey: string
  gameAppId: number | null
  isPrefill: boolean
  requests: number
  lastUrl: string
  /** The start as the source writes it: where to continue. */
  mark: string
}

/** How to read one kind of source. All names are constants. */
interface Form {
  table: string
  start: string
  client: string
  required: readonly string[]
  /** The columns of `SourceRow`, given the columns that exist. */
  columns: (has: (name: string) => boolean) => string
}

const seconds = (column: string) => `extract(epoch from ${column})::float8`

/** The documented table. Column names are quoted: they contain capitals. */
const documented: Form = {
  table: '"Downloads"',
  start: '"StartTimeUtc"',
  client: '"ClientIp"',
  required: [
    'Service',
    'ClientIp',
    'StartTimeUtc',
    'EndTimeUtc',
    'CacheHitBytes',
    'CacheMissBytes',
  ],
  columns(has) {
    const orNull = (name: string) => (has(name) ? `"${name}"` : 'null')
    return `lower("Service") as service, "ClientIp" as client,
      ${seconds('"StartTimeUtc"')} as "startedAt", ${seconds('"EndTimeUtc"')} as "endedAt",
      "CacheHitBytes"::float8 as "hitBytes", "CacheMissBytes"::float8 as "missBytes",
      coalesce(${orNull('Datasource')}, 'default') as datasource,
      coalesce('alpha:' || ${orNull('DepotId')}::text, '') as "titleKey",
      ${orNull('GameAppId')}::float8 as "gameAppId", false as "isPrefill",
      1::float8 as requests, coalesce(${orNull('LastUrl')}, '') as "lastUrl"`
  },
}

/** The history of another Larder. */
const own: Form = {
  table: 'downloads',
  start: 'started_at',
  client: 'client',
  required: ['title_key', 'service', 'client', 'started_at', 'ended_at', 'hit_bytes', 'miss_bytes'],
  columns: () => `service, client, ${seconds('started_at')} as "startedAt",
    ${seconds('ended_at')} as "endedAt", hit_bytes::float8 as "hitBytes",
    miss_bytes::float8 as "missBytes", datasource, title_key as "titleKey",
    null::float8 as "gameAppId", is_prefill as "isPrefill", requests::float8 as requests,
    last_url as "lastUrl"`,
}

/** How long the source may take to answer its first questions. */
const answerMs = 30_000

async function columnsOf(sql: Sql, table: string): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`
  return new Set(rows.map(({ name }) => name))
}

export interface Source {
  /** Downloads in the source. */
  count: number
  /**
   * Passes on the downloads from `mark` on, in the order of their start, in batches; waits for each.
   * One cursor in one read-only snapshot: memory depends on the size of a batch only.
   */
  read(
    from: { mark: string; batch: number },
    each: (rows: SourceRow[]) => Promise<boolean>,
  ): Promise<void>
  close(): Promise<void>
}

async function formOf(sql: Sql): Promise<{ form: Form; columns: Set<string> }> {
  const found: string[] = []
  for (const form of [documented, own]) {
    const columns = await columnsOf(sql, form.table)
    const missing = form.required.filter((name) => !columns.has(name))
    if (columns.size > 0 && missing.length === 0) return { form, columns }
    if (columns.size > 0) found.push(`the table ${form.table} has no ${missing.join(', ')}`)
  }
  throw new SourceRefused(
    found.length === 0
      ? 'This database has no table "Downloads": it is not the database of a cache manager'
      : `This database was written by an unknown version: ${found.join('; ')}`,
  )
}

async function recognised(sql: Sql) {
  const { form, columns } = await formOf(sql)
  const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::float8 as n from ${form.table}`)
  return { form, columns, count: row?.n ?? 0 }
}

function sourceOf(
  sql: Sql,
  target: HistoryTarget,
  { form, columns, count }: Awaited<ReturnType<typeof recognised>>,
) {
  const { table, start, client } = form
  const query = `select ${form.columns((name) => columns.has(name))}, ${start}::text as mark
    from ${table} where ${start} >= $1::text::timestamptz order by ${start}, ${client}`
  const source: Source = {
    count,
    async read({ mark, batch }, each) {
      const inOneSnapshot = sql.begin(
        'isolation level repeatable read read only',
        async (transaction) => {
          for await (const rows of transaction.unsafe<SourceRow[]>(query, [mark]).cursor(batch)) {
            if (!(await each(rows))) return
          }
        },
      )
      await inOneSnapshot.catch((error: unknown) => Promise.reject(readable(error, target)))
    },
    close: () => sql.end({ timeout: 1 }),
  }
  return source
}

/** An outage of a server as SourceRefused; any other error as it is. */
export function readable(error: unknown, target: HistoryTarget): Error {
  const kind = error instanceof SourceRefused ? 'other' : failureKind(error)
  if (kind !== 'other') return new SourceRefused(describeFailure(error, target))
  return error instanceof Error ? error : new Error(String(error))
}

/** Opens another instance's database. Throws SourceRefused. */
export async function openSource(target: HistoryTarget): Promise<Source> {
  const options = { name: 'import', connections: 1, statementTimeoutMs: 0 }
  let sql: Sql | null = null
  try {
    sql = await reachClient(target, options)
    const found = await orLate(recognised(sql), answerMs, null)
    if (found === null) throw new SourceRefused('The database does not answer in time')
    return sourceOf(sql, target, found)
  } catch (error) {
    await sql?.end({ timeout: 0 })
    if (error instanceof SourceRefused) throw error
    throw new SourceRefused(describeFailure(error, target))
  }
}
