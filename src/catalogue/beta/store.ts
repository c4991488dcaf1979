import { and, asc, count, eq, gte, isNotNull, max, min, ne, sql } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { betaGame, betaPattern, mappingEtag } from '../../../db/state/schema/mappings.ts'
import type { BetaAsset, BetaDescription } from '../../engines/beta-connection/web.ts'
import { betaLauncherName } from '../../engines/titles/beta/title.ts'
import type { Found } from '../library-names.ts'

/** Games and base paths per installation; further ones are not stored. */
const gamesMax = 50_000
const patternsMax = 100_000
/** `lastSeenAt` is written this often at most: it changes with every refresh. */
const seenEveryMs = 3_600_000
/** Names and images are asked for again after this. */
const describeAgainMs = 7 * 86_400_000

const launcher = { appId: 'UnrealEngineLauncher', path: '/Builds/UnrealEngineLauncher' }

export type BetaGame = typeof betaGame.$inferSelect
export type BetaSource = 'mapping-login' | 'scheduled-refresh' | 'free-games'

/** Games and base paths in `state.sqlite`. The launcher itself is built in. */
export class BetaStore {
  readonly #db: StateDatabase['db']

  constructor({ db }: StateDatabase, now: Date) {
    this.#db = db
    const game = { appId: launcher.appId, name: betaLauncherName, source: 'system' }
    db.insert(betaGame)
      .values({ ...game, discoveredAt: now, lastSeenAt: now })
      .onConflictDoNothing()
      .run()
    db.insert(betaPattern)
      .values({ ...launcher, host: '', discoveredAt: now })
      .onConflictDoNothing()
      .run()
  }

  /** By name; at most `take` after the first `skip`. */
  list({ skip = 0, take = gamesMax }: { skip?: number; take?: number }): BetaGame[] {
    return this.#db
      .select()
      .from(betaGame)
      .orderBy(sql`${betaGame.name} COLLATE NOCASE`, asc(betaGame.appId))
      .limit(take)
      .offset(skip)
      .all()
  }

  search(text: string): BetaGame[] {
    const wanted = text.toLowerCase()
    return this.list({}).filter(
      ({ name, appId }) =>
        name.toLowerCase().includes(wanted) || appId.toLowerCase().includes(wanted),
    )
  }

  stats() {
    const [games] = this.#db
      .select({
        total: count(),
        updated: max(betaGame.lastSeenAt),
        oldest: min(betaGame.discoveredAt),
        sources: sql<number>`count(DISTINCT ${betaGame.source})`,
      })
      .from(betaGame)
      .all()
    const [patterns] = this.#db.select({ n: count() }).from(betaPattern).all()
    return {
      totalGames: games?.total ?? 0,
      lastUpdatedUtc: games?.updated?.toISOString() ?? null,
      oldestGameUtc: games?.oldest?.toISOString() ?? null,
      distinctSources: games?.sources ?? 0,
      cdnPatterns: patterns?.n ?? 0,
    }
  }

  /** Games found on the platform, without the built-in ones. */
  discovered(): number {
    const [row] = this.#db
      .select({ n: count() })
      .from(betaGame)
      .where(ne(betaGame.source, 'system'))
      .all()
    return row?.n ?? 0
  }

  /** Stores what the library says. Names follow later, so new games are called by their id. */
  takeAssets(assets: readonly BetaAsset[], source: BetaSource, now: Date): number {
    const known = new Map(this.list({}).map((game) => [game.appId, game]))
    const fresh = new Set<string>()
    this.#db.transaction(() => {
      for (const { appName: appId, namespace, catalogItemId, buildVersion } of assets) {
        const place = { namespace, catalogItemId, buildVersion: buildVersion ?? null }
        const game = known.get(appId)
        if (game !== undefined) {
          const isSeen = now.getTime() - game.lastSeenAt.getTime() >= seenEveryMs
          const isMoved = place.buildVersion !== game.buildVersion || game.catalogItemId === null
          const lastSeenAt = isSeen ? now : game.lastSeenAt
          if (isSeen || isMoved) this.#change(appId, { ...place, lastSeenAt })
        } else if (known.size + fresh.size < gamesMax) {
          const dates = { discoveredAt: now, lastSeenAt: now }
          const row = { appId, name: appId, source, ...dates, ...place }
          this.#db.insert(betaGame).values(row).onConflictDoNothing().run()
          fresh.add(appId)
        }
      }
    })
    return fresh.size
  }

  /** Games whose name is unknown or old, or whose newest build has no stored base path. */
  pending(now: Date): BetaGame[] {
    return this.#db
      .select()
      .from(betaGame)
      .where(isNotNull(betaGame.catalogItemId))
      .all()
      .filter((game) => isNameOld(game, now) || isPathMissing(game))
  }

  /** Every game of the library is asked for again: its name and the address of its image. */
  forgetDescriptions(): void {
    this.#db.update(betaGame).set({ namedAt: null }).where(isNotNull(betaGame.catalogItemId)).run()
  }

  /** Games that were asked for since then and have an image. */
  imagesSince(since: Date): number {
    return this.#db
      .select()
      .from(betaGame)
      .where(and(gte(betaGame.namedAt, since), isNotNull(betaGame.imageUrl)))
      .all().length
  }

  /** Returns whether the name or the image differs from what was known. */
  keepDescription(game: BetaGame, found: BetaDescription | null, now: Date): boolean {
    const name = found?.name || game.name
    const imageUrl = found?.imageUrl ?? game.imageUrl
    this.#change(game.appId, { name, imageUrl, namedAt: now })
    return name !== game.name || imageUrl !== game.imageUrl
  }

  keepPath(game: BetaGame, found: { path: string; host: string } | null, now: Date): void {
    this.#db.transaction(() => {
      const [row] = this.#db.select({ n: count() }).from(betaPattern).all()
      if (found !== null && (row?.n ?? 0) < patternsMax) {
        const pattern = { ...found, appId: game.appId, discoveredAt: now }
        this.#db.insert(betaPattern).values(pattern).onConflictDoNothing().run()
      }
      this.#change(game.appId, { pathVersion: game.buildVersion })
    })
  }

  /** Games without a place in the library: only their name can be known. */
  takeFreeGames(games: readonly (BetaDescription & { appId: string })[], now: Date): Found {
    const found = { newGames: 0, updatedGames: 0 }
    this.#db.transaction(() => {
      const known = new Map(this.list({}).map((game) => [game.appId, game]))
      for (const { appId, name, imageUrl } of games) {
        const game = known.get(appId)
        if (game === undefined) {
          if (known.size + found.newGames >= gamesMax) break
          const dates = { discoveredAt: now, lastSeenAt: now, namedAt: now }
          const row = { appId, name, imageUrl, source: 'free-games', ...dates }
          this.#db.insert(betaGame).values(row).onConflictDoNothing().run()
          found.newGames++
        } else if (
          game.source !== 'system' &&
          this.keepDescription(game, { name, imageUrl }, now)
        ) {
          found.updatedGames++
        }
      }
    })
    return found
  }

  etag(name: string): string | null {
    const row = this.#db.select().from(mappingEtag).where(eq(mappingEtag.name, name)).get()
    return row?.etag ?? null
  }

  keepEtag(name: string, etag: string | null): void {
    if (etag === null) {
      this.#db.delete(mappingEtag).where(eq(mappingEtag.name, name)).run()
      return
    }
    this.#db
      .insert(mappingEtag)
      .values({ name, etag })
      .onConflictDoUpdate({ target: mappingEtag.name, set: { etag } })
      .run()
  }

  /** Base paths with the name of their game. */
  patterns() {
    const { path, appId } = betaPattern
    const { name, imageUrl, source } = betaGame
    return this.#db
      .select({ path, appId, name, imageUrl, source })
      .from(betaPattern)
      .innerJoin(betaGame, eq(betaGame.appId, betaPattern.appId))
      .limit(patternsMax)
      .all()
  }

  #change(appId: string, values: Partial<BetaGame>): void {
    this.#db.update(betaGame).set(values).where(eq(betaGame.appId, appId)).run()
  }
}

export const isNameOld = ({ namedAt }: BetaGame, now: Date): boolean =>
  namedAt === null || now.getTime() - namedAt.getTime() >= describeAgainMs

export const isPathMissing = ({ buildVersion, pathVersion }: BetaGame): boolean =>
  buildVersion !== null && buildVersion !== pathVersion
