import pLimit from 'p-limit'
import type { CachedDepot } from '../protocol/apps.ts'
import { wireId } from '../protocol/progress.ts'
import { wireNumber } from '../protocol/wire-json.ts'
import type { CacheClient } from './content/cache-client.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { createMeter } from './content/meter.ts'
import type { Engine } from './engine.ts'
import { isUpToDate } from './run-apps.ts'
import { knownVersions } from './run-request.ts'
import { withClient } from './runs.ts'
import type { DaemonStore } from './store.ts'

interface StatusParts {
  engine: Engine
  store: DaemonStore
  openClient: () => Promise<CacheClient>
}

/** Apps whose sizes are computed at the same time. */
const parallelMax = 5

const byName = (one: { name: string }, other: { name: string }) =>
  one.name.localeCompare(other.name)

/** Data of `get-selected-apps-status`: sizes of what a run would download of these apps. */
export async function selectedAppsStatus(
  { engine, store, openClient }: StatusParts,
  { appIds, systems }: { appIds: readonly string[]; systems: readonly string[] },
  signal: AbortSignal,
): Promise<object> {
  async function sizeOf(appId: string, client: () => Promise<CacheClient>) {
    const about = { downloadSize: 0, isUnsupportedOs: false, unavailableReason: null }
    try {
      const version = await engine.version(appId, signal, systems)
      const { name } = version
      const before = store.prefilled(appId)
      if (before !== null && isUpToDate(version, before.versions)) {
        return { appId, name, ...about, downloadSize: before.bytes, isUpToDate: true }
      }
      const options = { signal, systems, client, meter: createMeter(), preparing: () => {} }
      const { totalBytes, unavailable, problems = [] } = await engine.plan(appId, options)
      if (problems[0] !== undefined) throw new Error(problems[0])
      return {
        appId,
        name,
        downloadSize: unavailable === null ? totalBytes : 0,
        isUpToDate: false,
        isUnsupportedOs: unavailable?.isUnsupportedOs ?? false,
        unavailableReason: unavailable?.reason ?? null,
      }
    } catch (error) {
      signal.throwIfAborted()
      const reason = error instanceof Error ? error.message : 'unknown reason'
      const unavailableReason = `Failed to calculate size: ${reason}`
      return { appId, name: appId, ...about, isUpToDate: false, unavailableReason }
    }
  }
  const turn = pLimit(parallelMax)
  const apps = await withClient(openClient, (client) =>
    Promise.all(appIds.map((appId) => turn(() => sizeOf(appId, client)))),
  )
  const isNumeric = engine.wire.hasNumericIds
  return {
    apps: apps.sort(byName).map((app) => ({ ...app, appId: wireId(app.appId, isNumeric) })),
    totalDownloadSize: apps.reduce((sum, { downloadSize }) => sum + downloadSize, 0),
  }
}

/** Depots of an app whose current manifest is not the known one; 0: none is known. */
function outdatedDepots(versions: readonly string[], depots: readonly CachedDepot[]) {
  const cached = new Map(depots.map(({ depotId, manifestId }) => [depotId, manifestId]))
  return versions.flatMap((version) => {
    const [depotId = '', current = ''] = version.split(':')
    const known = cached.get(depotId) ?? '0'
    if (!/^\d+$/.test(current) || known === current) return []
    return {
      depotId: wireNumber(depotId),
      cachedManifest: wireNumber(known),
      currentManifest: wireNumber(current),
    }
  })
}

/** Data of `check-cache-status`: apps that cannot be judged are left out, with the first reason. */
export async function cacheStatus(
  { engine, store }: Pick<StatusParts, 'engine' | 'store'>,
  { appIds, depots }: { appIds: readonly string[]; depots: readonly CachedDepot[] },
  signal: AbortSignal,
): Promise<object> {
  const known = knownVersions(depots)
  const turn = pLimit(parallelMax)
  let message: string | null = null
  const judge = async (appId: string) => {
    try {
      const version = await engine.version(appId, signal)
      const own = depots.filter((depot) => depot.appId === appId)
      const before = store.prefilled(appId)
      return {
        appId: wireId(appId, engine.wire.hasNumericIds),
        name: version.name,
        isUpToDate: isUpToDate(version, before?.versions, known.get(appId)),
        downloadSize: before?.bytes ?? 0,
        ...(own.length > 0 && { outdatedDepots: outdatedDepots(version.versions, own) }),
      }
    } catch (error) {
      signal.throwIfAborted()
      message ??= `Not every game could be checked: ${errorText(error)}`
      return null
    }
  }
  const ids = [...new Set([...appIds, ...known.keys()])]
  const apps = await Promise.all(ids.map((appId) => turn(() => judge(appId))))
  return { apps: apps.filter((app) => app !== null), message }
}
