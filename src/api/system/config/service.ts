import { access, constants } from 'node:fs/promises'
import type { DatasourceConfig } from '../../../config.ts'
import type { RouteDeps } from '../../../deps.ts'
import type { SourcePositions } from '../../../engines/logs/contract.ts'
import { isAccountHolder, type Caller } from '../../../http/access.ts'
import { within } from '../../../lib/within.ts'
import type { DatasourceInfo, SystemConfig } from './model.ts'

/** A hanging network share must not hang the page. */
const answerMs = 1000

/** Asked of the system, never tried: nothing of ours is written below a cache root. */
const isWritable = (path: string): Promise<boolean> =>
  within(
    access(path, constants.W_OK).then(() => true),
    answerMs,
    false,
  )

async function datasourceInfo(
  source: DatasourceConfig,
  known: SourcePositions | undefined,
): Promise<DatasourceInfo> {
  const [cacheWritable, logsWritable] = await Promise.all([
    isWritable(source.cachePath),
    isWritable(source.logPath),
  ])
  return {
    name: source.name,
    cachePath: source.cachePath,
    logsPath: source.logPath,
    cacheWritable,
    logsWritable,
    enabled: true,
    cacheSizeOverrideBytes: null,
    resolvedCacheSizeBytes: 0,
    cacheSizeSource: 'fullDisk',
    schemeOverride: source.schemeOverride,
    cacheKeyScheme: source.schemeOverride === 'auto' ? 'unknown' : source.schemeOverride,
    capabilityDenialReason: null,
    layout: known?.layout ?? 'monolithic',
    sourceCount: known?.sourceCount ?? 0,
    canMapLogicalObjects: known?.layout !== 'mixed',
    canClearWholeCacheRoot: true,
    nginxReopenAvailable: false,
    nginxReopenHint: null,
  }
}

/** Names and facts of the datasources that the configuration lists. */
async function datasources({ config, logs }: RouteDeps): Promise<DatasourceInfo[]> {
  const positions = await within(logs.positions(), answerMs, [])
  const known = new Map(positions.map((source) => [source.datasource, source]))
  return Promise.all(config.datasources.map((one) => datasourceInfo(one, known.get(one.name))))
}

/** Only account holders learn where things lie; signed out, nothing about the machine is told. */
export async function systemConfig(deps: RouteDeps, caller: Caller): Promise<SystemConfig> {
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
