import { ne, sql } from 'drizzle-orm'
import {
  betaGame,
  betaPattern,
  clientDevice,
  clientGroup,
  epsilonFragment,
  epsilonGame,
  mappingEtag,
  preference,
  prefillBan,
  prefillDepot,
  prefillHistory,
  prefillSession,
  titleName,
} from '../../../db/state/schema/index.ts'
import { deleteParties } from '../../../db/state/parties.ts'
import { deleteLinks } from '../../../db/state/share-links.ts'
import type { SystemParts } from '../parts.ts'

/** Table names of the API. Larder stores the same facts in other tables. */
export const resetTables = [
  'UserSessions',
  'UserPreferences',
  'LogEntries',
  'Downloads',
  'ClientStats',
  'ServiceStats',
  'AlphaDepotMappings',
  'BetaGameMappings',
  'BetaCdnPatterns',
  'EpsilonGameMappings',
  'EpsilonCdnPatterns',
  'CachedGameDetections',
  'CachedServiceDetections',
  'CachedCorruptionDetections',
  'CachedCorruptionScans',
  'ClientGroups',
  'Events',
  'EventDownloads',
  'PrefillSessions',
  'PrefillHistoryEntries',
  'PrefillCachedDepots',
  'BannedPrefillUsers',
  'CacheSnapshots',
] as const
export type ResetTable = (typeof resetTables)[number]

/** What a reset clears. `isWhole`: also what no table of the API stands for. */
export interface ResetPlan {
  tables: ResetTable[]
  isWhole: boolean
}

/** Clears one or more tables; repeating it changes nothing. Returns how many files it deleted. */
export interface ResetStep {
  tables: readonly ResetTable[]
  /** Last part of its stage key. */
  stage: string
  run(plan: ResetPlan): number | void | Promise<number | void>
}

export type ResetParts = Pick<
  SystemParts,
  | 'logs'
  | 'cache'
  | 'catalogue'
  | 'clearImages'
  | 'clock'
  | 'endSessions'
  | 'games'
  | 'history'
  | 'hub'
  | 'settings'
  | 'state'
>

const cleared = ({ clock }: ResetParts, message: string) => ({
  message,
  timestamp: clock.now().toISOString(),
})

/** Takes the names of a platform's games off its downloads. */
const forgetNames = ({ history }: ResetParts, platform: 'alpha' | 'beta' | 'epsilon') =>
  history.read(
    (_db, query) => query`
      update titles set game_name = null, game_app_id = null, beta_app_id = null,
        epsilon_product_id = null, image_url = null, updated_at = now()
      where platform = ${platform}`,
  )

/** Downloads with their counters and sums: one set of facts in Larder, none can be cleared alone. */
export const countedTables: readonly ResetTable[] = [
  'LogEntries',
  'Downloads',
  'ClientStats',
  'ServiceStats',
]

const countedStep = ({ logs, settings }: ResetParts): ResetStep => ({
  tables: countedTables,
  stage: 'clearedDownloads',
  async run({ tables, isWhole }) {
    await logs.emptyHistory({
      startAt: tables.includes('LogEntries') ? 'beginning' : 'end',
      forgetsTitles: isWhole,
    })
    settings.set('history.keptSince', null)
  },
})

function mappingSteps(parts: ResetParts): ResetStep[] {
  const { catalogue, settings, state } = parts
  return [
    {
      tables: ['AlphaDepotMappings'],
      stage: 'clearedDepotMappings',
      async run() {
        await catalogue.forget()
        settings.set('depots.isLoaded', false)
        await forgetNames(parts, 'alpha')
      },
    },
    {
      tables: ['BetaGameMappings', 'BetaCdnPatterns'],
      stage: 'clearedTable',
      async run() {
        // The launcher is built in.
        state.db.delete(betaGame).where(ne(betaGame.source, 'system')).run()
        state.db.delete(betaPattern).where(ne(betaPattern.host, '')).run()
        state.db.delete(mappingEtag).run()
        await forgetNames(parts, 'beta')
      },
    },
    {
      tables: ['EpsilonGameMappings', 'EpsilonCdnPatterns'],
      stage: 'clearedTable',
      async run() {
        state.db.delete(epsilonGame).run()
        state.db.delete(epsilonFragment).run()
        state.db.delete(mappingEtag).run()
        await forgetNames(parts, 'epsilon')
      },
    },
  ]
}

function cacheSteps({ cache, games, history, settings }: ResetParts): ResetStep[] {
  return [
    {
      tables: ['CachedGameDetections', 'CachedServiceDetections'],
      stage: 'clearedGameDetections',
      run() {
        settings.set('detection.last', null)
        games.forget()
      },
    },
    {
      tables: ['CachedCorruptionDetections', 'CachedCorruptionScans'],
      stage: 'clearedTable',
      run: () => cache.corruption.clearScans(),
    },
    {
      tables: ['CacheSnapshots'],
      stage: 'clearedTable',
      async run() {
        await history.read((_db, query) => query`truncate cache_snapshots`)
      },
    },
  ]
}

/** Sessions that run keep their rows, and so does the game that they download. */
function prefillSteps({ state: { db } }: ResetParts): ResetStep[] {
  const step = (table: ResetTable, run: () => void): ResetStep => ({
    tables: [table],
    stage: 'clearedTable',
    run,
  })
  return [
    step('PrefillHistoryEntries', () => {
      db.delete(prefillHistory).where(ne(prefillHistory.status, 'InProgress')).run()
    }),
    step('PrefillSessions', () => {
      db.delete(prefillSession).where(ne(prefillSession.status, 'Active')).run()
    }),
    step('PrefillCachedDepots', () => {
      db.delete(prefillDepot).run()
    }),
    step('BannedPrefillUsers', () => {
      db.delete(prefillBan).run()
    }),
  ]
}

/** All steps in their order. Sessions end first, so that nobody works on what is being cleared. */
export function resetSteps(parts: ResetParts): ResetStep[] {
  const { clearImages, endSessions, history, hub, state } = parts
  return [
    { tables: ['UserSessions'], stage: 'clearedUserSessions', run: () => endSessions() },
    {
      tables: ['UserPreferences'],
      stage: 'clearedUserPreferences',
      run() {
        state.db.delete(preference).run()
        hub.publish('UserPreferencesReset', cleared(parts, 'All preferences were reset'))
      },
    },
    countedStep(parts),
    {
      tables: ['Events', 'EventDownloads'],
      stage: 'clearedTable',
      async run({ tables }) {
        await history.read((_db, query) =>
          tables.includes('Events')
            ? query`truncate events, event_downloads`
            : query`truncate event_downloads`,
        )
        if (tables.includes('Events')) {
          deleteLinks(state)
          deleteParties(state)
        }
        hub.publish('EventsCleared', cleared(parts, 'All events were deleted'))
      },
    },
    ...mappingSteps(parts),
    ...cacheSteps(parts),
    {
      tables: ['ClientGroups'],
      stage: 'clearedTable',
      run() {
        state.db.delete(clientGroup).run()
        state.db.delete(clientDevice).run()
        hub.publish('ClientGroupsCleared', cleared(parts, 'All client groups were deleted'))
      },
    },
    ...prefillSteps(parts),
    {
      tables: [],
      stage: 'cleanup',
      run({ isWhole }) {
        if (!isWhole) return 0
        state.db.run(sql`delete from ${titleName}`)
        return clearImages()
      },
    },
  ]
}
