import type { Sql } from 'postgres'

/** Days on which a client received something of a service, since 1970. */
export interface UseRow {
  client: string
  service: string
  days: number[]
  lastAtMs: number
}

/** What clients used since then, those of the most days first. */
export const readUse = (sql: Sql, since: Date, limit: number): Promise<UseRow[]> =>
  sql<UseRow[]>`
    SELECT client, service,
      array_agg(DISTINCT (extract(epoch FROM bucket_at) / 86400)::int) AS days,
      (extract(epoch FROM max(last_at)) * 1000)::float8 AS "lastAtMs"
    FROM client_service_day
    WHERE bucket_at >= to_timestamp(${since.getTime() / 1000}) AND NOT is_prefill
      AND hit_bytes + miss_bytes > 0
    GROUP BY client, service ORDER BY count(*) DESC, client, service LIMIT ${limit}`
