import type { ISql } from 'postgres'
import type { DescribeTitle } from '../catalogue/describe.ts'

/** Replaces what the database cannot store, as COPY does; JSON would pass it on. */
const storable = (text: string | null) => text?.replaceAll('\0', '').toWellFormed() ?? null

/** Adds titles, by key with their service, that the history does not have yet. */
export async function addTitles(
  sql: ISql,
  titles: ReadonlyMap<string, string>,
  describe: DescribeTitle,
): Promise<void> {
  if (titles.size === 0) return
  const rows = [...titles].map(([key, service]) => {
    const title = describe(key, service)
    return {
      title_key: storable(key),
      service: storable(service),
      platform: title.platform,
      game_name: storable(title.gameName),
      game_app_id: title.gameAppId,
      beta_app_id: storable(title.betaAppId),
      epsilon_product_id: storable(title.epsilonProductId),
      depot_id: title.depotId,
    }
  })
  await sql`
    insert into titles (title_key, service, platform, game_name, game_app_id, beta_app_id,
      epsilon_product_id, depot_id, updated_at)
    select title_key, service, platform, game_name, game_app_id, beta_app_id,
      epsilon_product_id, depot_id, now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row (title_key text, service text,
      platform text, game_name text, game_app_id bigint, beta_app_id text,
      epsilon_product_id text, depot_id bigint)
    order by title_key
    on conflict (title_key) do nothing`
}
