import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { CacheParts } from '../parts.ts'
import type { WalkOutcome } from '../../engines/cache/contract.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { Eviction } from '../eviction/eviction.ts'
import { applyHandNames } from '../../catalogue/contract.ts'
import { usedBytes } from './disk-use.ts'
import type { DescribeTitle } from '../../engines/catalogue/describe.ts'
import { addTitles } from '../../engines/shipper/titles.ts'
import { isInCache, type Found } from './group.ts'
import { readDetected, unlessAway } from './read.ts'

const stage = (name: string) => `signalr.gameDetect.${name}`

/** Updates the index and reports the games in it. Fails when no tree could be walked. */
export async function runDetection(
  deps: CacheParts,
  eviction: Pick<Eviction, 'restoreFound'>,
  {
    context,
    isFull,
    describe,
  }: { context: OperationContext; isFull: boolean; describe: DescribeTitle },
): Promise<OperationResult> {
  const { cache, settings, clock } = deps
  const startedMs = clock.now().getTime()
  const { games: before } = await readDetected(deps, { hasDetails: false })
  context.report({ stageKey: stage(isFull ? 'starting.full' : 'starting.incremental') })
  const walked = await cache.walk(
    { datasource: null, depth: isFull ? 'fingerprints' : 'directories' },
    {
      signal: context.signal,
      progress({ percentComplete, ...facts }) {
        const stageKey = stage('scan.inProgress')
        context.report({ percentComplete: percentComplete * 0.9, stageKey, context: { ...facts } })
      },
    },
  )
  if (context.signal.aborted) return { kind: 'cancelled' }
  // The scheduled run at the start of an installation whose folders are still to be mounted.
  if (walked.length === 0) return { kind: 'skipped', message: 'No cache is configured' }
  const error = failureOf(walked)
  if (error !== null) return { kind: 'failed', error }
  context.report({ percentComplete: 92, stageKey: stage('db.querying') })
  await unlessAway(deps.history, (_db, sql) => applyHandNames(deps.state, sql))
  await restore(eviction, context.signal)
  const { games, services } = await readDetected(deps, { hasDetails: false })
  await unlessAway(deps.history, (_db, sql) => addTitles(sql, unknownTitles(games), describe))
  settings.set('detection.last', {
    at: clock.now().toISOString(),
    tookMs: clock.now().getTime() - startedMs,
    usedBytes: await usedBytes(deps),
  })
  const known = new Set(before.map(nameOf))
  const onDisk = games.filter(({ files }) => files > 0)
  const facts = {
    totalGamesDetected: games.filter(isInCache).length,
    totalServicesDetected: services.filter(isInCache).length,
    newGamesCount: onDisk.filter((game) => !known.has(nameOf(game))).length,
    scanType: isFull ? 'full' : 'incremental',
  }
  const key = completeKey(isFull, facts.newGamesCount)
  return { kind: 'completed', stageKey: stage(key), context: facts, fields: facts }
}

/**
 * Clears the evicted flag of downloads that are back; while the history is away the next run does
 * it.
 */
async function restore(eviction: Pick<Eviction, 'restoreFound'>, signal: AbortSignal) {
  try {
    await eviction.restoreFound(signal)
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error
  }
}

/**
 * Depots that no catalogue knows, with their service. Those without a download have no title in the
 * history yet, which is where catalogues find what they have to name.
 */
const unknownTitles = (games: readonly Found[]) =>
  new Map(
    games
      .filter(({ identity }) => identity.kind === 'alpha' && identity.isUnknown)
      .flatMap(({ titleKeys, service }) => titleKeys.map((key) => [key, service] as const)),
  )

const nameOf = ({ titleKeys }: Found): string => titleKeys[0] ?? ''

/** Why the run failed: every tree did. Null when at least one was walked. */
function failureOf(walked: readonly WalkOutcome[]): string | null {
  if (walked.some(({ state }) => state === 'complete')) return null
  return walked.map(({ datasource, problem }) => `${datasource}: ${problem ?? 'failed'}`).join('; ')
}

function completeKey(isFull: boolean, newGames: number): string {
  if (isFull) return 'complete.full'
  return newGames > 0 ? 'complete.newGames' : 'complete.noNewGames'
}
