import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { awayMember } from '../../engines/remote/wire.ts'
import { readyVerdicts } from '../../core/lib/ready-news.ts'
import { platforms } from '../../platforms/platforms.ts'
import { AppId } from '../sessions/model.ts'
import { AllowedHours } from './settings.ts'

/** Games on the board. */
export const gamesMax = 200

const platform = stringUnion(platforms)
/** ISO-8601, with or without an offset; null: none. */
const Due = Nullable(Type.String({ maxLength: 40 }))

const State = stringUnion(['ready', 'outdated', 'missing', 'unknown', 'unavailable', 'fetching'])
export type State = Static<typeof State>

export const ReadyGame = Model('PrefillReadyGame', {
  platform,
  appId: Text,
  name: Text,
  dueAtUtc: Nullable(Utc, 'Null: when the board is due'),
  state: State,
  onDiskBytes: Nullable(LargeInt, 'Of the game in the cache; null while that is not known'),
  totalBytes: Nullable(LargeInt),
  missingBytes: Nullable(
    LargeInt,
    'At most: what the cache has of an older build counts as missing',
  ),
  clients: Type.Integer({ description: 'That used it in the last 60 days' }),
  newBuildAtUtc: Nullable(Utc, 'When a newer build was noticed that has not been fetched'),
  checkedAtUtc: Nullable(Utc),
  problem: Nullable(Text, 'Why it is not known, or what to do'),
})
export type ReadyGame = Static<typeof ReadyGame>

export const ReadyBoard = Model('PrefillReadyBoard', {
  dueAtUtc: Nullable(Utc),
  hours: Nullable(AllowedHours),
  timeZoneId: Type.String({ description: 'Of the hours' }),
  fetchesUpdates: Flag,
  isWanted: Type.Boolean({
    description: 'Games are fetched in the allowed hours until all are ready',
  }),
  games: Type.Array(ReadyGame),
  missingBytes: Nullable(LargeInt),
  seconds: Nullable(Num, 'For the missing bytes, at the rate of earlier downloads'),
  allowedSeconds: Nullable(Num, 'From now until the board is due, within the allowed hours'),
  readyAtUtc: Nullable(Utc, 'Estimate; null: everything is ready, or it is not known'),
  freeBytes: Nullable(LargeInt),
  evictableBytes: Nullable(LargeInt, 'In the cache, neither pinned nor of a game of the board'),
  fits: stringUnion(['yes', 'evicts', 'no', 'unknown']),
  verdict: stringUnion(readyVerdicts),
  operationId: Nullable(Text, 'Of the run that fetches games'),
  isChecking: Flag,
  checkedAtUtc: Nullable(Utc),
  ...awayMember,
})
export type ReadyBoard = Static<typeof ReadyBoard>

export const BoardBody = Type.Object({
  dueAtUtc: Type.Optional(Due),
  hours: Type.Optional(Nullable(AllowedHours)),
  fetchesUpdates: Type.Optional(Flag),
})
export type BoardBody = Static<typeof BoardBody>

export const GamesBody = Type.Object({
  games: Type.Array(
    Type.Object({
      platform,
      appId: AppId,
      name: Type.String({ minLength: 1, maxLength: 200 }),
      dueAtUtc: Type.Optional(Due),
    }),
    { minItems: 1, maxItems: gamesMax },
  ),
})
export type GamesBody = Static<typeof GamesBody>

const Suggestion = Model('PrefillReadySuggestion', {
  platform,
  appId: Text,
  name: Text,
  bytes: LargeInt,
  clients: Int,
})
export type Suggestion = Static<typeof Suggestion>

export const Suggestions = Model('PrefillReadySuggestions', {
  lastEvent: Nullable(
    Type.Object({ name: Text, games: Type.Array(Suggestion) }),
    'Or the event that was asked for',
  ),
  mostUsed: Type.Array(Suggestion),
})
export type Suggestions = Static<typeof Suggestions>
