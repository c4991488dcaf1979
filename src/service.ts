import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory } from '../db/history/create.ts'
import type { History } from '../db/history/history.ts'
import { checkHot } from '../db/hot/open.ts'
import { openState } from '../db/state/open.ts'
import { createAccessControl } from './access/control.ts'
import { connectTagging } from './downloads/events/tagging.ts'
import { shownSpeeds } from './clients/exclusions/speeds.ts'
import { createApp } from './app.ts'
import type { Config } from './core/config.ts'
import { lockDataFolder } from './core/process/data-lock.ts'
import type { Deps } from './deps.ts'
import { keepIndexFresh } from './cache/size/schedule.ts'
import { createDatasources } from './cache/datasources/create.ts'
import { watchPermissions } from './cache/datasources/watch.ts'
import { createDisk } from './cache/disk/create.ts'
import { createAlphaLogin } from './engines/alpha-login/facade.ts'
import { createCacheEngine } from './engines/cache/facade.ts'
import { rootOf } from './engines/cache/index/roots.ts'
import { createDiskEngine } from './engines/disk/facade.ts'
import { createLogScan } from './engines/log-scan/facade.ts'
import { createLogEngine } from './engines/logs/facade.ts'
import type { PeerSource } from './core/http/remote-address.ts'
import { systemClock, type Clock } from './core/lib/clock.ts'
import type { Logger } from './core/lib/log.ts'
import { sealerAt } from './core/lib/seal.ts'
import { listen } from './core/process/listen.ts'
import { connectFeeds } from './downloads/speeds/feeds.ts'
import { createHub } from './core/live/hub.ts'
import { createNames } from './clients/host-names/create.ts'
import { createOperations } from './core/operations/registry.ts'
import { createAlphaWebApi } from './catalogue/alpha/web-api/client.ts'
import { connectLogReopening } from './cache/proxy/connect.ts'
import { createProxyControl } from './cache/proxy/create.ts'
import { createSchedules } from './core/schedules/create.ts'
import { createCredentials } from './core/secrets/credentials.ts'
import { createSettings, type Settings } from './core/settings/settings.ts'

export interface Overrides {
  history?: History
  clock?: Clock
}

function createAlpha(config: Config, log: Logger): Deps['alpha'] {
  const webApi = createAlphaWebApi({ baseUrl: config.alpha.webApiBaseUrl })
  return { webApi, login: createAlphaLogin({ config, log }) }
}

/** What is known of the caches' folders and disks; one worker reads for both. */
function createCaches(parts: Pick<Deps, 'config' | 'log' | 'clock' | 'settings'>) {
  const engine = createDiskEngine(parts)
  const all = { ...parts, engine }
  const logScan = createLogScan(parts.log)
  const datasources = createDatasources(all)
  const cache = createCacheEngine({
    dataPath: parts.config.dataPath,
    log: parts.log,
    roots: async () => (await datasources.all()).map(rootOf),
  })
  return { datasources, disk: createDisk(all), logScan, cache }
}

/** Names this data folder to the history for good. */
function installationOf(settings: Settings): string {
  const known = settings.get('installation.id')
  if (known !== null) return known
  const made = crypto.randomUUID()
  settings.set('installation.id', made)
  return made
}

/** Puts the parts together without starting any of them; tests do the same with their own parts. */
export async function assemble(config: Config, log: Logger, overrides: Overrides = {}) {
  mkdirSync(config.dataPath, { recursive: true })
  const clock = overrides.clock ?? systemClock
  const state = openState(config.dataPath)
  checkHot(config.dataPath, 'small')
  const settings = createSettings(state, clock)
  const hub = createHub({ log, clock })
  const operations = createOperations({ state, clock, log, hub })
  const history = overrides.history ?? createHistory(config, log)
  const logs = createLogEngine(config, log, installationOf(settings))
  const sealer = sealerAt(join(config.dataPath, 'security', 'seal.key'))
  const credentials = createCredentials(state, sealer, clock)
  const alpha = createAlpha(config, log)
  const own = { config, log, clock, state, settings, credentials }
  const names = createNames({ config, clock, settings, hub })
  const schedules = createSchedules({ state, settings, clock, log })
  const caches = createCaches(own)
  const proxy = createProxyControl({ config, clock, log })
  const shared = { operations, hub, names, schedules, proxy }
  const deps: Deps = { ...own, ...caches, ...shared, alpha, history, logs }
  const control = createAccessControl(deps)
  const parts = await createApp(deps, control)
  return { ...parts, deps, control, key: control.installationKey() }
}

export interface Service {
  /** Base address on this machine, without a trailing slash. */
  url: string
  port: number
  deps: Deps
  /** Stops taking requests, then engines, then databases; nothing is left running afterwards. */
  stop(): Promise<void>
}

/** The history tells the log engine when rows can be shipped, and again after every outage. */
function feedHistory({ history, logs }: Deps): void {
  const announce = () => {
    if (history.status().state === 'ready') logs.historyReady(history.connection())
  }
  history.onStatus(announce)
  announce()
}

/**
 * Starts the whole service. The HTTP side answers first; the history database and the log engine
 * come up behind it and report their state, so that a slow disk never looks like a dead service.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const startedMs = performance.now()
  const phase = (name: string) =>
    log.info({ phase: name, afterMs: Math.round(performance.now() - startedMs) }, 'start')
  const unlock = lockDataFolder(config.dataPath)
  const { app, deps, control } = await assemble(config, log)
  phase('state')
  const interrupted = deps.operations.recover()
  if (interrupted > 0) log.warn({ interrupted }, 'operations of the last run were interrupted')
  const attach = (server: PeerSource) => control.attachServer(server)
  const listening = listen(app, { config, log, attach })
  phase('http')
  connectFeeds(deps, { shown: (speeds) => shownSpeeds(deps.state, speeds) })
  connectTagging(deps)
  connectLogReopening(deps)
  feedHistory(deps)
  deps.history.start()
  await deps.logs.start()
  phase('logs')
  await deps.cache.start()
  const stopRefreshing = keepIndexFresh(deps)
  phase('cache')
  const stopWatching = watchPermissions(deps)
  deps.schedules.start()
  const { port } = listening
  log.info({ port, datasources: config.datasources.map(({ name }) => name) }, 'Larder is up')

  async function stop(): Promise<void> {
    log.info('stopping')
    deps.schedules.stop()
    stopRefreshing()
    stopWatching()
    deps.disk.stop()
    deps.alpha.login.cancel()
    await deps.operations.stop()
    deps.logScan.stop()
    deps.hub.stop()
    await listening.stop()
    await Promise.all([deps.logs.stop(), deps.cache.stop()])
    await deps.history.stop()
    deps.state.close()
    unlock()
    log.info('stopped')
  }
  const scheme = config.tls === null ? 'http' : 'https'
  return { url: `${scheme}://127.0.0.1:${port}`, port, deps, stop }
}
