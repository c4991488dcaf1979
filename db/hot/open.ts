import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { DamagedStore, moveAside, orDamaged, quickCheck } from '../damage.ts'
import { openSqlite } from '../sqlite.ts'
import { openStore, storePath } from '../stores.ts'

/** A larger file (rows of a long outage) is checked by the log engine, not before the start. */
const checkedAtStartBytes = 64 * 1024 * 1024

const advice = (path: string) =>
  `Stop the service, move ${moveAside(path)} out of the data folder and start it again: the positions ` +
  'of the logs are then taken from the history, so that nothing is counted twice. Rows that were ' +
  'waiting for the history are read from the logs again.'

/** `hot.sqlite`: positions, open downloads, counters, outbox. Written only by the log engine. */
export function openHot(dataPath: string): Database {
  const path = storePath(dataPath, 'hot')
  return orDamaged(path, advice(path), () => openStore(dataPath, 'hot'))
}

/**
 * Throws DamagedStore when the file is damaged. `large`: files that take too long to check before
 * the service answers; `small`: all others.
 */
export function checkHot(dataPath: string, size: 'small' | 'large'): void {
  const path = storePath(dataPath, 'hot')
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0 || bytes > checkedAtStartBytes !== (size === 'large')) return
  try {
    orDamaged(path, advice(path), () => {
      using database = openSqlite(path)
      quickCheck(database)
    })
  } catch (error) {
    // The log engine reports and retries any other failure to open it.
    if (error instanceof DamagedStore) throw error
  }
}
