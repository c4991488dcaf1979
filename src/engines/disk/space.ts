import { readdirSync, realpathSync, statfsSync } from 'node:fs'
import { readableText } from '../../core/lib/readable.ts'
import type { FilesystemKind, FolderProblem, Space } from './contract.ts'

/** File system numbers (`f_type`) from Linux's `statfs(2)` manual. */
const kinds: [FilesystemKind, number[]][] = [
  ['nfs', [0x6969]],
  ['cifs', [0x517b, 0xff534d42, 0xfe534d42]],
  [
    'local',
    // ext2-4, xfs, btrfs, zfs, tmpfs, overlay, f2fs, bcachefs, ntfs, ntfs3, exfat, vfat, jfs, ramfs
    [
      0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0x01021994, 0x794c7630, 0xf2f52010, 0xca451a4e,
      0x5346544e, 0x7366746e, 0x2011bab0, 0x4d44, 0x3153464a, 0x858458f6,
    ],
  ],
]

/** The kind of a file system by its number; unknown ones, such as FUSE, are `other`. */
export const kindOf = (magic: number): FilesystemKind =>
  kinds.find(([, magics]) => magics.includes(magic >>> 0))?.[0] ?? 'other'

/** The mount table writes spaces and similar characters as three octal digits. */
const unescaped = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )

/** The mount with the longest mount point above a path; of two at the same one, the later. */
export function mountOf(table: string, path: string): { mountPoint: string; device: string } {
  let best = { mountPoint: '', device: '' }
  for (const line of table.split('\n')) {
    const [device = '', point = ''] = line.split(' ').map(unescaped)
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`)
    if (point !== '' && isAbove && point.length >= best.mountPoint.length)
      best = { mountPoint: point, device }
  }
  return best
}

export function problemOf(error: unknown): FolderProblem {
  const { code } = error as { code?: string }
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable'
}

const mountTable = () => readableText('/proc/mounts')

/** Whether a folder is empty; one that cannot be listed is not. */
function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

/** Mount and space of a folder. Never throws; may never return. */
export function spaceOf(path: string): Space {
  const none = { mountPoint: '', device: '', capacityBytes: 0, freeBytes: 0, isEmpty: true }
  try {
    const real = realpathSync(path)
    const { type, bsize, blocks, bavail } = statfsSync(real)
    return {
      problem: 'none',
      ...mountOf(mountTable(), real),
      filesystem: kindOf(type),
      capacityBytes: blocks * bsize,
      freeBytes: bavail * bsize,
      isEmpty: isEmpty(real),
    }
  } catch (error) {
    return { problem: problemOf(error), filesystem: 'other', ...none }
  }
}
