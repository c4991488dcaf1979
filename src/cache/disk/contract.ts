import type { Static } from '@sinclair/typebox'
import { Int, Model, Text, TextOf } from '../../core/lib/schema.ts'
import type { FilesystemKind, FolderProblem } from '../../engines/disk/contract.ts'

/**
 * `vanished`: the folder exists but its mount is gone, so that figures would be another disk's.
 * `unresponsive`: the file system does not answer.
 */
export type DiskState = 'ok' | 'vanished' | 'unresponsive' | Exclude<FolderProblem, 'none'>

/** The cache's disk, in bytes. All figures are 0 unless the state is `ok`. */
export const DiskSpace = Model('DiskFacts', {
  state: TextOf<DiskState>(),
  mountPoint: Text,
  device: Text,
  filesystem: TextOf<FilesystemKind>(),
  capacityBytes: Int,
  freeBytes: Int,
  /** Everything not free to unprivileged users, whoever wrote it. */
  usedBytes: Int,
})
export type DiskSpace = Static<typeof DiskSpace>

/** Origin of a cache's limit. */
export type SizeSource = 'manual' | 'docker' | 'env' | 'fullDisk'

/** How large a datasource's cache may become. */
export interface CacheLimit {
  /** Bytes entered by hand; null without. */
  overrideBytes: number | null
  /** 0 when unknown. */
  resolvedBytes: number
  source: SizeSource
}

/** Settings of the caching stack that concern us; values of other settings are never read. */
export interface StackSettings {
  /** Where they were found. */
  source: 'dockerInspect' | 'envFile' | 'defaults'
  envFilePath: string | null
  values: ReadonlyMap<string, string>
  /** Addresses of the stack's containers: its DNS servers, and its caches. */
  dnsAddresses: string[]
  cacheAddresses: string[]
}

export interface Disk {
  /** The disk of a datasource's cache. Once known, waits at most a second. */
  space(datasource: string): Promise<DiskSpace>
  limit(datasource: string): Promise<CacheLimit>
  /** Bytes, the whole disk, or null: the proxy's own limit. */
  setLimit(datasource: string, limit: number | 'fullDisk' | null): void
  /** Sum of all datasources' limits, shared ones counted once; 0 when unknown. */
  configuredBytes(): Promise<number>
  /** Whether `rsync` is installed, which can remove empty folders. */
  hasRsync(): boolean
  /** Settings of the caching stack; found anew once a minute. */
  stackSettings(): Promise<StackSettings>
  stop(): void
}
