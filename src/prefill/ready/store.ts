import { and, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillReadyGame } from '../../../db/state/schema/prefill.ts'
import type { Platform } from '../../platforms/platforms.ts'

export type ReadyRow = typeof prefillReadyGame.$inferSelect
type GameId = Pick<ReadyRow, 'platform' | 'appId'>

const ofGame = ({ platform, appId }: GameId) =>
  and(eq(prefillReadyGame.platform, platform), eq(prefillReadyGame.appId, appId))

/** The games of the board, in `state.sqlite`. */
export function createReadyStore({ db }: Pick<StateDatabase, 'db'>) {
  return {
    /** In the order in which they were added. */
    list: (): ReadyRow[] =>
      db
        .select()
        .from(prefillReadyGame)
        .orderBy(prefillReadyGame.addedAt, prefillReadyGame.name, prefillReadyGame.appId)
        .all(),

    of: (platform: Platform): ReadyRow[] =>
      db.select().from(prefillReadyGame).where(eq(prefillReadyGame.platform, platform)).all(),

    /** Adds games, or changes their names and times. */
    put(games: readonly (GameId & Pick<ReadyRow, 'name' | 'dueAt' | 'addedAt'>)[]): void {
      db.transaction((tx) => {
        for (const game of games) {
          const { name, dueAt } = game
          tx.insert(prefillReadyGame)
            .values(game)
            .onConflictDoUpdate({
              target: [prefillReadyGame.platform, prefillReadyGame.appId],
              set: { name, dueAt },
            })
            .run()
        }
      })
    },

    /** Nothing for a game that was taken off the board meanwhile. */
    note(game: GameId, values: Partial<Omit<ReadyRow, keyof GameId>>): void {
      db.update(prefillReadyGame).set(values).where(ofGame(game)).run()
    },

    /** False: it is not on the board. */
    remove: (game: GameId): boolean =>
      db
        .delete(prefillReadyGame)
        .where(ofGame(game))
        .returning({ appId: prefillReadyGame.appId })
        .all().length > 0,
  }
}

export type ReadyStore = ReturnType<typeof createReadyStore>
