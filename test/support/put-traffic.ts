import type { History } from '../../db/history/history.ts'
import { ensurePartitions, monthsOf } from '../../src/engines/shipper/partitions.ts'

interface Fetched {
  /** Unix seconds, a multiple of 300. */
  at: number
  missBytes: number
  hitBytes?: number
  isPrefill?: boolean
}

const levels = [
  ['traffic', 300],
  ['traffic_hour', 3600],
  ['traffic_day', 86_400],
] as const

/** Traffic that a client caused at these times. */
export const putTraffic = (history: History, rows: readonly Fetched[]) =>
  history.read(async (_db, sql) => {
    await sql.begin((transaction) =>
      ensurePartitions(transaction, monthsOf(rows.map(({ at }) => at))),
    )
    for (const { at, missBytes, hitBytes = 0, isPrefill = false } of rows) {
      // As the shipper writes it: the other sums follow by triggers.
      for (const [table, seconds] of levels) {
        await sql`
          INSERT INTO ${sql(table)} (bucket_at, datasource, service, client, title_key, is_prefill,
            hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
          VALUES (to_timestamp(${at - (at % seconds)}), 'default', 'steam', '10.0.0.1', ${`t${at}`},
            ${isPrefill}, ${hitBytes}, ${missBytes}, 1, 1, to_timestamp(${at}), to_timestamp(${at}))`
      }
    }
  })
