import { treePath } from '../cache/index/tree.ts'
import { sampleKeys } from './key-sample.ts'
import { diskSizeIn } from './settings-file.ts'
import { cacheSide, logSide } from './sides.ts'
import { spaceOf } from './space.ts'

/** File system queries; each takes a path and may hang as long as its file system does. */
export const diskJobs = {
  space: (path: string) => spaceOf(path),
  cacheSide: (path: string) => cacheSide(path),
  logSide: (path: string) => logSide(path),
  diskSize: (path: string) => diskSizeIn(path),
  keys: (path: string) => sampleKeys(treePath(path)),
}

export type DiskJobs = typeof diskJobs
