import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readLogFolder } from '../logs/files/discovery.ts'
import { sharedStem } from '../logs/lines/service-name.ts'
import type { CacheFolderFacts, FolderProblem, LogFolderFacts } from './contract.ts'
import { problemOf } from './space.ts'

/** The marker is one line; anything longer is another file. */
const noteBytesMax = 4096
const noteName = 'CONFIGHASH'

/** Asks the system instead of trying: the service writes no file below a cache root. */
function canWriteTo(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function folderProblem(path: string): FolderProblem {
  try {
    if (!statSync(path).isDirectory()) return 'missing'
    accessSync(path, constants.R_OK | constants.X_OK)
    return 'none'
  } catch (error) {
    return problemOf(error)
  }
}

function noteIn(folder: string): string | null {
  const path = join(folder, noteName)
  try {
    const stat = lstatSync(path)
    return stat.isFile() && stat.size <= noteBytesMax ? readFileSync(path, 'utf8').trim() : null
  } catch {
    return null
  }
}

/** The cache folder itself, without its files. Never throws. */
export const cacheFolderFacts = (path: string): CacheFolderFacts => ({
  problem: folderProblem(path),
  canWrite: canWriteTo(path),
  configHash: noteIn(path) ?? noteIn(dirname(path)),
})

/** The log folder and the kinds of logs in it. Never throws. */
export function logFolderFacts(path: string): LogFolderFacts {
  const { files, layout } = readLogFolder(path)
  return {
    problem: folderProblem(path),
    canWrite: canWriteTo(path),
    layout,
    hasShared: files.some(({ stem }) => stem === sharedStem),
    hasPerService: files.some(({ stem }) => stem !== sharedStem),
    sourceCount: files.length,
  }
}
