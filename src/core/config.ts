import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { VariableName } from './lib/environment-variables.ts'
import { intervalHoursMax } from './lib/duration.ts'
import { overlapOf, rootProblem } from './lib/overlap.ts'
import { parseSize } from './lib/size.ts'
import { readTlsPair, type TlsPaths } from './lib/tls.ts'
import { normalAddress } from './lib/address.ts'
import { dnsSettings } from './lib/dns-servers.ts'
import {
  alphaAddresses,
  betaAddresses,
  epsilonAddresses,
  prefillAddresses,
} from './lib/platform-addresses.ts'
import { statusCheckAddresses } from './lib/status-check-addresses.ts'
import { logLevels } from './lib/recent-log.ts'
import { cacheNetwork, readServerAddress } from './lib/cache-network.ts'
import { nodeSettings } from './lib/node-settings.ts'
import { prefillContainers } from './lib/prefill-containers.ts'
import { postgresSettings } from './lib/postgres-settings.ts'
import { prefillSettings } from './lib/prefill-settings.ts'
import { SettingError, SettingsReader, type Environment } from './lib/settings-reader.ts'
import { errorText } from './lib/error-text.ts'
import { programFolder } from './lib/program-files.ts'

const schemeOverrides = ['auto', 'monolithic', 'bare_metal'] as const

/** One cache instance: a name, its log directory and its cache directory. */
export interface DatasourceConfig {
  name: string
  logPath: string
  cachePath: string
  schemeOverride: (typeof schemeOverrides)[number]
  /**
   * Configured slice size of the proxy, in bytes; 0: no slices; null or absent: detected from the
   * cache.
   */
  sliceBytes?: number | null
}

export type Config = ReturnType<typeof readConfig>

const port = { min: 0, max: 65_535 }
const sourceNamePattern = /^[A-Za-z0-9._-]{1,100}$/

/** A path to a log file stands for its directory. */
function logDirectory(path: string): string {
  const absolute = resolve(path)
  const isFile = absolute.endsWith('.log') || (existsSync(absolute) && statSync(absolute).isFile())
  return isFile ? dirname(absolute) : absolute
}

/** A larger slice size is certainly a typing mistake. */
const sliceBytesMax = 1024 ** 3

function sliceSize(read: SettingsReader, name: VariableName): number | null {
  const text = read.text(name)
  if (text === null) return null
  const bytes = parseSize(text)
  if (bytes !== null && bytes <= sliceBytesMax) return bytes
  throw new SettingError(
    `${name}: ${JSON.stringify(text)} is not valid; allowed: bytes, or a number with k, m or g`,
  )
}

/**
 * Folders that are certainly wrong stop the start: the system's root, or a data folder inside or
 * around a cache or log folder. Other overlaps only forbid clearing.
 */
function requireApart(
  dataPath: string,
  prefix: string,
  { cachePath, logPath }: { cachePath: string; logPath: string },
): void {
  const data = { label: 'DATA_PATH', path: dataPath }
  for (const [name, path] of [
    ['CachePath', cachePath],
    ['LogPath', logPath],
  ] as const) {
    const folder = { label: `${prefix}${name}`, path }
    const problem = rootProblem(folder) ?? overlapOf(data, folder)
    if (problem !== null) throw new SettingError(problem)
  }
}

function explicitDatasources(read: SettingsReader, dataPath: string): DatasourceConfig[] {
  const prefix = 'LanCache__DataSources'
  const sources: DatasourceConfig[] = []
  for (const index of read.indexes(prefix)) {
    const key = `${prefix}__${index}` as const
    if (!read.flag(`${key}__Enabled`, true)) continue
    const name = read.matching(`${key}__Name`, {
      pattern: sourceNamePattern,
      allowed: 'letters, digits, dot, underscore, hyphen',
    })
    const logPath = read.text(`${key}__LogPath`)
    const cachePath = read.text(`${key}__CachePath`)
    if (name === null)
      throw new SettingError(`${key}__Name: is missing; every datasource needs one`)
    if (logPath === null) throw new SettingError(`${key}__LogPath: is missing`)
    if (cachePath === null) throw new SettingError(`${key}__CachePath: is missing`)
    if (sources.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
      throw new SettingError(`${key}__Name: ${JSON.stringify(name)} is used twice`)
    }
    const schemeOverride = read.choice(`${key}__SchemeOverride`, schemeOverrides, 'auto')
    const folders = { logPath: logDirectory(logPath), cachePath: resolve(cachePath) }
    requireApart(dataPath, `${key}__`, folders)
    sources.push({
      name,
      ...folders,
      schemeOverride,
      sliceBytes: sliceSize(read, `${key}__SliceSize`),
    })
  }
  return sources
}

function datasources(read: SettingsReader, dataPath: string): DatasourceConfig[] {
  const explicit = explicitDatasources(read, dataPath)
  if (read.indexes('LanCache__DataSources').length > 0) return explicit
  const logPath = read.text('LanCache__LogPath') ?? (existsSync('/logs') ? '/logs' : null)
  const cachePath = read.text('LanCache__CachePath') ?? (existsSync('/cache') ? '/cache' : null)
  const sliceBytes = sliceSize(read, 'LanCache__SliceSize')
  if (logPath === null && cachePath === null) return []
  const pair = {
    cachePath: resolve(cachePath ?? '/cache'),
    logPath: logDirectory(logPath ?? '/logs'),
  }
  requireApart(dataPath, 'LanCache__', pair)
  const usual = {
    schemeOverride: 'auto',
    sliceBytes,
  } as const
  return [{ name: 'default', ...pair, ...usual }]
}

function networks(
  read: SettingsReader,
  name: VariableName,
  { hasAddresses = false }: { hasAddresses?: boolean } = {},
): string[] {
  const list = read.list(name)
  const allowed = hasAddresses ? 'addresses and CIDR networks' : 'CIDR networks'
  for (const entry of list) {
    const isAddress = hasAddresses && normalAddress(entry) !== null
    if (!isAddress && !ipaddr.isValidCIDR(entry)) {
      throw new SettingError(`${name}: ${JSON.stringify(entry)} is not valid; allowed: ${allowed}`)
    }
  }
  return list
}

function timeZone(read: SettingsReader): string {
  const name = read.text('TZ') === null ? 'TimeZone' : 'TZ'
  const zone = read.text(name) ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (cause) {
    const text = `${name}: ${JSON.stringify(zone)} is not valid; allowed: an IANA time zone`
    throw new SettingError(text, { cause })
  }
}

/** Names without scheme and port; a leading `*.` matches all names below a domain. */
function allowedHosts(read: SettingsReader): string[] {
  const name = 'Security__AllowedHosts'
  const list = read.list(name)
  const bad = list.find((entry) => !/^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/.test(entry))
  if (bad === undefined) return list
  const allowed = 'host names without scheme and port, *.domain'
  throw new SettingError(`${name}: ${JSON.stringify(bad)} is not valid; allowed: ${allowed}`)
}

function security(read: SettingsReader) {
  return {
    isAuthenticationEnabled: read.flag('Security__EnableAuthentication', true),
    guestSessionHours: read.integer('Security__GuestSessionDurationHours', 6, { min: 1, max: 720 }),
    requireAuthForMetrics: read.flag('Security__RequireAuthForMetrics', false),
    allowedOrigins: read.list('Security__AllowedOrigins'),
    allowedHosts: allowedHosts(read),
    keyPath: read.text('Security__ApiKeyPath'),
    knownProxyNetworks: networks(read, 'Security__KnownProxyNetworks'),
    trustAllProxies: read.flag('Security__TrustAllProxies', false),
    forceSecureCookies: read.flag('Security__ForceSecureCookies', false),
  }
}

/** Certificate files; null: plain HTTP, for example behind a proxy that terminates HTTPS. */
function tls(read: SettingsReader): TlsPaths | null {
  const certPath = read.text('Tls__CertPath')
  const keyPath = read.text('Tls__KeyPath')
  if (certPath === null && keyPath === null) return null
  if (certPath === null || keyPath === null) {
    throw new SettingError('Tls__CertPath, Tls__KeyPath: set both or none')
  }
  try {
    readTlsPair({ certPath, keyPath })
    return { certPath, keyPath }
  } catch (cause) {
    const reason = errorText(cause)
    throw new SettingError(`Tls__CertPath, Tls__KeyPath: ${reason}`, { cause })
  }
}

const alphaStore = 'https://store.steampowered.com'

/** The connection to Steam, its store and its lists. */
function alpha(read: SettingsReader) {
  return {
    ...alphaAddresses(read),
    storeBaseUrl: read.url('Alpha__StoreBaseUrl', alphaStore),
    /** Null: depots of downloads are looked up at Steam. */
    depotListUrl: read.optionalUrl('Alpha__DepotListUrl'),
    /** How long a sign-in waits for confirmation on the phone. */
    phoneWaitSeconds: read.integer('Alpha__PhoneWaitSeconds', 120, { min: 1, max: 200 }),
  }
}

/** Folders of Steam's header images; the first one can be replaced, then the others are not used. */
const alphaImages = [
  'https://shared.akamai.steamstatic.com/store_item_assets/steam/apps',
  'https://shared.fastly.steamstatic.com/store_item_assets/steam/apps',
  'https://cdn.akamai.steamstatic.com/steam/apps',
] as const
const betaImages = 'https://cdn1.epicgames.com'
const epsilonImages = 'https://store-images.s-microsoft.com'

/** Where images of games are fetched. */
function images(read: SettingsReader) {
  /** Null: the platform's own; catalogues name further hosts of it then. */
  const own = (name: VariableName, usual: string) => {
    const url = read.url(name, usual)
    return url === usual ? null : url
  }
  const ownAlpha = own('Images__AlphaBaseUrl', alphaImages[0])
  return {
    isOwnAlpha: ownAlpha !== null,
    alphaBaseUrls: ownAlpha === null ? alphaImages : [ownAlpha],
    betaBaseUrl: own('Images__BetaBaseUrl', betaImages),
    epsilonBaseUrl: own('Images__EpsilonBaseUrl', epsilonImages),
  }
}

type EngineAddress = { socketPath: string } | { host: string; port: number; protocol: 'http' }

/** Connection to the container engine, and the proxy's container (null: detected). */
function containers(read: SettingsReader): { engine: EngineAddress; proxyName: string | null } {
  const proxyName = read.text('NginxLogRotation__ContainerName')
  const address = URL.parse(read.text('DOCKER_HOST') ?? 'unix:///var/run/docker.sock')
  if (address?.protocol === 'unix:' && address.pathname.length > 1) {
    return { engine: { socketPath: address.pathname }, proxyName }
  }
  if (address?.protocol === 'tcp:' && address.hostname !== '') {
    const port = Number(address.port || 2375)
    return { engine: { host: address.hostname, port, protocol: 'http' }, proxyName }
  }
  throw new SettingError('DOCKER_HOST: is not valid; allowed: unix:///path, tcp://host:port')
}

/** Whether to signal the proxy to reopen its logs, and how often without a reason. */
function logRotation(read: SettingsReader) {
  return {
    isEnabled: read.flag('NginxLogRotation__Enabled', true),
    scheduleHours: read.integer('NginxLogRotation__ScheduleHours', 24, {
      min: 1,
      max: intervalHoursMax,
    }),
  }
}

const clientCounts = { min: 1, max: 10_000 }

/** Limits of the log engine and the shipper; see docs/limits.md. */
function ingest(read: SettingsReader) {
  return {
    /**
     * Where logs are read from when they are first found. Null: the first-run set-up asks, and
     * reading waits for it.
     */
    startAt: read.optionalChoice('LogProcessing__StartAt', ['beginning', 'end'] as const),
    pollMs: read.integer('LogProcessing__PollMs', 200, { min: 50, max: 60_000 }),
    /** Disk space that rows queued for the history may take before reading pauses. */
    outboxMaxMb: read.integer('History__OutboxMaxMb', 2048, { min: 16, max: 1_048_576 }),
  }
}

/** How often the caches are walked. */
function cacheIndex(read: SettingsReader) {
  return {
    /** Interval of background walks; 0: none. */
    refreshMinutes: read.integer('CacheIndex__RefreshMinutes', 10, { min: 0, max: 1440 }),
    sizeScanHours: read.integer('CacheSizeScan__IntervalHours', 24, {
      min: 1,
      max: intervalHoursMax,
    }),
  }
}

/**
 * Reads the environment once. Throws SettingError with one line that names the variable, its
 * problem and the accepted values.
 */
export function readConfig(environment: Environment, read = new SettingsReader(environment)) {
  const dataPath = resolve(read.text('DATA_PATH') ?? './data')
  return Object.freeze({
    port: read.integer('PORT', 5000, port),
    host: read.text('HOST') ?? '0.0.0.0',
    dataPath,
    webPath: resolve(read.text('WEB_PATH') ?? `${programFolder}/dist/web`),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    timeZone: timeZone(read),
    owner: {
      uid: read.optionalInteger('PUID', { min: 0, max: 4_294_967_294 }),
      gid: read.optionalInteger('PGID', { min: 0, max: 4_294_967_294 }),
    },
    datasources: datasources(read, dataPath),
    /**
     * Searches for pairs of folders below those of the single datasource; a list of datasources
     * takes precedence.
     */
    discoversDatasources:
      read.flag('LanCache__AutoDiscoverDatasources', false) &&
      read.indexes('LanCache__DataSources').length === 0,
    envFilePath: read.text('LanCache__EnvFilePath'),
    ingest: ingest(read),
    /** Clients whose entire traffic is prefill: addresses and networks. */
    prefillClients: networks(read, 'LogProcessing__PrefillClients', { hasAddresses: true }),
    cacheIndex: cacheIndex(read),
    containers: containers(read),
    cacheNetwork: cacheNetwork(read),
    prefillContainers: prefillContainers(read),
    logRotation: logRotation(read),
    doctor: {
      /** Address of the proxy for repeating object requests; null: detected by its heartbeat. */
      proxy: readServerAddress(read, 'Doctor__ProxyAddress'),
    },
    postgres: postgresSettings(read),
    node: nodeSettings(read),
    security: security(read),
    tls: tls(read),
    authoritiesPath: read.text('NODE_EXTRA_CA_CERTS'),
    alpha: alpha(read),
    images: images(read),
    beta: betaAddresses(read),
    epsilon: epsilonAddresses(read),
    ...prefillAddresses(read),
    dns: dnsSettings(read),
    statusCheck: statusCheckAddresses(read),
    notifications: {
      telegramBaseUrl: read.url('Notifications__TelegramBaseUrl', 'https://api.telegram.org'),
    },
    geo: {
      /** Sends visitors' addresses to an external service, so it is off by default. */
      isEnabled: read.flag('Geo__Enabled', false),
      baseUrl: read.url('Geo__BaseUrl', 'https://ipwho.is'),
    },
    historyKeepMonths: read.integer('History__KeepMonths', 0, { min: 0, max: 1200 }) || null,
    /** How often the size of the cache is measured, and how long the results are kept. */
    cacheSnapshots: {
      intervalMinutes: read.integer('CacheSnapshots__IntervalMinutes', 60, { min: 1, max: 1440 }),
      retentionDays: read.integer('CacheSnapshots__RetentionDays', 90, { min: 1, max: 3650 }),
    },
    prefill: prefillSettings(read, dataPath),
    /** Whether memory may be collected by schedule; see src/system/memory. */
    managesMemory: read.flag('Optimizations__EnableGarbageCollectionManagement', false),
    clients: {
      maxPerRequest: read.integer('ApiOptions__MaxClientsPerRequest', 1000, clientCounts),
      defaultLimit: read.integer('ApiOptions__DefaultClientsLimit', 100, clientCounts),
    },
    /** Last, when all others have been read. */
    unusedVariables: read.unused(),
  })
}
