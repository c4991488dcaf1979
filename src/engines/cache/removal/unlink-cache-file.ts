import { lstatSync, unlinkSync, type BigIntStats } from 'node:fs'
import { FolderMoved, type OpenFolder } from '../../../core/lib/open-folder.ts'
import { dirName, dirOfDigest } from '../format/key.ts'
import { hasCode } from '../index/tree.ts'
import { HeldTree } from '../index/held-tree.ts'

/**
 * Unlinks the file of a digest if `isWanted` still accepts it right before. Each folder is opened
 * relative to its parent and held open, so a link in place of one is never followed. Throws
 * TreeProblem for a tree that is now elsewhere, or the error of the unlink.
 */
export function unlinkCacheFile(
  treePath: string,
  digest: string,
  isWanted: (stats: BigIntStats) => boolean,
): 'removed' | 'missing' | 'changed' {
  const place = new HeldTree(treePath)
  const open: OpenFolder[] = []
  try {
    let folder = place.folder
    for (const name of dirName(dirOfDigest(digest)).split('/')) {
      folder = folder.child(name)
      open.push(folder)
    }
    const path = folder.pathOf(digest)
    const stats = lstatSync(path, { bigint: true })
    place.check()
    if (!stats.isFile() || !isWanted(stats)) return 'changed'
    unlinkSync(path)
    return 'removed'
  } catch (error) {
    if (error instanceof FolderMoved || hasCode(error, 'ENOTDIR', 'ELOOP')) return 'changed'
    if (hasCode(error, 'ENOENT')) return 'missing'
    throw error
  } finally {
    for (const folder of open) folder.close()
    place.close()
  }
}
