import type {
  FilesystemKind,
  FolderAccess,
  FolderProblem,
  LogSample,
} from '../../engines/disk/contract.ts'

export type Layout = 'monolithic' | 'bare_metal' | 'mixed'
/** How the proxy builds cache keys; `mixed` and `unknown` rule out work on single objects. */
export type KeyScheme = Layout | 'unknown'
/** Origin of the slice size. */
export type SliceSource = 'setting' | 'confighash' | 'keys' | 'default'

/** Facts about one datasource; at most five seconds old, unless a share is dead. */
export interface DatasourceFacts {
  name: string
  cachePath: string
  logPath: string
  /** Of the log folder. */
  layout: Layout
  /** Of the cache: the override, else derived from the logs. */
  scheme: KeyScheme
  schemeOverride: 'auto' | 'monolithic' | 'bare_metal'
  /** Bytes of one slice, always above 0; 1 MiB where slicing is off. */
  sliceBytes: number
  /** False when the proxy stores every object whole. */
  isSliced: boolean
  sliceSource: SliceSource
  /** The proxy's key recipe in nginx variables; null without a note. */
  keyRecipe: string | null
  /** From a permission check; nothing is ever written as a test. */
  canWriteCache: boolean
  canWriteLogs: boolean
  /**
   * Whether it holds at least one file that the proxy stored; false for new caches and other
   * folders.
   */
  hasCacheFiles: boolean
  /** `unresponsive`: the file system did not answer in time. */
  cacheProblem: FolderProblem | 'unresponsive'
  logProblem: FolderProblem | 'unresponsive'
  /** The cache's file system. */
  filesystem: FilesystemKind
  /** Log files of all series. */
  sourceCount: number
}

/** The folders of a datasource as they are now; null where the file system does not answer. */
export interface Inspection {
  name: string
  cachePath: string
  logPath: string
  /** Why its node cannot be asked; null: it can, or is this machine. */
  away: string | null
  log: LogSample | null
  cache: FolderAccess | null
}

export interface Datasources {
  /** Throws for a name that is not configured; case is ignored. */
  facts(name: string): Promise<DatasourceFacts>
  all(): Promise<DatasourceFacts[]>
  /** Tries every folder now. */
  inspect(): Promise<Inspection[]>
  /**
   * For work on single objects: throws AppError 400 naming the datasource when any (or the given
   * one) has no clear key scheme, or when none is configured. Those of a node that is away are left
   * out, since their logs cannot be read; the given one is then refused with 503.
   */
  requireClearScheme(name?: string): Promise<void>
  /** Throws AppError 400 with a hint when a folder is not writable. Rereads the facts. */
  requireWritable(needs: {
    cache?: boolean
    logs?: boolean
    name?: string
    /** The datasources that count; undefined: all. */
    has?: (datasource: string) => boolean
  }): Promise<void>
}
