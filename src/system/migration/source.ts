import type { Sql } from 'postgres'
import { reachClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { describeFailure, failureCode } from '../../../db/history/failures.ts'
import { orLate } from '../../core/lib/within.ts'
import { rowLimits } from '../../engines/shipper/row-limits.ts'

/** The source cannot be read. The message says why and contains no secrets. */
export class SourceRefused extends Error {}

/**
 * A download of the other instance, as it stands there: any member may hold anything, and null where
 * the source has no value. Times in Unix seconds, sizes in bytes, as the source writes them.
 */
export interface SourceRow {
  service: string | null
  client: string | null
  startedAt: string | null
  endedAt: string | null
  hitBytes: string | null
  missBytes: string | null
  datasource: string
  /** Null where the source has no key; the last URL may tell it. */
  titleKey: string | null
  gameName: string | null
  gameAppId: string | null
  isPrefill: boolean | null
  requests: string | null
  lastUrl: string | null
  /** The start as the source writes it: where to continue. */
  mark: string
}

/** How to read one kind of source. All names are constants. */
interface Form {
  table: string
  start: string
  service: string
  datasource: (has: Has) => string
  required: readonly string[]
  /** The other columns of `SourceRow`, given the columns that exist. */
  columns: (has: Has) => string
}

type Has = (name: string) => boolean

/** As text, and no longer than is needed to see that it is too long: a row may hold megabytes. */
const text = (column: string) => `left(${column}::text, ${rowLimits.url + 1})`
const seconds = (column: string) => `extract(epoch from ${column})::text`

/** The documented table. Column names are quoted: they contain capitals. */
const documented: Form = {
  table: '"Downloads"',
  start: '"StartTimeUtc"',
  service: '"Service"',
  datasource: (has) =>
    `coalesce(${has('Datasource') ? text('"Datasource"') : 'null::text'}, 'default')`,
  required: [
    'Service',
    'ClientIp',
    'StartTimeUtc',
    'EndTimeUtc',
    'CacheHitBytes',
    'CacheMissBytes',
  ],
  columns(has) {
    const orNull = (name: string) => (has(name) ? text(`"${name}"`) : 'null::text')
    return `${text('"ClientIp"')} as client, ${seconds('"EndTimeUtc"')} as "endedAt",
      ${text('"CacheHitBytes"')} as "hitBytes", ${text('"CacheMissBytes"')} as "missBytes",
      'alpha:' || ${orNull('DepotId')} as "titleKey", ${orNull('GameName')} as "gameName",
      ${orNull('GameAppId')} as "gameAppId", false as "isPrefill", '1' as requests,
      ${orNull('LastUrl')} as "lastUrl"`
  },
}

/** The history of another Larder. */
const own: Form = {
  table: 'downloads',
  start: 'started_at',
  service: 'service',
  datasource: () => text('datasource'),
  required: ['title_key', 'service', 'client', 'started_at', 'ended_at', 'hit_bytes', 'miss_bytes'],
  columns: () => `${text('client')} as client, ${seconds('ended_at')} as "endedAt",
    ${text('hit_bytes')} as "hitBytes", ${text('miss_bytes')} as "missBytes",
    ${text('title_key')} as "titleKey",
    (select ${text('game_name')} from titles where title_key = source.title_key) as "gameName",
    (select ${text('game_app_id')} from titles where title_key = source.title_key) as "gameAppId",
    is_prefill as "isPrefill", ${text('requests')} as requests, ${text('last_url')} as "lastUrl"`,
}

/** How long the source may take to answer its first questions. */
const answerMs = 30_000
/** Days and services in one answer: 27 years of ten services. */
const daysMax = 100_000

async function columnsOf(sql: Sql, table: string): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`
  return new Set(rows.map(({ name }) => name))
}

/** Downloads of one service on one UTC day (`2026-11-23`). */
export interface SourceDay {
  day: string
  service: string
  downloads: number
}

export interface Source {
  /** Downloads in the source. */
  count: number
  /**
   * Passes on the downloads from `mark` on, in the order of their start, in batches; waits for each.
   * Downloads that began at the same time always come in the same order. One cursor in one read-only
   * snapshot: memory depends on the size of a batch only.
   */
  read(
    from: { mark: string; batch: number },
    each: (rows: SourceRow[]) => Promise<boolean>,
  ): Promise<void>
  /** Days with downloads that began at the limit of their datasource or later; bounded. */
  daysFrom(limits: { byDatasource: Map<string, number>; others: number }): Promise<SourceDay[]>
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
  const { table, start } = form
  const has = (name: string) => columns.has(name)
  // Without a start, a download comes first.
  const at = `coalesce(${start}, '-infinity')`
  const service = text(form.service)
  const values = `${service} as service, ${seconds(start)} as "startedAt",
    ${form.datasource(has)} as datasource, ${form.columns(has)}`
  const query = `select row.*, at::text as mark
    from (select ${at} as at, ${values} from ${table} as source) as row
    where at >= $1::text::timestamptz order by at, row`
  const days = `select to_char(${start}, 'YYYY-MM-DD') as day, ${service} as service,
      count(*)::float8 as downloads
    from ${table} as source
    where ${start} >= to_timestamp(
        coalesce(($1::text::jsonb ->> ${form.datasource(has)})::float8, $2::float8))
      and ${start} < now() + interval '${rowLimits.aheadS} seconds'
    group by 1, 2 order by 1, 2 limit ${daysMax}`
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
      await inOneSnapshot.catch((error: unknown) => Promise.reject(refusedBy(error, target)))
    },
    daysFrom({ byDatasource, others }) {
      const limits = JSON.stringify(Object.fromEntries(byDatasource))
      return sql
        .unsafe<SourceDay[]>(days, [limits, others])
        .catch((error: unknown) => Promise.reject(refusedBy(error, target)))
    },
    close: () => sql.end({ timeout: 1 }),
  }
  return source
}

/** A failure that the source's server reported, as SourceRefused; any other error as it is. */
function refusedBy(error: unknown, target: HistoryTarget): unknown {
  if (error instanceof SourceRefused || failureCode(error) === null) return error
  return new SourceRefused(describeFailure(error, target, 'foreign'))
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
    throw new SourceRefused(describeFailure(error, target, 'foreign'))
  }
}
