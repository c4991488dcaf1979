import { inSlices } from '../../core/lib/in-slices.ts'
import { and, eq, inArray, ne } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillDepot } from '../../../db/state/schema/prefill.ts'
import type { CachedApp } from '../administration/model.ts'
import type { CachedDepot } from '../protocol/apps.ts'

type DepotRow = typeof prefillDepot.$inferSelect

/** An app with depots in the table. */
export type CachedAppRow = Omit<CachedApp, 'cachedAtUtc'> & { cachedAt: Date }

/** Depots of apps that fit into one query. */
const appsPerQuery = 500

function appOf(rows: readonly [DepotRow, ...DepotRow[]]): CachedAppRow {
  const newest = rows.reduce((a, b) => (b.cachedAt > a.cachedAt ? b : a))
  const sizes = rows.map(({ totalBytes }) => totalBytes)
  const isKnown = sizes.every((size) => size !== null)
  return {
    appId: newest.appId,
    appName: newest.appName,
    depotCount: rows.length,
    totalBytes: isKnown ? sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) : null,
    cachedAt: newest.cachedAt,
    cachedBy: newest.cachedBy,
  }
}

/** Which manifests of depots were prefilled. Says nothing about the files in the cache. */
export function createDepotStore({ db }: Pick<StateDatabase, 'db'>) {
  const depotOf = ({ appId, depotId, manifestId }: DepotRow): CachedDepot => ({
    appId,
    depotId: String(depotId),
    manifestId,
  })

  return {
    /** Replaces older manifests of the depot. */
    record(row: DepotRow): void {
      db.transaction((tx) => {
        const isOlder = ne(prefillDepot.manifestId, row.manifestId)
        tx.delete(prefillDepot)
          .where(and(eq(prefillDepot.depotId, row.depotId), isOlder))
          .run()
        tx.insert(prefillDepot)
          .values(row)
          .onConflictDoUpdate({
            target: [prefillDepot.depotId, prefillDepot.manifestId],
            set: row,
          })
          .run()
      })
    },

    all: (): CachedDepot[] => db.select().from(prefillDepot).all().map(depotOf),

    ofApps: (appIds: readonly string[]): CachedDepot[] =>
      inSlices(appIds, appsPerQuery)
        .map((some) => inArray(prefillDepot.appId, some))
        .flatMap((isOne) => db.select().from(prefillDepot).where(isOne).all().map(depotOf)),

    appIds: (): string[] =>
      db
        .selectDistinct({ appId: prefillDepot.appId })
        .from(prefillDepot)
        .all()
        .map(({ appId }) => appId),

    /** The last prefilled first. */
    apps(): CachedAppRow[] {
      const byApp = new Map<string, [DepotRow, ...DepotRow[]]>()
      for (const row of db.select().from(prefillDepot).all()) {
        const known = byApp.get(row.appId)
        if (known === undefined) byApp.set(row.appId, [row])
        else known.push(row)
      }
      const apps = [...byApp.values()].map(appOf)
      return apps.sort((a, b) => b.cachedAt.getTime() - a.cachedAt.getTime())
    },

    clear(): void {
      db.delete(prefillDepot).run()
    },
  }
}

export type DepotStore = ReturnType<typeof createDepotStore>
