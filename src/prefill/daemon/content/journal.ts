import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { hash53 } from '../../../core/lib/hash53.ts'

/** Older journals are ignored: the cache may have evicted what they list. */
const ageMsMax = 24 * 3_600_000
/** Requests of the largest downloads stay far below. */
const entriesMax = 4_000_000
const entryBytes = Float64Array.BYTES_PER_ELEMENT

/** Entries of a journal of the same download; none of another or an old one. */
function read(path: string, identity: number): Set<number> {
  try {
    if (Date.now() - statSync(path).mtimeMs > ageMsMax) return new Set()
    const bytes = new Uint8Array(readFileSync(path))
    const entries = new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / entryBytes))
    return new Set(entries[0] === identity ? entries.subarray(1, entriesMax) : [])
  } catch {
    // None yet, or unreadable: everything is requested.
    return new Set()
  }
}

export type Journal = ReturnType<typeof openJournal>

/**
 * What an interrupted download of one app has finished; survives a kill of the process. `identity`
 * names what is downloaded, versions included; the entries of anything else are dropped. `isFresh`
 * drops all of them. Throws when the file cannot be written.
 */
export function openJournal(
  path: string,
  { identity, isFresh }: { identity: string; isFresh: boolean },
) {
  const mark = hash53(identity)
  const done = isFresh ? new Set<number>() : read(path, mark)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written anew, so that half an entry at its end does not shift those that follow; and as another
  // file, so that a second daemon does not write into that of the first.
  const fresh = `${path}.${process.pid}.new`
  const file = openSync(fresh, 'w', 0o600)
  const write = (entries: number[]) => writeSync(file, Float64Array.from(entries))
  write([mark, ...done])
  renameSync(fresh, path)
  return {
    has: (key: string): boolean => done.has(hash53(key)),
    add(key: string): void {
      if (done.size >= entriesMax) return
      const entry = hash53(key)
      done.add(entry)
      write([entry])
    },
    /** Deletes it: the download is complete. */
    finish(): void {
      closeSync(file)
      rmSync(path, { force: true })
    },
    /** Keeps it for the next run. */
    close: (): void => closeSync(file),
  }
}
