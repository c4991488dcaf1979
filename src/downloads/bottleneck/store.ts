import type { Sql } from 'postgres'

export interface DownloadSpan {
  datasource: string
  client: string
  tag: string
  titleKey: string
  startS: number
  endS: number
}

export async function readSpan(sql: Sql, id: number): Promise<DownloadSpan | null> {
  const [row] = await sql<DownloadSpan[]>`
    SELECT datasource, client, tag, title_key AS "titleKey",
      floor(extract(epoch FROM started_at))::float8 AS "startS",
      ceil(extract(epoch FROM ended_at))::float8 AS "endS"
    FROM downloads WHERE id = ${id}`
  return row ?? null
}

/** The newest downloads, of which the best speeds are taken. */
const comparedMax = 1000
/** Shorter and smaller ones are bursts, whose speed says little. */
const comparedSeconds = 10
const comparedBytes = 64 * 1024 * 1024

export interface BestSpeeds {
  client: string
  fromCache: number | null
  fromInternet: number | null
}

/** Each client's fastest ones of the newest downloads; prefill included, because it fills the line. */
export const bestSpeeds = (sql: Sql, except: number): Promise<BestSpeeds[]> =>
  sql<BestSpeeds[]>`
    SELECT client,
      max(hit_bytes / seconds) FILTER (WHERE hit_bytes >= ${comparedBytes})::float8 AS "fromCache",
      max(miss_bytes / seconds) FILTER (WHERE miss_bytes >= ${comparedBytes})::float8
        AS "fromInternet"
    FROM (
      SELECT id, client, hit_bytes, miss_bytes,
        extract(epoch FROM ended_at - started_at) AS seconds
      FROM downloads WHERE ended_at - started_at > make_interval(secs => ${comparedSeconds})
      ORDER BY ended_at DESC, id DESC LIMIT ${comparedMax}
    ) AS compared WHERE id <> ${except} GROUP BY client`
