import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/http/errors.ts'
import type { SnapshotFile, SnapshotKind } from './model.ts'
import { backupFolder } from './outcome.ts'

/** Snapshots listed. */
const listedMax = 1000
const ending = '.tar.zst'
const namePattern =
  /^larder-\d{8}-\d{6}(?:-\d{1,4})?(?:-(?:scheduled|before-restore|before-update|uploaded))?\.tar\.zst$/
const markedKinds = ['scheduled', 'before-restore', 'before-update', 'uploaded'] as const

const kindOf = (name: string): SnapshotKind =>
  markedKinds.find((kind) => name.endsWith(`-${kind}${ending}`)) ?? 'manual'

export type SnapshotFiles = ReturnType<typeof createSnapshotFiles>

/** The files of snapshots in their folder; requests name them, and reach nothing else. */
export function createSnapshotFiles(dataPath: string) {
  const folder = backupFolder(dataPath)

  /** The folder, which exists then and is closed to others. */
  function prepared(): string {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    return folder
  }

  /** Newest first. */
  function list(): SnapshotFile[] {
    if (!existsSync(folder)) return []
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && namePattern.test(entry.name))
      .map(({ name }) => {
        const { size, mtime } = statSync(join(folder, name))
        return { name, kind: kindOf(name), createdAt: mtime.toISOString(), bytes: size }
      })
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.name.localeCompare(a.name))
      .slice(0, listedMax)
  }

  /** Path of a snapshot. Throws `notFound` for every other name. */
  function find(name: string): string {
    if (!list().some((file) => file.name === name)) {
      throw new AppError('notFound', 'There is no snapshot of this name')
    }
    return join(folder, name)
  }

  /** Path for a new snapshot. */
  function place(at: Date, kind: SnapshotKind): string {
    const [date = '', time = ''] = at
      .toISOString()
      .replaceAll(/[-:]|\..*/g, '')
      .split('T')
    const suffix = kind === 'manual' ? '' : `-${kind}`
    const path = (number: string) =>
      join(prepared(), `larder-${date}-${time}${number}${suffix}${ending}`)
    let free = path('')
    for (let number = 2; existsSync(free); number++) free = path(`-${number}`)
    return free
  }

  return {
    folder,
    prepared,
    list,
    find,
    place,
    remove: (name: string): void => rmSync(find(name)),
    /** Deletes the oldest scheduled ones; returns their names. */
    prune(keep: number): string[] {
      const old = list()
        .filter(({ kind }) => kind === 'scheduled')
        .slice(keep)
      for (const { name } of old) rmSync(join(folder, name), { force: true })
      return old.map(({ name }) => name)
    },
    /** Removes what a crash left; returns the names. */
    tidy(): string[] {
      if (!existsSync(folder)) return []
      const left = readdirSync(folder).filter((name) => /\.(part|copies|new)$/.test(name))
      for (const name of left) rmSync(join(folder, name), { recursive: true, force: true })
      return left
    },
  }
}
