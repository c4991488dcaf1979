import type { Sql } from 'postgres'
import type { CatalogueParts } from '../parts.ts'
import { readHandNames } from '../titles/hand-names.ts'
import type { DepotName } from '../../engines/catalogue/contract.ts'

/** Titles per question and per statement. */
const sliceSize = 500
/** Depots that are handed to a crawl at most. */
const depotsMax = 100_000

type Parts = Pick<CatalogueParts, 'catalogue' | 'history' | 'state'>

interface TitleRow {
  titleKey: string
  depotId: number
}

const nextTitles = (sql: Sql, after: string) =>
  sql<TitleRow[]>`
    SELECT title_key AS "titleKey", depot_id::float8 AS "depotId" FROM titles
    WHERE platform = 'alpha' AND depot_id IS NOT NULL AND title_key > ${after}
    ORDER BY title_key LIMIT ${sliceSize}`

/** Writes names where they differ; returns the keys of the changed titles. */
async function writeNames(
  sql: Sql,
  rows: { titleKey: string; name: string | null; appId: number; imageUrl: string | null }[],
): Promise<string[]> {
  const changed = await sql<{ titleKey: string }[]>`
    UPDATE titles SET game_app_id = row."appId", game_name = coalesce(row.name, game_name),
      image_url = coalesce(row."imageUrl", image_url), updated_at = now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS row ("titleKey" text,
      name text, "appId" bigint, "imageUrl" text)
    WHERE title_key = row."titleKey" AND (game_app_id IS DISTINCT FROM row."appId"
      OR game_name IS DISTINCT FROM coalesce(row.name, game_name)
      OR image_url IS DISTINCT FROM coalesce(row."imageUrl", image_url))
    RETURNING title_key AS "titleKey"`
  return changed.map(({ titleKey }) => titleKey)
}

const countDownloads = async (sql: Sql, keys: string[]): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    SELECT count(*)::float8 AS n FROM downloads WHERE title_key = ANY(${keys})`
  return row?.n ?? 0
}

/**
 * Writes the catalogue's names into the titles of all downloads, in slices; a name given by hand
 * stays. Rejects with HistoryUnavailable.
 */
export async function applyNames(
  { catalogue, history, state }: Parts,
  run: { signal: AbortSignal; progress: (processed: number) => void },
) {
  const byHand = new Set(readHandNames(state).map(({ titleKey }) => titleKey))
  const applied = { titles: 0, downloads: 0 }
  let processed = 0
  for (let after = ''; !run.signal.aborted;) {
    const from = after
    const titles = await history.read((_db, sql) => nextTitles(sql, from))
    const last = titles.at(-1)
    if (last === undefined) break
    const found = await catalogue.names(titles.map(({ depotId }) => depotId))
    const names = new Map<number, DepotName>(found.map((name) => [name.depotId, name]))
    const rows = titles.flatMap(({ titleKey, depotId }) => {
      const known = names.get(depotId)
      if (known === undefined) return []
      const { appId, imageUrl } = known
      return [{ titleKey, appId, imageUrl, name: byHand.has(titleKey) ? null : known.name }]
    })
    const changed = await history.read((_db, sql) => writeNames(sql, rows))
    applied.titles += changed.length
    if (changed.length > 0) {
      applied.downloads += await history.read((_db, sql) => countDownloads(sql, changed))
    }
    processed += titles.length
    run.progress(processed)
    after = last.titleKey
  }
  return applied
}

/** Depots of all downloads. Rejects with HistoryUnavailable. */
export async function downloadedDepots({ history }: Pick<Parts, 'history'>): Promise<number[]> {
  const rows = await history.read(
    (_db, sql) => sql<{ depotId: number }[]>`
      SELECT DISTINCT depot_id::float8 AS "depotId" FROM titles
      WHERE platform = 'alpha' AND depot_id IS NOT NULL LIMIT ${depotsMax}`,
  )
  return rows.map(({ depotId }) => depotId)
}

/** Depots of downloads whose game is not known. Rejects with HistoryUnavailable. */
export async function unnamedDepots({ history }: Pick<Parts, 'history'>): Promise<number[]> {
  const rows = await history.read(
    (_db, sql) => sql<{ depotId: number }[]>`
      SELECT DISTINCT depot_id::float8 AS "depotId" FROM titles
      WHERE platform = 'alpha' AND depot_id IS NOT NULL AND game_app_id IS NULL
      LIMIT ${depotsMax}`,
  )
  return rows.map(({ depotId }) => depotId)
}

/** Apps of all downloads, most recent titles first. Rejects with HistoryUnavailable. */
export async function downloadedApps(
  { history }: Pick<Parts, 'history'>,
  limit: number,
): Promise<number[]> {
  const rows = await history.read(
    (_db, sql) => sql<{ appId: number }[]>`
      SELECT game_app_id::float8 AS "appId" FROM titles
      WHERE platform = 'alpha' AND game_app_id IS NOT NULL
      GROUP BY game_app_id ORDER BY max(updated_at) DESC LIMIT ${limit}`,
  )
  return rows.map(({ appId }) => appId)
}
