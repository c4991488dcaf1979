import { lstatSync, realpathSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { FolderMoved, OpenFolder } from '../../../core/lib/open-folder.ts'
import { RewriteRefused } from './rewrite-refused.ts'

/** Device and inode of a log file when it was found. */
export interface FileIdentity {
  device: string
  inode: string
}

/** Opens the folder of a log file, resolving links once. */
export function openLogFolder(path: string): OpenFolder {
  try {
    return OpenFolder.at(realpathSync(dirname(path)))
  } catch (error) {
    if (error instanceof FolderMoved) throw new RewriteRefused('its folder was moved')
    throw error
  }
}

/** Throws RewriteRefused unless the file in the open folder is still the one found. */
export function requireSame(folder: OpenFolder, path: string, { device, inode }: FileIdentity) {
  const stats = lstatSync(folder.pathOf(basename(path)))
  const isSame = String(stats.dev) === device && String(stats.ino) === inode
  if (!isSame || !stats.isFile()) throw new RewriteRefused('it was changed')
}

/**
 * Deletes a log file if it is still the one found. Its folder is held open: replacing the folder
 * with a link cannot redirect the deletion.
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
