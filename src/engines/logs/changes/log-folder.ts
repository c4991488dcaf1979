import { lstatSync, realpathSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { FolderMoved, OpenFolder } from '../../../core/lib/open-folder.ts'
import { RewriteRefused } from './rewrite-refused.ts'

/** Device and inode of a log file, as it was found. */
export interface FileIdentity {
  device: string
  inode: string
}

/** Opens the folder of a log file; a link that leads there is followed once, now. */
export function openLogFolder(path: string): OpenFolder {
  try {
    return OpenFolder.at(realpathSync(dirname(path)))
  } catch (error) {
    if (error instanceof FolderMoved) throw new RewriteRefused('its folder was moved')
    throw error
  }
}

/** Throws RewriteRefused unless the file in the open folder is the one that was found. */
export function requireSame(folder: OpenFolder, path: string, { device, inode }: FileIdentity) {
  const stats = lstatSync(folder.pathOf(basename(path)))
  const isSame = String(stats.dev) === device && String(stats.ino) === inode
  if (!isSame || !stats.isFile()) throw new RewriteRefused('it was changed')
}

/**
 * Deletes a log file if it still is the one that was found. Its folder is held open: an owner who
 * puts a link in place of the folder cannot lead the deletion elsewhere.
 */
export function unlinkLog(path: string, identity: FileIdentity): void {
  const folder = openLogFolder(path)
  try {
    requireSame(folder, path, identity)
    unlinkSync(folder.pathOf(basename(path)))
  } finally {
    folder.close()
  }
}
