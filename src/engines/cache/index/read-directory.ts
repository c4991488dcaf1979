import { lstatSync, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import type { Phrase } from '../../../core/lib/phrases.ts'
import type { WalkDepth } from '../contract.ts'
import { fingerprintOf } from '../format/fingerprint.ts'
import { readHeadFileLater, readQuietHead, type HeadOutcome } from '../format/head-file.ts'
import { dirName } from '../format/key.ts'
import type { DirectoryPass, Finding } from './directory-pass.ts'
import { diskPhrase, entriesOf, entryKind, hasCode } from './tree.ts'

/** How the disk is read: `waiting` blocks the thread, `later` returns promises. */
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
  /** Read completely: files that the pass did not see are gone. */
  | { kind: 'read'; pass: DirectoryPass; mtimeMs: number }

interface Directory {
  treePath: string
  dir: number
  /** Its mtime at the last read; with `directories`, an unchanged one ends the reading. */
  knownMs: number
  depth: WalkDepth
  /** Called for directories that are read: loads their files from the index. */
  pass: () => DirectoryPass
}

/** Yields the finding of each file, or null, and in between the promises to await. */
type Reading = Generator<Promise<unknown> | Finding | null, DirectoryOutcome, unknown>

const unreadable = (error: unknown, path: string): DirectoryOutcome =>
  hasCode(error, 'ENOENT') ? { kind: 'gone' } : { kind: 'failed', problem: diskPhrase(error, path) }

/** Reads one hash directory. Never throws for disk errors. */
export function* readDirectory(disk: Disk, directory: Directory): Reading {
  const { treePath, dir, knownMs, depth } = directory
  const path = `${treePath}/${dirName(dir)}`
  let stats: Stats
  let entries: Dirent[]
  try {
    const asked = disk.stats(path)
    // The driver resumes the generator with the resolved value, here and below.
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
    entries = entries.filter((entry) => pass.isCacheFile(entryKind(path, dir, entry)))
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
        // Reading it reports why.
      }
    }
    const read = disk.head(file, name)
    yield pass.found(name, read instanceof Promise ? ((yield read) as HeadOutcome) : read)
  }
  return { kind: 'read', pass, mtimeMs: stats.mtimeMs }
}

/** Drives a reading and awaits its promises; passes each finding to `found`. */
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
