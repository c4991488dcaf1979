import type { Operation, OperationsOverview } from '../api/queries.ts'

const over = new Set(['completed', 'failed', 'cancelled', 'skipped'])

export const isOver = ({ status }: Pick<Operation, 'status'>): boolean => over.has(status)

/**
 * Estimated seconds left; null before 3 % or 5 s, when it would be a guess.
 */
export function secondsLeft(
  operation: Pick<Operation, 'percentComplete' | 'startedAt' | 'status'>,
  now: number,
): number | null {
  const { percentComplete, startedAt, status } = operation
  if (status !== 'running' || startedAt === null) return null
  const elapsed = (now - Date.parse(startedAt)) / 1000
  if (!(elapsed >= 5) || percentComplete < 3 || percentComplete >= 100) return null
  return Math.round((elapsed * (100 - percentComplete)) / percentComplete)
}

const recentMax = 30

/** Moves one operation to the list that matches its new status. */
export function mergeOperation(
  overview: OperationsOverview | undefined,
  next: Operation,
): OperationsOverview | undefined {
  if (overview === undefined) return undefined
  const isOther = ({ id }: Operation) => id !== next.id
  const waitedFor = overview.waiting.find(({ id }) => id === next.id)?.blockedBy ?? null
  const running = overview.running.filter(isOther)
  const waiting = overview.waiting.filter(isOther)
  const recent = overview.recent.filter(isOther)
  if (isOver(next)) return { running, waiting, recent: [next, ...recent].slice(0, recentMax) }
  if (next.status === 'waiting') {
    return { running, waiting: [...waiting, { ...next, blockedBy: waitedFor }], recent }
  }
  const at = overview.running.findIndex(({ id }) => id === next.id)
  return { running: running.toSpliced(at === -1 ? running.length : at, 0, next), waiting, recent }
}
