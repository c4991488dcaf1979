import { statSync } from 'node:fs'
import type { RootRow } from './rows.ts'

interface Meta {
  meta(key: string): unknown
  setMeta(key: string, value: unknown): void
}

/** Where the index keeps which folder was emptied on purpose. */
export const emptiedMeta = (rootId: number): string => `emptied:${rootId}`

/** Another disk, or the folder below a mount that is away, is another place. Null: unreadable. */
function placeOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** The tree holds no file because this service removed all of them. */
export function noteEmptied(store: Meta, { id, path }: RootRow): void {
  store.setMeta(emptiedMeta(id), placeOf(path))
}

/**
 * Whether what the index does not hold of this tree is not in the cache either. Nothing may be
 * concluded from a tree that was never seen whole or is away, nor from an empty one, unless it is
 * the folder that this service has emptied.
 */
export function isConclusive(
  session: { store: Meta; isUnresponsive(rootId: number): boolean },
  root: RootRow,
): boolean {
  const { id, path, state, walkedAt, files } = root
  if (walkedAt === null || state === 'failed' || state === 'new') return false
  if (files > 0) return true
  if (session.isUnresponsive(id)) return false
  const emptied = session.store.meta(emptiedMeta(id))
  return emptied !== null && emptied === placeOf(path)
}
