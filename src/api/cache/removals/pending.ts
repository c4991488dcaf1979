import { HistoryUnavailable } from '../../../../db/history/history.ts'
import type { Deps } from '../../../deps.ts'
import type { Eviction } from '../../../eviction/eviction.ts'
import type { PendingRemoval } from '../../../settings/catalogue.ts'
import { deleteSlice, evictSlice } from './store.ts'

/** Removals whose share of the history waits for the database; older ones go first. */
const pendingMax = 200

/** The history's share of what left the cache: noted first, done as soon as the history is there. */
export interface PendingRemovals {
  /** Changes the history, or leaves a note. Null: it is away, and this is done when it is back. */
  settle(removal: PendingRemoval): Promise<number | null>
}

export function createPending(deps: Deps, eviction: Eviction): PendingRemovals {
  const { settings, history, log } = deps
  let last: Promise<unknown> = Promise.resolve()

  const without = (id: string) => settings.get('removal.pending').filter((note) => note.id !== id)

  async function apply(removal: PendingRemoval): Promise<number | null> {
    try {
      const count = await applyTo(history, removal)
      settings.set('removal.pending', without(removal.id))
      eviction.changed('cache-removal')
      return count
    } catch (error) {
      if (error instanceof HistoryUnavailable) return null
      throw error
    }
  }

  /** One after the other, so that a note is never worked on twice at once. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }

  const applyAll = () =>
    inTurn(async () => {
      for (const removal of settings.get('removal.pending')) await apply(removal)
    }).catch((error: unknown) => {
      log.error({ err: error }, 'the history was not brought in line with what was removed')
    })

  history.onStatus(({ state }) => {
    if (state === 'ready' && settings.get('removal.pending').length > 0) void applyAll()
  })

  return {
    settle(removal) {
      const notes = [...without(removal.id), removal].slice(-pendingMax)
      settings.set('removal.pending', notes)
      return inTurn(() => apply(removal))
    },
  }
}

/** Slice by slice; a repetition after an interruption changes what is left. */
async function applyTo(history: Deps['history'], removal: PendingRemoval): Promise<number> {
  let total = 0
  if (removal.action === 'delete') {
    for (;;) {
      const count = await history.read((_db, sql) => deleteSlice(sql, removal))
      if (count === 0) return total
      total += count
    }
  }
  let afterId = -1
  for (;;) {
    const from = afterId
    const slice = await history.read((_db, sql) => evictSlice(sql, removal, from))
    if (slice === null) return total
    afterId = slice.lastId
    total += slice.count
  }
}
