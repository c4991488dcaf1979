import { Database } from 'bun:sqlite'
import { HistoryFault } from '../failures.ts'

/**
 * Makes sure that two services never start two servers on one data directory. The lock is a
 * transaction held open on a small SQLite file: it ends with the process, also across containers
 * that share the directory. With it in hand, a server found running is an orphan of a dead parent.
 */
export function lockDirectory(path: string): () => void {
  const file = new Database(path, { create: true })
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin immediate')
  } catch (cause) {
    file.close()
    throw new HistoryFault('Another instance of this service uses the same data directory', {
      cause,
    })
  }
  return () => file.close()
}
