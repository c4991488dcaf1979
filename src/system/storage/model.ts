import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Text } from '../../core/http/schema.ts'
import { CacheDeleteMode } from '../config/model.ts'

export const CacheSizeBody = Type.Object({
  /** Bytes, a text such as `500g`, `full` for the whole disk, or null for the proxy's own limit. */
  size: Type.Optional(Type.Union([Text, LargeInt, Type.Null()])),
})
export type CacheSizeBody = Static<typeof CacheSizeBody>

export const CacheSizeSaved = Type.Object({
  name: Text,
  cacheSizeOverrideBytes: Nullable(Int),
  resolvedCacheSizeBytes: Int,
  cacheSizeSource: Text,
})
export type CacheSizeSaved = Static<typeof CacheSizeSaved>

export const DeleteModeBody = Type.Object({ deleteMode: Type.Optional(CacheDeleteMode) })
export const DeleteModeSaved = Type.Object({ message: Text, deleteMode: CacheDeleteMode })

export const RsyncAvailable = Type.Object({ available: Flag })

const DirectoryPermission = Model('DirectoryPermission', {
  /** Empty for guests. */
  path: Text,
  exists: Flag,
  writable: Flag,
  readOnly: Flag,
})
export type DirectoryPermission = Static<typeof DirectoryPermission>

export const SystemPermissions = Type.Object({
  cache: DirectoryPermission,
  logs: DirectoryPermission,
  containerSocket: Type.Object({ available: Flag }),
})
export type SystemPermissions = Static<typeof SystemPermissions>
