import { treePath } from '../cache/index/tree.ts'
import { folderAccess } from './access.ts'
import { sampleKeys } from './key-sample.ts'
import { logSample } from './log-sample.ts'
import { stackSettingsIn } from './settings-file.ts'
import { cacheFolderFacts, logFolderFacts } from './folder-facts.ts'
import { spaceOf } from './space.ts'

/** File system queries; each takes a path and may hang as long as its file system does. */
export const diskJobs = {
  space: (path: string) => spaceOf(path),
  cacheFolderFacts: (path: string) => cacheFolderFacts(path),
  logFolderFacts: (path: string) => logFolderFacts(path),
  stackSettings: (path: string) => stackSettingsIn(path),
  logSample: (path: string) => logSample(path),
  folderAccess: (path: string) => folderAccess(path),
  keys: (path: string) => sampleKeys(treePath(path)),
}

export type DiskJobs = typeof diskJobs
