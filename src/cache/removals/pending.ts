/*
 * The history's share of a removal is a row. The downloads of a removed game, or the evicted marks
 * of a cleared cache, are written to `pending_removal` as soon as the files are deleted, and
 * applied when Postgres is there, also after a crash. Games of Steam and Epic Games are not
 * removed while it is away, because a depot alone may belong to another game.
 */
import pLimit from 'p-limit'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { PendingRemoval } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import type { Eviction } from '../eviction/eviction.ts'
import { unavailable } from '../../core/http/errors.ts'
import { countNotes, dropNote, keepNote, notesMax, readNotes } from './notes.ts'
import { deleteSlice, evictSlice, evictUnfinished } from './store.ts'

/** Longest wait for rows that the log engine has yet to send; milliseconds. */
const shippedWithinMs = 10_000
/** Suggested retry: by then the history may have processed some; seconds. */
const retryAfterSeconds = 60

export function createPending(deps: CacheParts, eviction: Eviction) {
  const { state, history, log, clock } = deps
  /** One after another, so that no note is processed twice at once. */
  const inTurn = pLimit(1)

  /** Earlier rows must reach the history first, or they would arrive after their removal. */
  async function allCounted(): Promise<void> {
    if (history.status().state !== 'ready') return
    const isShipped = await deps.logs.untilShipped(shippedWithinMs).catch(() => false)
    if (!isShipped)
      log.warn('a removal does not include the downloads that are still in the outbox')
  }

  async function apply(removal: PendingRemoval): Promise<number | null> {
    try {
      const rows = await applyTo(history, removal)
      dropNote(state, removal.id)
      eviction.changed('cache-removal')
      return rows
    } catch (error) {
      if (error instanceof HistoryUnavailable) return null
      throw error
    }
  }

  const applyAll = () =>
    inTurn(async () => {
      await allCounted()
      for (const removal of readNotes(state)) {
        try {
          if ((await apply(removal)) === null) return
        } catch (error) {
          // A note that cannot be applied must not block the others.
          const text = 'the history was not brought in line with what was removed'
          log.error({ err: error, operationId: removal.id }, text)
        }
      }
    })

  const note = (removal: PendingRemoval) => keepNote(state, removal, clock.now())

  return {
    /** Starts applying notes whenever the history is back. */
    start: () =>
      history.onStatus(({ state: now }) => {
        if (now === 'ready' && countNotes(state) > 0) void applyAll()
      }),
    /** Throws `unavailable` while too many removals wait for the history. */
    requireCapacity() {
      if (countNotes(state) < notesMax) return
      const text = `${notesMax} removals wait for the history database; try again when it is back`
      throw unavailable(text, retryAfterSeconds)
    },
    /** Notes removed content: from now on its changes are applied even after a crash. */
    note,
    /** For a removal that must leave the history unchanged. */
    withdraw: (id: string) => dropNote(state, id),
    /**
     * Changes the history, or leaves a note. Null: the history is away, and this happens when it is
     * back.
     */
    settle(removal: PendingRemoval) {
      note(removal)
      return inTurn(async () => {
        await allCounted()
        return apply(removal)
      })
    },
  }
}
/**
 * Pending changes to the history after files were removed: noted first, applied when the history is
 * available.
 */
export type PendingRemovals = ReturnType<typeof createPending>

/** In bounded slices; a repetition after an interruption changes what is left. */
async function applyTo(history: CacheParts['history'], removal: PendingRemoval): Promise<number> {
  let total = 0
  if (removal.action === 'delete') {
    for (;;) {
      const count = await history.read((_db, sql) => deleteSlice(sql, removal))
      if (count === 0) break
      total += count
    }
    while ((await history.read((_db, sql) => evictUnfinished(sql, removal))) > 0);
    return total
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
