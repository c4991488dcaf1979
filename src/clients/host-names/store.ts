import type { Sql } from 'postgres'

/** Clients read at once: more than are looked up, because public ones are skipped. */
export const visibleMax = 2000

/** Clients with downloads, most recently active first. */
export async function recentClients(sql: Sql, without: readonly string[]): Promise<string[]> {
  const rows = await sql<{ client: string }[]>`
    SELECT client FROM client_block WHERE NOT is_prefill AND client <> ALL(${[...without]}::text[])
    GROUP BY client ORDER BY max(last_at) DESC, client LIMIT ${visibleMax}`
  return rows.map(({ client }) => client)
}
