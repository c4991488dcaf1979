import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, stringUnion, Text, Utc } from '../core/lib/schema.ts'
import { accounts, everyone } from '../core/live/events.ts'
import { jobEvents } from '../core/operations/events.ts'

const foundGames = {
  totalGames: Int,
  newGames: Int,
  updatedGames: Int,
  lastUpdatedUtc: Nullable(Utc),
  source: Text,
}

/** Events of this group. */
export const catalogueEvents = {
  ...jobEvents(
    'DepotMapping',
    'BetaMapping',
    'GammaMapping',
    'DeltaMapping',
    'EpsilonMapping',
    'GameImageFetch',
  ),
  GameImagesUpdated: everyone(
    Type.Object({
      newAlphaImages: Int,
      newBetaImages: Int,
      newNameKeyedImages: Int,
      cacheGeneration: Int,
    }),
  ),
  BetaGameMappingsUpdated: accounts(Type.Object(foundGames)),
  EpsilonGameMappingsUpdated: accounts(Type.Object(foundGames)),
  EpsilonMappingAuthStateChanged: accounts(
    Type.Object({
      operationId: Text,
      status: Text,
      stageKey: Text,
      message: Nullable(Text),
      error: Nullable(Text),
    }),
  ),
  AlphaSessionError: accounts(
    Type.Object({
      errorType: stringUnion(['refused', 'unreachable']),
      stageKey: Text,
      context: Type.Object({
        result: Type.Optional(Text),
        maxAttempts: Type.Optional(Int),
      }),
      result: Nullable(Type.String({ description: 'Name of the result that Steam sent' })),
      extendedResult: Nullable(Int),
      timestamp: Utc,
      wasRebuildActive: Flag,
    }),
  ),
  AlphaAutoLogout: accounts(
    Type.Object({
      message: Text,
      reason: Type.String({ description: 'Name of the result that Steam sent' }),
      replacementCount: Int,
      timestamp: Utc,
    }),
  ),
  AutomaticScanSkipped: accounts(
    Type.Object({
      stageKey: Text,
      context: Type.Object({ changeGap: Int, estimatedAppsToScan: Int }),
      timestamp: Utc,
    }),
  ),
}
