import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { CacheParts } from '../parts.ts'
import type { Eviction } from '../eviction/eviction.ts'
import { unavailable } from '../../core/http/errors.ts'
import {
  countNotes,
  dropNote,
  keepNote,
  notesMax,
  readNotes,
  type PendingRemoval,
} from './notes.ts'
import { deleteSlice, evictSlice } from './store.ts'

/** Longest wait for what the log engine has still to send; milliseconds. */
const shippedWithinMs = 10_000
/** Until the history may have worked on some; seconds. */
const retryAfterSeconds = 60

/** The history's share of what left the cache: noted first, done as soon as the history is there. */
export interface PendingRemovals {
  /** From now on the notes are worked off whenever the history is back. */
  start(): void
  /** Throws `unavailable` while too many removals wait for the history. */
  requireRoom(): void
  /** What has left the cache: from now on its share is done, whatever happens to the service. */
  note(removal: PendingRemoval): void
  /** For a removal that is to leave the history as it is. */
  withdraw(id: string): void
  /** Changes the history, or leaves a note. Null: it is away, and this is done when it is back. */
  settle(removal: PendingRemoval): Promise<number | null>
}

export function createPending(deps: CacheParts, eviction: Eviction): PendingRemovals {
  const { state, history, log, clock } = deps
  let last: Promise<unknown> = Promise.resolve()

  /** What was counted before is in the history first, or it would come after its removal. */
  async function allCounted(): Promise<void> {
    if (history.status().state !== 'ready') return
    const isShipped = await deps.logs.untilShipped(shippedWithinMs).catch(() => false)
    if (!isShipped) log.warn('downloads on their way to the history are not part of a removal')
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

  /** One after the other, so that a note is never worked on twice at once. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }

  const applyAll = () =>
    inTurn(async () => {
      await allCounted()
      for (const removal of readNotes(state)) {
        try {
          if ((await apply(removal)) === null) return
        } catch (error) {
          // The others are not to wait for one that cannot be done.
          const text = 'the history was not brought in line with what was removed'
          log.error({ err: error, operationId: removal.id }, text)
        }
      }
    })

  const note = (removal: PendingRemoval) => keepNote(state, removal, clock.now())

  return {
    start: () =>
      history.onStatus(({ state: now }) => {
        if (now === 'ready' && countNotes(state) > 0) void applyAll()
      }),
    requireRoom() {
      if (countNotes(state) < notesMax) return
      const text = `${notesMax} removals wait for the history; no more can be noted until it is back`
      throw unavailable(text, retryAfterSeconds)
    },
    note,
    withdraw: (id) => dropNote(state, id),
    settle(removal) {
      note(removal)
      return inTurn(async () => {
        await allCounted()
        return apply(removal)
      })
    },
  }
}

/** Slice by slice; a repetition after an interruption changes what is left. */
async function applyTo(history: CacheParts['history'], removal: PendingRemoval): Promise<number> {
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
