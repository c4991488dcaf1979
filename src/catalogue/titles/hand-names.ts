import { asc, count, eq } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { StateDatabase } from '../../../db/state/open.ts'
import { titleName } from '../../../db/state/schema/titles.ts'
import { createDescriber } from '../../engines/catalogue/describe.ts'
import { describeTitle } from '../../engines/titles/titles.ts'

/** Names given by hand per installation. */
export const handNamesMax = 10_000

export interface HandName {
  titleKey: string
  service: string
  gameName: string
}

export const readHandNames = ({ db }: StateDatabase): HandName[] =>
  db.select().from(titleName).orderBy(asc(titleName.titleKey)).limit(handNamesMax).all()

/** Stores a name; returns false when there are too many. */
export function keepHandName({ db }: StateDatabase, name: HandName & { namedAt: Date }): boolean {
  const [row] = db.select({ n: count() }).from(titleName).all()
  if ((row?.n ?? 0) >= handNamesMax) return false
  const { gameName, namedAt } = name
  db.insert(titleName)
    .values(name)
    .onConflictDoUpdate({ target: titleName.titleKey, set: { gameName, namedAt } })
    .run()
  return true
}

export function forgetHandName({ db }: StateDatabase, titleKey: string): void {
  db.delete(titleName).where(eq(titleName.titleKey, titleKey)).run()
}

/**
 * Writes all names given by hand into the history's titles; they take precedence over catalogues.
 */
export async function applyHandNames(state: StateDatabase, sql: Sql): Promise<void> {
  const rows = readHandNames(state).map(({ titleKey, service, gameName }) => {
    const known = describeTitle(titleKey, service)
    return {
      title_key: titleKey,
      service,
      game_name: gameName,
      platform: known.platform,
      game_app_id: known.gameAppId,
      depot_id: known.depotId,
    }
  })
  if (rows.length === 0) return
  await sql`
    INSERT INTO titles AS kept (title_key, service, platform, game_name, game_app_id, depot_id,
      updated_at)
    SELECT title_key, service, platform, game_name, game_app_id, depot_id, now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS row (title_key text, service text,
      platform text, game_name text, game_app_id bigint, depot_id bigint)
    ON CONFLICT (title_key) DO UPDATE SET game_name = excluded.game_name,
      updated_at = excluded.updated_at
    WHERE kept.game_name IS DISTINCT FROM excluded.game_name`
}

/** Takes names given by hand away: a title has the name that its catalogue knows then, if any. */
export function createTitleReset(dataPath: string) {
  const describe = createDescriber(dataPath, { isByHand: false })
  return async (sql: Sql, titleKey: string, service: string): Promise<void> => {
    const { gameName } = describe(titleKey, service)
    await sql`
      UPDATE titles SET game_name = ${gameName}, updated_at = now() WHERE title_key = ${titleKey}`
  }
}
