import { asc, count, eq, max, sql } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { epsilonFragment, epsilonGame } from '../../../db/state/schema/mappings.ts'
import type { Fragment } from '../../engines/epsilon-connection/fragments.ts'
import type { EpsilonProduct, EpsilonTitle } from '../../engines/epsilon-connection/library.ts'
import type { Found } from '../library-names.ts'

/** Titles and fragments per installation; further ones are not stored. */
const gamesMax = 50_000
const fragmentsMax = 100_000
/** `lastSeenAt` is written this often at most: it changes with every refresh. */
const seenEveryMs = 3_600_000
/** Content ids and images are asked for again after this. */
const describeAgainMs = 7 * 86_400_000

export type EpsilonGame = typeof epsilonGame.$inferSelect

/** Titles and package fragments in `state.sqlite`. */
export class EpsilonStore {
  readonly #db: StateDatabase['db']

  constructor({ db }: StateDatabase) {
    this.#db = db
  }

  /** By title; at most `take` after the first `skip`. */
  list({ skip = 0, take = gamesMax }: { skip?: number; take?: number }): EpsilonGame[] {
    return this.#db
      .select()
      .from(epsilonGame)
      .orderBy(sql`${epsilonGame.title} COLLATE NOCASE`, asc(epsilonGame.productId))
      .limit(take)
      .offset(skip)
      .all()
  }

  search(text: string): EpsilonGame[] {
    const wanted = text.toLowerCase()
    return this.list({}).filter(({ title }) => title.toLowerCase().includes(wanted))
  }

  stats() {
    const [row] = this.#db
      .select({ total: count(), updated: max(epsilonGame.lastSeenAt) })
      .from(epsilonGame)
      .all()
    return {
      totalGames: row?.total ?? 0,
      lastUpdatedUtc: row?.updated?.toISOString() ?? null,
    }
  }

  discovered(): number {
    return this.stats().totalGames
  }

  takeTitles(titles: readonly EpsilonTitle[], now: Date): Found {
    const known = new Map(this.list({}).map((game) => [game.productId, game]))
    const found = { newGames: 0, updatedGames: 0 }
    this.#db.transaction(() => {
      for (const { productId, title } of titles) {
        const game = known.get(productId)
        if (game !== undefined) {
          const isSeen = now.getTime() - game.lastSeenAt.getTime() >= seenEveryMs
          const isRenamed = game.title !== title
          const lastSeenAt = isSeen ? now : game.lastSeenAt
          if (isSeen || isRenamed) this.#change(productId, { title, lastSeenAt })
          if (isRenamed) found.updatedGames++
        } else if (known.size + found.newGames < gamesMax) {
          const dates = { discoveredAt: now, lastSeenAt: now }
          this.#db
            .insert(epsilonGame)
            .values({ productId, title, contentIds: [], ...dates })
            .run()
          found.newGames++
        }
      }
    })
    return found
  }

  /** Returns the game as it is now. */
  keepProduct(game: EpsilonGame, { contentIds, imageUrl }: EpsilonProduct, now: Date): EpsilonGame {
    const values = { contentIds, imageUrl: imageUrl ?? game.imageUrl, describedAt: now }
    this.#change(game.productId, values)
    return { ...game, ...values }
  }

  /** A fragment that several titles have stays with the first one. */
  keepFragments(productId: string, fragments: readonly Fragment[], now: Date): void {
    this.#db.transaction(() => {
      const [row] = this.#db.select({ n: count() }).from(epsilonFragment).all()
      const left = Math.max(0, fragmentsMax - (row?.n ?? 0))
      for (const fragment of fragments.slice(0, left)) {
        this.#db
          .insert(epsilonFragment)
          .values({ ...fragment, productId, discoveredAt: now })
          .onConflictDoNothing()
          .run()
      }
    })
  }

  /** Fragments with the title of their product. */
  fragments() {
    const { fragment, host, productId } = epsilonFragment
    const { title, imageUrl } = epsilonGame
    return this.#db
      .select({ fragment, host, productId, title, imageUrl })
      .from(epsilonFragment)
      .innerJoin(epsilonGame, eq(epsilonGame.productId, epsilonFragment.productId))
      .limit(fragmentsMax)
      .all()
  }

  #change(productId: string, values: Partial<EpsilonGame>): void {
    this.#db.update(epsilonGame).set(values).where(eq(epsilonGame.productId, productId)).run()
  }
}

export const isProductOld = ({ describedAt }: EpsilonGame, now: Date): boolean =>
  describedAt === null || now.getTime() - describedAt.getTime() >= describeAgainMs
