import { Type, type Static } from '@sinclair/typebox'
import { Int, LargeInt, Model, Nullable, Num, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { platforms } from '../../platforms/platforms.ts'
import { AppId } from '../sessions/model.ts'

/** Games of one pick. */
export const pickedMax = 2000

const platform = stringUnion(platforms)
const id = { platform, appId: Text }

export const ShelfGame = Model('PrefillShelfGame', {
  ...id,
  name: Text,
  state: stringUnion(['cached', 'newBuild', 'missing', 'unavailable', 'unknown']),
  onDiskBytes: Nullable(LargeInt, 'Of the game in the cache; null while that is not known'),
  totalBytes: Nullable(LargeInt, 'Null: no daemon was asked yet, and no run has downloaded it'),
  problem: Nullable(Text, 'Why it cannot be downloaded'),
})
export type ShelfGame = Static<typeof ShelfGame>

export const ShelfPlatform = Model('PrefillShelfPlatform', {
  platform,
  /** Off: no session runs; signed out: sessions run, and none is signed in. */
  state: stringUnion(['ready', 'listing', 'signedOut', 'off', 'failed']),
  problem: Nullable(Text),
  games: Int,
})
export type ShelfPlatform = Static<typeof ShelfPlatform>

export const Shelf = Model('PrefillShelf', {
  platforms: Type.Array(ShelfPlatform),
  games: Type.Array(ShelfGame, { description: 'Of all accounts, each game once' }),
})
export type Shelf = Static<typeof Shelf>

export const PickBody = Type.Object({
  games: Type.Array(Type.Object({ platform, appId: AppId }), {
    minItems: 1,
    maxItems: pickedMax,
  }),
})
export type PickBody = Static<typeof PickBody>

export const ShelfPlan = Model('PrefillShelfPlan', {
  games: Type.Array(
    Type.Object({
      ...id,
      totalBytes: Nullable(LargeInt),
      missingBytes: Nullable(LargeInt),
      problem: Nullable(Text),
    }),
    { description: 'Of the pick, as far as an account has them' },
  ),
  knownBytes: Type.Integer({
    description: 'To download, of the games whose size is known',
  }),
  missingBytes: Nullable(LargeInt, 'To download; null while the size of a game is not known'),
  seconds: Nullable(Num, 'For the missing bytes, at the rate of earlier downloads'),
  overBytes: Type.Integer({
    description: 'Known bytes beyond what the cache has room for, even if it evicts',
  }),
  fits: stringUnion(['yes', 'evicts', 'no', 'unknown']),
  isAsking: Type.Boolean({ description: 'Daemons are being asked for versions and sizes' }),
})
export type ShelfPlan = Static<typeof ShelfPlan>

export const ShelfRun = Model('PrefillShelfRun', {
  operationId: Nullable(Text, 'Null: nothing is fetched'),
  games: Type.Array(
    Type.Object({
      ...id,
      name: Text,
      state: stringUnion(['queued', 'fetching', 'done', 'failed']),
      bytes: LargeInt,
      totalBytes: LargeInt,
      problem: Nullable(Text),
    }),
  ),
})
export type ShelfRun = Static<typeof ShelfRun>
