import { awayMember } from '../../engines/remote/wire.ts'
import { DiskSpace } from '../disk/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Bytes, Flag, Int, Model, Nullable, Percent, Text, Utc } from '../../core/http/schema.ts'

/** Space left: below the cache's limit and on its disk. */
export const SpaceLeft = Type.Object({
  roomBytes: Int,
  usedBytes: Int,
  totalBytes: Int,
  /** The proxy starts to evict files. */
  isFull: Flag,
})
export type SpaceLeft = Static<typeof SpaceLeft>

export const CacheInfo = Model('CacheInfo', {
  totalCacheSize: Bytes,
  configuredCacheSize: Bytes,
  driveCapacity: Bytes,
  usedCacheSize: Bytes,
  freeCacheSize: Bytes,
  usagePercent: Percent,
  totalFiles: Int,
  serviceSizes: Type.Record(Text, Int),
  hasCacheScan: Flag,
  cacheScanTimestampUtc: Nullable(Utc),
  cacheScanTotalBytes: Int,
  scanStale: Flag,
  /** `ok`, or why there are no figures for the cache's disk. */
  driveState: Text,
  /** Null while the disk has no figures. */
  space: Nullable(SpaceLeft),
  ...awayMember,
})
export type CacheInfo = Static<typeof CacheInfo>

/** One datasource as the service found it. */
export const DatasourceFacts = Model('DatasourceFacts', {
  name: Text,
  cachePath: Text,
  logPath: Text,
  layout: Text,
  scheme: Text,
  schemeOverride: Text,
  /** Why work on single objects is refused; null when it is allowed. */
  denial: Nullable(Text),
  sliceBytes: Int,
  isSliced: Flag,
  /** `setting`, `confighash`, `keys` or `default`. */
  sliceSource: Text,
  keyRecipe: Nullable(Text),
  canWriteCache: Flag,
  canWriteLogs: Flag,
  cacheProblem: Text,
  logProblem: Text,
  sourceCount: Int,
  /** Since when its node is away; absent while it is here. */
  awaySinceUtc: Type.Optional(Utc),
  /** 0 when unknown. */
  limitBytes: Int,
  limitSource: Text,
  disk: DiskSpace,
})
export const DatasourceFactsList = Type.Object({ items: Type.Array(DatasourceFacts) })
