import { resolve } from 'node:path'
import { checkHot } from '../db/hot/open.ts'
import { updateStores } from '../db/update-stores.ts'
import { createAccessControl } from './access/control.ts'
import { createPrefillUsers } from './access/guest/prefill-users.ts'
import { createAccessGroup } from './access/index.ts'
import { createApp, events, settingRules } from './app.ts'
import { createDatasources } from './cache/datasources/create.ts'
import { withDiscovered } from './cache/datasources/discover.ts'
import { NodeRegistry } from './cache/datasources/node-hosts.ts'
import { rootOf } from './cache/datasources/roots.ts'
import { createDisk } from './cache/disk/create.ts'
import { createCacheGroup } from './cache/index.ts'
import { createProxyControl } from './cache/proxy/create.ts'
import { joinProxies } from './engines/proxy/joined.ts'
import { createAlphaWebApi } from './catalogue/alpha/web-api/client.ts'
import { createAppLists } from './catalogue/alpha/web-api/lists.ts'
import { createCatalogueGroup } from './catalogue/index.ts'
import { catalogueOwners } from './catalogue/titles/catalogue-owners.ts'
import { createDevices } from './clients/devices/service.ts'
import { createNames } from './clients/host-names/create.ts'
import { createClientsGroup } from './clients/index.ts'
import type { Caller } from './core/caller.ts'
import type { Config } from './core/config.ts'
import type { Core } from './core/core.ts'
import { createCore, type CoreReplacements } from './core/create.ts'
import type { PeerSource } from './core/http/remote-address.ts'
import type { Logger } from './core/lib/log.ts'
import { platformEnvironment } from './core/lib/platform-addresses.ts'
import { systemTimers } from './core/lib/timers.ts'
import { createOutside, type OutsideOptions } from './core/lib/outside.ts'
import { lockDataFolder } from './core/process/data-lock.ts'
import { RestoreUnderWay, serveDiagnosis } from './core/process/diagnosis.ts'
import { requireState } from './core/process/lost-state.ts'
import { listen } from './core/process/listen.ts'
import { installationOf, wasSetUp } from './core/settings/installation.ts'
import { createDashboardGroup } from './dashboard/index.ts'
import { createDownloadsGroup } from './downloads/index.ts'
import { createAlphaLogin } from './engines/alpha-login/facade.ts'
import { createBackupEngine } from './engines/backup/facade.ts'
import { createCacheEngine } from './engines/cache/facade.ts'
import { joinCaches } from './engines/cache/joined.ts'
import type { CatalogueEngine } from './engines/catalogue/contract.ts'
import { createCatalogueEngine } from './engines/catalogue/facade.ts'
import { createDiskEngine, type DiskEngine } from './engines/disk/facade.ts'
import { joinDisks } from './engines/disk/joined.ts'
import { createLogScan } from './engines/log-scan/facade.ts'
import { joinLogScans } from './engines/log-scan/joined.ts'
import type { LogEngine } from './engines/logs/contract.ts'
import { createLogEngine } from './engines/logs/facade.ts'
import { joinLogs } from './engines/logs/joined.ts'
import { awayTextOf } from './engines/remote/hosts.ts'
import { createCacheAddress } from './prefill/cache-address/find.ts'
import { createNodesGroup } from './nodes/index.ts'
import { createPartyGroup } from './party/index.ts'
import { createPrefillGroup } from './prefill/index.ts'
import { createConnectDaemon } from './prefill/transports/connection.ts'
import { createContainerTransport } from './prefill/transports/container/transport.ts'
import { createTransports } from './prefill/transports/create.ts'
import { applyRestore, dropUnfinished, isStaged } from './system/backup/apply.ts'
import { keepBeforeUpdate, snapshotBeforeUpdate } from './system/backup/before-update.ts'
import { createSystemGroup } from './system/index.ts'
import type { Connections } from './system/status-check/service.ts'
import { programScript } from './core/lib/program-files.ts'

/** Parts that tests put in the place of the usual ones. */
export interface Replacements extends CoreReplacements {
  logs?: LogEngine
  catalogue?: CatalogueEngine
  outside?: OutsideOptions
  connections?: Connections
  /** Stands before the engine that asks file systems. */
  disk?: (engine: DiskEngine) => DiskEngine
  /** Own daemons of prefill with this origin of practice instead of the platforms. */
  practiceOrigin?: string
  /** Stops the service and starts it again; without it a restore waits for the next start. */
  restart?: () => void
}

/** Between two requests to one host on the internet. */
const outsideGapMs = 100

/** The workers, and what stands directly on them. Throws DamagedStore. */
function createEngines(core: Core, replaced: Replacements) {
  const { config, log, settings } = core
  // Threads run in real time, also where the timers of the service are others.
  const real = { ...core, timers: systemTimers }
  checkHot(config.dataPath, 'small')
  const installation = { id: installationOf(settings), isSetUp: () => wasSetUp(settings) }
  // Engines of this machine keep to its own datasources.
  const own = config.datasources.map(({ name }) => name)
  const rootsOf = async (names: readonly string[]) =>
    (await Promise.all(names.map((name) => datasources.facts(name)))).map(rootOf)
  const nodeHosts = new NodeRegistry({ ...core, roots: rootsOf })
  const asked = joinDisks(createDiskEngine(real), nodeHosts)
  const disk = replaced.disk?.(asked) ?? asked
  const datasources = createDatasources({
    ...core,
    engine: disk,
    awayText: (name) => awayTextOf(nodeHosts, name),
  })
  const local = { ...config, datasources: [...config.datasources] }
  const logs = replaced.logs ?? createLogEngine(local, log, installation)
  const cache = createCacheEngine({
    dataPath: config.dataPath,
    log,
    roots: () => rootsOf(own),
  })
  const ownProxy = createProxyControl({ ...core, config: local })
  return {
    datasources,
    nodeHosts,
    ownProxy,
    proxy: joinProxies(ownProxy, nodeHosts, own.length > 0),
    disk: createDisk({ ...core, engine: disk }),
    logs: joinLogs(logs, nodeHosts),
    logScan: joinLogScans(createLogScan(log), nodeHosts),
    cache: joinCaches(cache, nodeHosts),
    catalogue: replaced.catalogue ?? createCatalogueEngine({ dataPath: config.dataPath, log }),
    login: createAlphaLogin(real),
    backup: createBackupEngine(log),
  }
}

/** How daemons of prefill are run and reached. */
function createDaemons(core: Core, { practiceOrigin }: Replacements) {
  const { config, settings } = core
  const findCache = createCacheAddress(core)
  const installation = installationOf(settings)
  const container = createContainerTransport({ ...core, installation, findCache })
  const transports = createTransports({
    ...core,
    container,
    findCache,
    program: programScript('prefill/daemon/main'),
    environment: {
      ...platformEnvironment(config),
      ...(config.authoritiesPath !== null && {
        NODE_EXTRA_CA_CERTS: resolve(config.authoritiesPath),
      }),
      ...(practiceOrigin !== undefined && { PREFILL_PRACTICE_ORIGIN: practiceOrigin }),
    },
    cachePort: config.cacheNetwork.address?.port ?? 80,
  })
  return { transports, connect: createConnectDaemon(core) }
}

/** Builds all parts of the service and connects them; starts none of them. */
export function assemble(configured: Config, log: Logger, replaced: Replacements = {}) {
  const config = withDiscovered(configured)
  const core = createCore({ config, log, events, settingRules }, replaced)
  const engines = createEngines(core, replaced)
  const webApi = createAlphaWebApi({ baseUrl: config.alpha.webApiBaseUrl })
  const names = createNames(core)
  const devices = createDevices({ ...core, names })
  const control = createAccessControl(core)
  const outside = createOutside({ gapMs: outsideGapMs, ...replaced.outside })
  const searchNames = () => catalogue.searchNames()
  const hasEvent = (id: string) => downloads.hasEvent(id)
  const lists = createAppLists({ ...core, webApi })
  const alpha = { webApi, lists, login: engines.login, searchNames }
  const nodes = createNodesGroup({ ...core, control })
  const ownersOf = catalogueOwners(config.dataPath)
  const parts = {
    ...core,
    ...engines,
    names,
    devices,
    control,
    alpha,
    ownersOf,
    outside,
    hasEvent,
    nodes: nodes.nodes,
  }

  const access = createAccessGroup(parts)
  const catalogue = createCatalogueGroup(parts)
  const clients = createClientsGroup(parts)
  const downloads = createDownloadsGroup(parts)
  const cache = createCacheGroup({ ...parts, reports: downloads.reports })
  const systemParts = {
    ...parts,
    ...downloads,
    ...cache,
    checkKey: (request: Request) => control.keys.check(request, { bearer: true }),
    hasAccount: () => control.accounts.exists(),
    hasExpiredLogin: () => access.hasExpiredLogin(),
    endSessions() {
      control.endEverySession('databaseWiped')
      access.forgetSignIn()
    },
    restart: replaced.restart ?? (() => log.warn('restart the service to restore the snapshot')),
    noteBackup: (event: 'BackupDownloaded' | 'RestoreStarted', actor: Caller) =>
      control.audit.note(event, { actor }),
    clearImages: () => catalogue.discardImages(),
    noteReopened: (actor: Caller) => control.audit.note('SetupReopened', { actor }),
    readDataCap: () => dashboard.readDataCap(),
  }
  const system = createSystemGroup(systemParts, replaced.connections)
  const users = createPrefillUsers(parts)
  const gameFacts = { ...downloads.demand, stock: () => cache.stock.read() }
  const daemons = createDaemons(core, replaced)
  const dashboard = createDashboardGroup({ ...parts, ...downloads, ...cache })
  const { readDataCap } = dashboard
  const prefill = createPrefillGroup({ ...parts, ...daemons, users, gameFacts, readDataCap })
  const party = createPartyGroup({
    ...parts,
    ...downloads,
    usedSince: downloads.demand.usedSince,
    prefillGames: () => prefill.knownGames(),
  })
  const others = { access, catalogue, clients, downloads, cache, system, prefill, dashboard, party }
  const groups = { ...others, nodes }
  connectNews(groups, parts)
  const web = createApp(core, groups, control)
  return { ...web, groups, parts, key: control.installationKey() }
}

type Assembled = ReturnType<typeof assemble>

/** What one group learns, told to those that depend on it. */
function connectNews(
  { catalogue, downloads, cache, system, prefill }: Assembled['groups'],
  { control, nodeHosts, nodes, logs }: Assembled['parts'],
): void {
  nodeHosts.attach(nodes, logs)
  catalogue.onNames(() => {
    downloads.reports.dropAll()
    cache.games.forget()
  })
  control.onKeyRotated(() => {
    system.revokeTokens()
    downloads.closeFeed()
  })
  catalogue.onSignInLost((platform) => system.signInLost(platform))
  prefill.onReadyNews((news) => system.readyNews(news))
}

/** Subscribes the groups to the parts they stand on; the clock starts later, with the schedules. */
export function startGroups(groups: Assembled['groups']): void {
  const { access, catalogue, downloads, cache, system, prefill, dashboard, nodes } = groups
  for (const group of [access, catalogue, downloads, cache, system, prefill, dashboard, nodes]) {
    group.start()
  }
}

export interface Service {
  /** Base address on this machine, without a trailing slash. */
  url: string
  port: number
  parts: Assembled['parts']
  /** Stops taking requests, then engines, then databases; nothing is left running afterwards. */
  stop(): Promise<void>
}

/** The history tells the log engine when rows can be shipped, and again after every outage. */
function feedHistory({ history, logs }: Assembled['parts']): void {
  const announce = () => {
    if (history.status().state === 'ready') logs.historyReady(history.connection())
  }
  history.onStatus(announce)
  announce()
}

/** Before anything uses the data folder. Meanwhile every request is told why it has to wait. */
async function restoreStaged(config: Config, log: Logger): Promise<void> {
  dropUnfinished(config.dataPath)
  if (!isStaged(config.dataPath)) return
  const closeNotice = serveDiagnosis(config, new RestoreUnderWay())
  try {
    await applyRestore(config, log)
  } finally {
    await closeNotice()
  }
}

/**
 * Starts the whole service. The HTTP side answers first; the history database and the log engine
 * come up behind it and report their state, so that a slow disk never looks like a dead service.
 */
export async function startService(
  config: Config,
  log: Logger,
  replaced: Replacements = {},
): Promise<Service> {
  const startedMs = performance.now()
  const phase = (name: string) =>
    log.info({ phase: name, afterMs: Math.round(performance.now() - startedMs) }, 'start')
  if (!isStaged(config.dataPath)) requireState(config.dataPath)
  const unlock = lockDataFolder(config.dataPath)
  await restoreStaged(config, log)
  keepBeforeUpdate(config, log)
  updateStores(config.dataPath)
  const { app, groups, parts } = assemble(config, log, replaced)
  const { state, history, logs, logScan, cache, disk, alpha, operations, hub, schedules } = parts
  const { backup } = parts
  phase('state')
  const interrupted = operations.recover()
  if (interrupted > 0) log.warn({ interrupted }, 'operations of the last run were interrupted')
  const attach = (server: PeerSource) => parts.control.attachServer(server)
  const listening = listen(app, { config, log, attach })
  phase('http')
  startGroups(groups)
  feedHistory(parts)
  const stopping = new AbortController()
  const target = () => history.connection()
  history.start(snapshotBeforeUpdate({ config, log, backup, target, signal: stopping.signal }))
  await logs.start()
  phase('logs')
  cache.start()
  groups.cache.startWalking()
  phase('cache')
  schedules.start()
  const { port } = listening
  log.info({ port, datasources: parts.config.datasources.map(({ name }) => name) }, 'Larder is up')

  async function stop(): Promise<void> {
    log.info('stopping')
    stopping.abort()
    schedules.stop()
    await groups.prefill.stop()
    groups.cache.stop()
    disk.stop()
    alpha.login.cancel()
    backup.stop()
    await operations.stop()
    groups.catalogue.stop()
    await groups.system.stop()
    logScan.stop()
    groups.nodes.stop()
    hub.stop()
    await listening.stop()
    await Promise.all([logs.stop(), cache.stop()])
    await history.stop()
    state.close()
    unlock()
    log.info('stopped')
  }
  const scheme = config.tls === null ? 'http' : 'https'
  return { url: `${scheme}://127.0.0.1:${port}`, port, parts, stop }
}
