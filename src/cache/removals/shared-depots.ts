import type { Sql } from 'postgres'
import type { CacheParts } from '../parts.ts'
import type { Found } from '../detection/group.ts'
import {
  type DepotOwners,
  otherUsers,
  type OwnersOf,
  staysWithout,
} from '../../catalogue/contract.ts'

/** Apps with downloads that are read, and apps listed for one depot. */
const appsMax = 10_000
const namedMax = 20

interface App {
  appId: number
  gameName: string
}

/** A depot of a game that stays when the game is removed. */
export interface SharedDepot {
  depotId: number
  titleKey: string
  /** Apps in use that need it, at most 20, and their total. */
  usedBy: App[]
  usedByCount: number
}

interface Removed {
  appId: number
  depotIds: readonly number[]
  /** Everything found in the cache. */
  games: readonly Found[]
  ownersOf: OwnersOf
}

/** Depots of an app that other apps with content or downloads use too. */
export async function sharedDepots(
  { history }: Pick<CacheParts, 'history'>,
  { appId, depotIds, games, ownersOf }: Removed,
): Promise<SharedDepot[]> {
  const candidates = depotIds.flatMap((depotId) => {
    const owners = ownersOf(depotId)
    return owners === null ? [] : [{ depotId, owners }]
  })
  if (candidates.length === 0) return []
  const inUse = new Map(
    (await history.read((_db, sql) => appsWithDownloads(sql))).map((app) => [app.appId, app]),
  )
  for (const { identity, files } of games) {
    if (identity.kind !== 'alpha' || files === 0) continue
    inUse.set(identity.appId, { appId: identity.appId, gameName: identity.name })
  }
  const apps = [...inUse.values()].sort((a, b) => a.appId - b.appId)
  return candidates.flatMap((candidate) => kept(candidate, { appId, apps }))
}

function kept(
  { depotId, owners }: { depotId: number; owners: DepotOwners },
  { appId, apps }: { appId: number; apps: readonly App[] },
): SharedDepot[] {
  const users = otherUsers(owners, { appId, inUse: apps })
  if (!staysWithout(owners, { appId, usedBy: users.map((app) => app.appId) })) return []
  const usedBy = users.slice(0, namedMax)
  return [{ depotId, titleKey: `alpha:${depotId}`, usedBy, usedByCount: users.length }]
}

const appsWithDownloads = (sql: Sql) => sql<App[]>`
  SELECT game_app_id::float8 AS "appId", coalesce(max(game_name), 'Steam App ' || game_app_id)
    AS "gameName"
  FROM titles WHERE platform = 'alpha' AND game_app_id > 0 AND title_key IN (
    SELECT title_key FROM download_groups WHERE span_days = 0 AND downloads > 0)
  GROUP BY game_app_id LIMIT ${appsMax}`
