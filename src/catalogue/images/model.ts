import { Type } from '@sinclair/typebox'
import { Int, Model, Text } from '../../core/http/schema.ts'

export const AvailableImages = Type.Array(Text, {
  description: 'App ids and slugs that have an image',
})
export const ImageCacheVersion = Model('ImageCacheVersion', { version: Int })
export const ImageCacheCleared = Model('ImageCacheCleared', {
  message: Text,
  betaImageUrlsRefreshed: Int,
  cacheGeneration: Int,
})
