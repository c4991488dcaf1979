import { inSlices } from '../../core/lib/in-slices.ts'
import type { History } from '../../../db/history/history.ts'
import type { StateDatabase } from '../../../db/state/open.ts'
import type { Sql } from 'postgres'
import { readHandNames } from './hand-names.ts'

/** Titles per statement, so that none holds its rows for long. */
export const sliceRows = 500

export interface CatalogueName {
  titleKey: string
  service: string
  platform: 'beta' | 'epsilon'
  gameName: string
  betaAppId: string | null
  epsilonProductId: string | null
  imageUrl: string | null
}

const writeSlice = (sql: Sql, rows: object[]) =>
  sql`
    INSERT INTO titles AS kept (title_key, service, platform, game_name, beta_app_id,
      epsilon_product_id, image_url, updated_at)
    SELECT "titleKey", service, platform, "gameName", "betaAppId", "epsilonProductId", "imageUrl",
      now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS row ("titleKey" text,
      service text, platform text, "gameName" text, "betaAppId" text, "epsilonProductId" text,
      "imageUrl" text)
    ON CONFLICT (title_key) DO UPDATE SET
      game_name = coalesce(excluded.game_name, kept.game_name),
      beta_app_id = excluded.beta_app_id, epsilon_product_id = excluded.epsilon_product_id,
      image_url = coalesce(excluded.image_url, kept.image_url),
      updated_at = excluded.updated_at
    WHERE (kept.game_name, kept.beta_app_id, kept.epsilon_product_id, kept.image_url)
      IS DISTINCT FROM (coalesce(excluded.game_name, kept.game_name), excluded.beta_app_id,
        excluded.epsilon_product_id, coalesce(excluded.image_url, kept.image_url))`

/**
 * Writes names into the history's titles, in slices; a name given by hand stays. Titles without
 * downloads get a row, too: content of the cache and later downloads then have their name at once.
 * Returns how many titles changed. Rejects with HistoryUnavailable, or with the signal's reason.
 */
export async function writeNames(
  { history, state }: { history: History; state: StateDatabase },
  names: readonly CatalogueName[],
  signal?: AbortSignal,
): Promise<number> {
  const byHand = new Set(readHandNames(state).map(({ titleKey }) => titleKey))
  let changed = 0
  for (const slice of inSlices(names, sliceRows)) {
    signal?.throwIfAborted()
    const rows = slice.map((name) =>
      byHand.has(name.titleKey) ? { ...name, gameName: null } : name,
    )
    changed += (await history.read((_db, sql) => writeSlice(sql, rows))).count
  }
  return changed
}
