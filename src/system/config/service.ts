import { clearingProblem } from '../../core/lib/overlap.ts'
import { type DatasourceFacts, denialOf } from '../../cache/contract.ts'
import type { SystemParts } from '../parts.ts'
import { isAccountHolder, type Caller } from '../../core/caller.ts'
import { within } from '../../core/lib/within.ts'
import type { ReopenAvailability } from '../../engines/proxy/contract.ts'
import type { DatasourceInfo, SystemConfig } from './model.ts'

/** A hanging container engine must not block the page. */
const answerMs = 1000

type Reopening = Pick<ReopenAvailability, 'canReopen' | 'hint'>

async function datasourceInfo(
  { disk, config }: Pick<SystemParts, 'disk' | 'config'>,
  facts: DatasourceFacts,
  { canReopen, hint }: Reopening,
): Promise<DatasourceInfo> {
  const limit = await disk.limit(facts.name)
  const denial = denialOf(facts.name, facts.scheme)
  return {
    name: facts.name,
    cachePath: facts.cachePath,
    logsPath: facts.logPath,
    cacheWritable: facts.canWriteCache,
    logsWritable: facts.canWriteLogs,
    enabled: true,
    cacheSizeOverrideBytes: limit.overrideBytes,
    resolvedCacheSizeBytes: limit.resolvedBytes,
    cacheSizeSource: limit.source,
    schemeOverride: facts.schemeOverride,
    cacheKeyScheme: facts.scheme,
    capabilityDenialReason: denial,
    layout: facts.layout,
    sourceCount: facts.sourceCount,
    canMapLogicalObjects: denial === null,
    canClearWholeCacheRoot: facts.hasCacheFiles && clearingProblem(config, facts) === null,
    nginxReopenAvailable: canReopen,
    nginxReopenHint: hint === 'none' ? null : hint,
  }
}

/** Names and facts of the configured datasources. */
async function datasources(deps: SystemParts): Promise<DatasourceInfo[]> {
  const unknown: Reopening = { canReopen: false, hint: 'none' }
  const [all, reopening] = await Promise.all([
    deps.datasources.all(),
    within<Reopening>(deps.proxy.availability(), answerMs, unknown),
  ])
  return Promise.all(all.map((facts) => datasourceInfo(deps, facts, reopening)))
}
/** Only account holders get paths; signed out, nothing about the machine is revealed. */
export async function systemConfig(deps: SystemParts, caller: Caller): Promise<SystemConfig> {
  const all = await datasources(deps)
  const isSignedIn = caller.kind === 'session'
  const dataSources = isAccountHolder(caller)
    ? all
    : all.map((one) => ({
        ...one,
        cachePath: '',
        logsPath: '',
        cacheWritable: isSignedIn && one.cacheWritable,
        logsWritable: isSignedIn && one.logsWritable,
      }))
  const [first] = dataSources
  return {
    cachePath: first?.cachePath ?? '',
    logsPath: first?.logsPath ?? '',
    dataPath: isAccountHolder(caller) ? deps.config.dataPath : '',
    cacheDeleteMode: deps.settings.get('cache.deleteMode'),
    alphaAuthMode: deps.settings.get('alpha.authMode') ?? 'anonymous',
    timeZone: deps.config.timeZone,
    cacheWritable: first?.cacheWritable ?? false,
    logsWritable: first?.logsWritable ?? false,
    dataSources,
  }
}
