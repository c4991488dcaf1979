import type { FilesystemKind, FolderProblem } from '../../engines/disk/contract.ts'

export type Layout = 'monolithic' | 'bare_metal' | 'mixed'
/** How the proxy makes its keys; `mixed` and `unknown` forbid work on single objects. */
export type KeyScheme = Layout | 'unknown'
/** Where the slice size is known from. */
export type SliceSource = 'setting' | 'confighash' | 'keys' | 'default'

/** What is known of one datasource; nothing here is older than half a minute, except a dead share. */
export interface DatasourceFacts {
  name: string
  cachePath: string
  logPath: string
  /** Of the log folder. */
  layout: Layout
  /** Of the cache: the override, else after the logs. */
  scheme: KeyScheme
  schemeOverride: 'auto' | 'monolithic' | 'bare_metal'
  /** Bytes of one slice, always above 0; 1 MiB where slicing is off. */
  sliceBytes: number
  /** False: the proxy stores every object in one piece. */
  isSliced: boolean
  sliceSource: SliceSource
  /** The proxy's recipe in nginx variables; null where it left no note. */
  keyRecipe: string | null
  /** Asked of the system; nothing is ever written to find out. */
  canWriteCache: boolean
  canWriteLogs: boolean
  /** Some file in it is one that the proxy stored; false for a new cache and for other folders. */
  hasPieces: boolean
  /** `unresponsive`: the file system did not answer in time. */
  cacheProblem: FolderProblem | 'unresponsive'
  logProblem: FolderProblem | 'unresponsive'
  /** File system below the cache. */
  filesystem: FilesystemKind
  /** Log files of all series. */
  sourceCount: number
}

export interface Datasources {
  /** Throws for a name that is not configured. Case does not matter. */
  facts(name: string): Promise<DatasourceFacts>
  all(): Promise<DatasourceFacts[]>
  /**
   * For work on single objects: throws AppError 400 that names the datasource when one of them
   * (or the one named) has no clear key scheme, or when there is none at all.
   */
  requireClearScheme(name?: string): Promise<void>
  /** Throws AppError 400 with a hint when a folder cannot be written to. Reads the facts anew. */
  requireWritable(needs: { cache?: boolean; logs?: boolean; name?: string }): Promise<void>
}
