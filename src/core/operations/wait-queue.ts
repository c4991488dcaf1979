import { conflict, isRemoval } from './conflicts.ts'
import { OperationRefused, type OperationRequest } from './contract.ts'
import type { Entry } from './entry.ts'

/** Jobs queued at one time. */
export const waitingMax = 100

/** Parallel removals: each reads everything known from the history and the index. */
export const removalsMax = 8

/** Queued jobs by id, in the order of their arrival. */
export class WaitQueue extends Map<string, Entry> {
  /** Throws OperationRefused when the queue is full. */
  checkCapacity(): void {
    if (this.size < waitingMax) return
    throw new OperationRefused(
      `Too many operations are queued (${waitingMax}); try again when one has ended`,
    )
  }

  /** The queued job that a request would repeat. */
  same({ type, scope, name, variant }: OperationRequest): Entry | undefined {
    for (const entry of this.values()) {
      const { view, request } = entry
      const isSame = view.type === type && view.scope === scope && view.name === name
      if (isSame && request.variant === variant) return entry
    }
    return undefined
  }

  /**
   * What a job must wait for: a running job or an earlier queued one with which it conflicts, or
   * the maximum of running removals. Without the check of queued jobs, a job that excludes many
   * others would never get its turn; a job that conflicts with neither overtakes.
   */
  blocker(entry: Entry, active: Iterable<Entry>): Entry | null {
    const running = [...active]
    for (const other of running) {
      if (conflict(entry.view, other.view) !== null) return other
    }
    const ahead = isRemoval(entry.view.type)
      ? running.filter(({ view }) => isRemoval(view.type))
      : []
    if (ahead.length >= removalsMax) return ahead[0] ?? null
    for (const earlier of this.values()) {
      if (earlier === entry) break
      if (conflict(entry.view, earlier.view) !== null) return earlier
    }
    return null
  }
}
