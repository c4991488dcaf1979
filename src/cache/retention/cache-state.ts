import type { Sql } from 'postgres'
import type { CacheParts } from '../parts.ts'
import type { Found } from '../detection/group.ts'
import { readDetected, unlessAway } from '../detection/read.ts'
import type { CacheContent, RootState } from '../../engines/cache/contract.ts'
import type { Phrase } from '../../core/lib/phrases.ts'
import { emptyRecord } from '../../core/lib/record.ts'
import { gameKey } from '../../catalogue/contract.ts'
import { skipReason } from './skip-reasons.ts'
import type { CacheState, DiskFacts, GameName, StoredGame } from './rule.ts'

/** Newest client downloads by title; prefills and downloads without bytes do not count as use. */
const readUse = (sql: Sql, titleKeys: string[]) => sql<{ titleKey: string; lastAt: number }[]>`
  SELECT title_key AS "titleKey", extract(epoch FROM max(last_at))::float8 AS "lastAt"
  FROM download_groups
  WHERE span_days = 0 AND NOT is_prefill AND kind <> 0 AND title_key = ANY(${titleKeys}::text[])
  GROUP BY 1`

/**
 * The games of depots by the keys that these had while their games were unknown: pins and rules of
 * them follow.
 */
export function gamesOfDepots(games: readonly Found[]): Map<string, GameName> {
  const names = games.flatMap(({ identity, depotIds }) =>
    identity.kind === 'service'
      ? []
      : [{ gameKey: gameKey(identity), name: identity.name, depotIds }],
  )
  const own = new Set(names.map((game) => game.gameKey))
  return new Map(
    names.flatMap(({ depotIds, ...game }) =>
      depotIds
        .map((depot) => `alpha:${depot}`)
        .filter((key) => !own.has(key))
        .map((key) => [key, game] as const),
    ),
  )
}

/** Why a tree's index cannot be judged; null when it is complete. */
export function silence({ datasource, state, problem, walkedAt, files }: RootState): Phrase | null {
  if (state === 'failed' && problem === null) return skipReason('treeUnreadable', { datasource })
  if (state === 'failed') return skipReason('treeFailed', { datasource, problem: problem ?? '' })
  if (walkedAt === null || state === 'new') return skipReason('treeNotRead', { datasource })
  if (files === 0) return skipReason('treeEmpty', { datasource })
  return null
}

async function disksOf({ config, disk }: CacheParts): Promise<DiskFacts[]> {
  const disks = new Map<string, DiskFacts>()
  for (const { name } of config.datasources) {
    const { state, mountPoint, freeBytes } = await disk.space(name)
    const isKnown = state === 'ok'
    const key = isKnown ? mountPoint : `?${name}`
    const known = disks.get(key)
    if (known !== undefined) known.datasources.push(name)
    else {
      const facts = { name: isKnown ? mountPoint : name, freeBytes: isKnown ? freeBytes : null }
      disks.set(key, { ...facts, datasources: [name] })
    }
  }
  return [...disks.values()]
}

/**
 * The data that rules use. A phrase if no rule may be evaluated: while the history is away,
 * grouping of depots, pins and use are unknown; while the clock is doubted, every age is.
 */
export async function readCacheState(deps: CacheParts): Promise<CacheState | Phrase> {
  const { cache, history, clock, schedules } = deps
  if (!schedules.trustsClock()) return skipReason('clockDoubted')
  const contents = await cache.contents()
  const titleKeys = [...new Set(contents.map(({ titleKey }) => titleKey))]
  const use = await unlessAway(history, (_db, sql) => readUse(sql, titleKeys))
  const roots = await cache.roots()
  const { games, services } = await readDetected(deps, { hasDetails: false })
  if (use === null || history.status().state !== 'ready') return skipReason('historyAway')
  const byId = new Map(contents.map((content) => [content.id, content]))
  const usedAt = new Map(use.map(({ titleKey, lastAt }) => [titleKey, Math.floor(lastAt)]))
  const serviceBytes = emptyRecord<number>()
  for (const { service, bytes } of [...games, ...services]) {
    const name = service.toLowerCase()
    serviceBytes[name] = (serviceBytes[name] ?? 0) + bytes
  }
  const silent = emptyRecord<Phrase>()
  for (const root of roots) {
    const reason = silence(root)
    if (reason !== null) silent[root.datasource] = reason
  }
  return {
    nowS: Math.floor(clock.now().getTime() / 1000),
    games: games.flatMap((found): StoredGame[] => {
      const own = found.contentIds.flatMap((id) => byId.get(id) ?? [])
      if (own.length === 0 || found.identity.kind === 'service') return []
      const { identity, service, files, bytes, datasources } = found
      const facts = { key: gameKey(identity), name: identity.name, service, files, bytes }
      return [{ ...facts, datasources, ...timesOf(own, found.titleKeys, usedAt) }]
    }),
    ofDepots: gamesOfDepots(games),
    serviceBytes,
    disks: await disksOf(deps),
    silent,
  }
}

function timesOf(own: CacheContent[], titleKeys: string[], usedAt: Map<string, number>) {
  const bytesOn = emptyRecord<number>()
  for (const { datasource, bytes } of own) bytesOn[datasource] = (bytesOn[datasource] ?? 0) + bytes
  const lastStoredAt = Math.max(...own.map((content) => content.lastStoredAt))
  const lastUsedAt = Math.max(lastStoredAt, ...titleKeys.map((key) => usedAt.get(key) ?? 0))
  return { bytesOn, lastStoredAt, lastUsedAt }
}
