import type { Sql, TransactionSql } from 'postgres'

/** Any number, as long as every instance uses the same. */
const lockKey = 7_310_220

const monthMs = (year: number, month: number) => Date.UTC(year, month, 1)

/** Starts (Unix seconds) of the UTC months that contain the times, in order. */
export function monthsOf(times: Iterable<number>): number[] {
  const months = new Set<number>()
  for (const time of times) {
    const date = new Date(time * 1000)
    months.add(monthMs(date.getUTCFullYear(), date.getUTCMonth()) / 1000)
  }
  return [...months].sort((a, b) => a - b)
}

/** A stretch of time with a partition of its own, Unix seconds. */
interface Stretch {
  name: string
  from: number
  until: number
}

const nameOf = (...numbers: number[]) =>
  `traffic_${numbers.map((one, index) => String(one).padStart(index === 0 ? 4 : 2, '0')).join('_')}`

/** Traffic of this many months before now has partitions of months. */
const monthlyMonths = 24

/**
 * Partitions for these months. A year that ended long ago is one: Postgres locks every partition of a
 * snapshot, a restore and a reset, and has room for some thousand locks by default.
 */
function stretchesOf(months: readonly number[], yearly: (year: number) => boolean): Stretch[] {
  const stretches = months.map((month): Stretch => {
    const date = new Date(month * 1000)
    const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()]
    return yearly(year)
      ? { name: nameOf(year), from: monthMs(year, 0) / 1000, until: monthMs(year + 1, 0) / 1000 }
      : { name: nameOf(year, index + 1), from: month, until: monthMs(year, index + 1) / 1000 }
  })
  return [...new Map(stretches.map((stretch) => [stretch.name, stretch])).values()]
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString()

async function partitionNames(sql: Sql | TransactionSql): Promise<string[]> {
  const found = await sql<{ relname: string }[]>`
    select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'traffic'::regclass order by relname`
  return found.map(({ relname }) => relname)
}

/** Those that hold nothing of an instant (Unix seconds) or later. */
export async function partitionsBefore(sql: Sql, instantSeconds: number): Promise<string[]> {
  return (await partitionNames(sql)).filter((name) => {
    const [, year, month] = /^traffic_(\d{4})(?:_(\d{2}))?$/.exec(name) ?? []
    if (year === undefined) return false
    const end =
      month === undefined ? monthMs(Number(year) + 1, 0) : monthMs(Number(year), Number(month))
    return end / 1000 <= instantSeconds
  })
}

/**
 * Creates the missing partitions of `traffic`, inside the caller's transaction. Creates the table
 * first and attaches it afterwards: unlike `create ... partition of`, this neither waits for readers
 * nor blocks them.
 */
export async function ensurePartitions(
  sql: TransactionSql,
  months: number[],
  now = new Date(),
): Promise<void> {
  const recent = monthMs(now.getUTCFullYear(), now.getUTCMonth() - monthlyMonths)
  const names = async () => new Set(await partitionNames(sql))
  const missing = (existing: ReadonlySet<string>) => {
    // A year that began with months goes on with them.
    const inMonths = new Set([...existing].map((name) => /^(traffic_\d{4})_/.exec(name)?.[1]))
    const yearly = (year: number) => monthMs(year + 1, 0) <= recent && !inMonths.has(nameOf(year))
    return stretchesOf(months, yearly).filter(({ name }) => !existing.has(name))
  }
  if (missing(await names()).length === 0) return
  // Another instance may be creating the same one.
  await sql`select pg_advisory_xact_lock(${lockKey})`
  for (const { name, from, until } of missing(await names())) {
    await sql.unsafe(`create table ${name} (like traffic including all)`)
    await sql.unsafe(
      `alter table traffic attach partition ${name} ` +
        `for values from ('${instant(from)}') to ('${instant(until)}')`,
    )
  }
}
