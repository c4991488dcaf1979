import type { TransactionSql } from 'postgres'
import { rowLimits } from '../shipper/row-limits.ts'

/** Their triggers correct every figure that follows from them. */
const tables = [
  ['downloads', 'started_at'],
  ['traffic', 'bucket_at'],
  ['traffic_hour', 'bucket_at'],
  ['traffic_day', 'bucket_at'],
] as const

/**
 * Applies the limits of every row to restored ones: a snapshot may hold what an older version
 * accepted. Removes rows of impossible times and returns how many; a download with an impossible end
 * keeps its bytes and ends when it began, and a long address is cut.
 */
export async function limitRows(sql: TransactionSql): Promise<number> {
  const { earliestS, aheadS, url } = rowLimits
  const isPossible = (name: string) =>
    sql`${sql(name)} between to_timestamp(${earliestS}) and now() + make_interval(secs => ${aheadS})`
  let removed = 0
  for (const [table, time] of tables) {
    removed += (await sql`delete from ${sql(table)} where not (${isPossible(time)})`).count
  }
  await sql`
    update downloads set ended_at = started_at
    where not (${isPossible('ended_at')}) or ended_at < started_at`
  await sql`update downloads set last_url = left(last_url, ${url}) where length(last_url) > ${url}`
  return removed
}
