import type { TransactionSql } from 'postgres'

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

/** Name of the partition that begins with this month. */
export function partitionName(month: number): string {
  const date = new Date(month * 1000)
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  return `traffic_${year}_${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

const instant = (ms: number) => new Date(ms).toISOString()

/**
 * Creates the missing monthly partitions of `traffic`, inside the caller's transaction. Creates the
 * table first and attaches it afterwards: unlike `create ... partition of`, this neither waits for
 * readers nor blocks them.
 */
export async function ensurePartitions(sql: TransactionSql, months: number[]): Promise<void> {
  const names = months.map(partitionName)
  const found = await sql<{ relname: string }[]>`
    select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'traffic'::regclass`
  const existing = new Set(found.map((row) => row.relname))
  if (names.every((name) => existing.has(name))) return
  // Another instance may be creating the same one; the second checks again.
  await sql`select pg_advisory_xact_lock(${lockKey})`
  for (const [index, month] of months.entries()) {
    const name = names[index] ?? ''
    const [there] = await sql`select to_regclass(${name}) is not null as found`
    if (there?.found === true) continue
    const start = new Date(month * 1000)
    const end = monthMs(start.getUTCFullYear(), start.getUTCMonth() + 1)
    await sql.unsafe(`create table ${name} (like traffic including all)`)
    await sql.unsafe(
      `alter table traffic attach partition ${name} ` +
        `for values from ('${instant(month * 1000)}') to ('${instant(end)}')`,
    )
  }
}
