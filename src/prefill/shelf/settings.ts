import { Type, type Static } from '@sinclair/typebox'
import { stringUnion } from '../../core/lib/schema.ts'
import { platforms } from '../../platforms/platforms.ts'

/** Games that were chosen on the shelf and have not been fetched; a restart goes on with them. */
export const ShelfGames = Type.Array(
  Type.Object({ platform: stringUnion(platforms), appId: Type.String(), name: Type.String() }),
)
export type ShelfGames = Static<typeof ShelfGames>
