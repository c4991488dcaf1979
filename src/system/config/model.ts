import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/lib/schema.ts'

export const CacheDeleteMode = stringUnion(['preserve', 'full', 'rsync'])
export const AlphaAuthMode = stringUnion(['anonymous', 'authenticated'])

export const DatasourceInfo = Model('DatasourceInfoDto', {
  name: Text,
  cachePath: Text,
  logsPath: Text,
  cacheWritable: Flag,
  logsWritable: Flag,
  enabled: Flag,
  cacheSizeOverrideBytes: Nullable(Int),
  resolvedCacheSizeBytes: Int,
  cacheSizeSource: Text,
  schemeOverride: Text,
  cacheKeyScheme: Text,
  capabilityDenialReason: Nullable(Text),
  layout: Text,
  sourceCount: Int,
  canMapLogicalObjects: Flag,
  canClearWholeCacheRoot: Flag,
  nginxReopenAvailable: Flag,
  nginxReopenHint: Nullable(Text),
})
export type DatasourceInfo = Static<typeof DatasourceInfo>

export const SystemConfig = Model('SystemConfig', {
  cachePath: Text,
  logsPath: Text,
  dataPath: Text,
  cacheDeleteMode: CacheDeleteMode,
  alphaAuthMode: AlphaAuthMode,
  timeZone: Text,
  cacheWritable: Flag,
  logsWritable: Flag,
  dataSources: Type.Array(DatasourceInfo),
})
export type SystemConfig = Static<typeof SystemConfig>
