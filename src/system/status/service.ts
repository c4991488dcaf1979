import type { Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { SystemParts } from '../parts.ts'
import { StatusCheckResult, type CheckedService } from '../status-check/model.ts'
import { isInContainer } from '../../cache/contract.ts'
import { version } from '../../core/lib/version.ts'
import type { ServiceStatus } from './model.ts'

const startedAt = new Date()

/** The parts that the status is collected from. */
export type StatusParts = 'logs' | 'history' | 'cache' | 'settings' | 'nodes'

type Stored = Pick<SystemParts, 'settings'>

function namesProblem({ settings }: Stored): string | null {
  const lastRun = settings.get('depots.lastRun')
  return lastRun?.outcome === 'failed' ? lastRun.error : null
}

/** What the last check of domains found; null: there was none. */
export function dnsState({ settings }: Stored): Static<typeof ServiceStatus>['dns'] {
  const result = settings.get('statusCheck.lastResult')
  if (!Value.Check(StatusCheckResult, result)) return null
  const isWell = ({ status }: CheckedService) => status === 'resolved' || status === 'disabled'
  const { reachable, cacheIp } = result.heartbeat
  // Where no address is known none was asked, and DNS is what is wrong.
  const cacheAnswers = reachable || cacheIp === null
  const leadsToCache = reachable && result.services.every(isWell)
  return { checkedAtUtc: result.completedAtUtc, cacheAnswers, leadsToCache }
}

function nodesAway({ nodes }: Pick<SystemParts, 'nodes'>) {
  return nodes
    .list()
    .filter(({ state }) => state === 'away' || state === 'refused')
    .map(({ name, since }) => ({ name, sinceUtc: since.toISOString() }))
}

/** Facts about the running service, collected from its parts. */
export async function serviceStatus(
  deps: Pick<SystemParts, StatusParts>,
): Promise<Static<typeof ServiceStatus>> {
  const ingest = deps.logs.status()
  const history = deps.history.status()
  // An engine that failed to start has no positions; its state says why.
  const positions = ingest.state.startsWith('storage_') ? [] : await deps.logs.positions()
  const away = nodesAway(deps)
  const datasources = positions.map((source) => ({
    name: source.datasource,
    logPath: source.logPath,
    // It is reported once, with its node.
    problem: source.problem === 'node_away' ? ('none' as const) : source.problem,
    message: source.missingSourcesMessage,
    backlogBytes: source.backlogBytes,
    lastRunTerminalStatus: source.lastRunTerminalStatus,
  }))
  const isReading = ingest.state === 'reading' || ingest.state === 'following'
  const isHealthy =
    isReading &&
    !ingest.outbox.isStuck &&
    history.state === 'ready' &&
    datasources.every(({ problem }) => problem === 'none') &&
    away.length === 0
  return {
    version,
    isInContainer: isInContainer(),
    startedAt: startedAt.toISOString(),
    isHealthy,
    ingest,
    history: { ...history, since: history.since.toISOString() },
    cacheIndex: { damagedCopy: deps.cache.damagedCopy() },
    datasources,
    nodesAway: away,
    names: { problem: namesProblem(deps) },
    dns: dnsState(deps),
  }
}
