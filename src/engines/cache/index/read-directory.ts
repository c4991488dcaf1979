import { lstatSync, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Phrase } from '../../../core/lib/phrases.ts'
import type { WalkDepth } from '../contract.ts'
import { fingerprintOf } from '../format/fingerprint.ts'
import { readHeadFileLater, readQuietHead, type HeadOutcome } from '../format/head-file.ts'
import { dirName } from '../format/key.ts'
import type { DirectoryPass, Finding } from './directory-pass.ts'
import { diskPhrase, entriesOf, entryKind, hasCode } from './tree.ts'

/** How the disk is read: `waiting` blocks the thread, `later` answers with promises. */
export interface Disk {
  stats: (path: string) => Stats | Promise<Stats>
  entries: (path: string) => Dirent[] | Promise<Dirent[]>
  head: (path: string, name: string) => HeadOutcome | Promise<HeadOutcome>
}

export const disks = {
  waiting: { stats: (path) => lstatSync(path), entries: entriesOf, head: readQuietHead },
  later: {
    stats: (path) => lstat(path),
    entries: (path) => readdir(path, { withFileTypes: true }),
    head: readHeadFileLater,
  },
} as const satisfies Record<string, Disk>

export type DirectoryOutcome =
  | { kind: 'unchanged' | 'gone' }
  | { kind: 'failed'; problem: Phrase }
  /** Read to its end: what the pass did not meet is gone. */
  | { kind: 'read'; pass: DirectoryPass; mtimeMs: number }

interface Directory {
  treePath: string
  dir: number
  /** Its time of change when it was last read; with `directories` an equal one ends the reading. */
  knownMs: number
  depth: WalkDepth
  /** Called for directories that are read: it asks the index for their files. */
  pass: () => DirectoryPass
}

/** After each piece what was found, if anything; in between the promises to wait for. */
type Reading = Generator<Promise<unknown> | Finding | null, DirectoryOutcome, unknown>

const unreadable = (error: unknown, path: string): DirectoryOutcome =>
  hasCode(error, 'ENOENT') ? { kind: 'gone' } : { kind: 'failed', problem: diskPhrase(error, path) }

/** Reads one hash directory. Never throws for what is on the disk. */
export function* readDirectory(disk: Disk, directory: Directory): Reading {
  const { treePath, dir, knownMs, depth } = directory
  const path = join(treePath, dirName(dir))
  let stats: Stats
  let entries: Dirent[]
  try {
    const asked = disk.stats(path)
    // The driver answers a promise with what it resolves to, here and below.
    stats = asked instanceof Promise ? ((yield asked) as Stats) : asked
    if (!stats.isDirectory()) return { kind: 'gone' }
    if (depth === 'directories' && stats.mtimeMs === knownMs) return { kind: 'unchanged' }
    const listed = disk.entries(path)
    entries = listed instanceof Promise ? ((yield listed) as Dirent[]) : listed
  } catch (error) {
    return unreadable(error, path)
  }
  const pass = directory.pass()
  try {
    entries = entries.filter((entry) => pass.isPiece(entryKind(path, dir, entry)))
  } catch (error) {
    return unreadable(error, path)
  }
  for (const { name } of entries) {
    const file = `${path}/${name}`
    if (pass.need(name) === 'stat') {
      try {
        const asked = disk.stats(file)
        const found = asked instanceof Promise ? ((yield asked) as Stats) : asked
        if (pass.isUnchanged(name, fingerprintOf(found))) {
          yield null
          continue
        }
      } catch {
        // Reading it tells why.
      }
    }
    const read = disk.head(file, name)
    yield pass.found(name, read instanceof Promise ? ((yield read) as HeadOutcome) : read)
  }
  return { kind: 'read', pass, mtimeMs: stats.mtimeMs }
}

/** Waits for what a reading waits for; `found` gets what it finds. */
export async function readLater(
  reading: Reading,
  found: (finding: Finding) => void,
): Promise<DirectoryOutcome> {
  let step = reading.next()
  while (step.done !== true) {
    const { value } = step
    if (value instanceof Promise) {
      step = await value.then(
        (answer) => reading.next(answer),
        (error) => reading.throw(error),
      )
    } else {
      if (value !== null) found(value)
      step = reading.next()
    }
  }
  return step.value
}
