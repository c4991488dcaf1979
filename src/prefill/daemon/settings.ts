import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  alphaAddresses,
  betaAddresses,
  epsilonAddresses,
  prefillAddresses,
} from '../../core/lib/platform-addresses.ts'
import type { VariableName } from '../../core/lib/environment-variables.ts'
import { SettingError, SettingsReader, type Environment } from '../../core/lib/settings-reader.ts'
import { readServerAddress } from '../../core/lib/cache-network.ts'

export type Endpoint =
  { kind: 'unix'; path: string; mode: number } | { kind: 'tcp'; host: string; port: number }

export type DaemonSettings = ReturnType<typeof readDaemonSettings>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
/** Timers hold 2^31 milliseconds. */
const secondsMax = 2_000_000
/** Config folder of the published images, where it is a volume. */
const imageConfigPath = '/app/Config'

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

function endpoint(read: SettingsReader, secret: string | null): Endpoint {
  const port = read.integer('PREFILL_TCP_PORT', 0, { min: 0, max: 65_535 })
  if (port > 0) {
    const host = read.text('PREFILL_TCP_HOST') ?? '0.0.0.0'
    if (secret === null && !isLoopback(host)) {
      throw new SettingError(
        'PREFILL_SOCKET_SECRET: is missing; required with PREFILL_TCP_PORT, because everyone on ' +
          'the network could give commands; or set PREFILL_TCP_HOST to 127.0.0.1',
      )
    }
    return { kind: 'tcp', host, port }
  }
  const folder = read.text('PREFILL_RESPONSES_DIR') ?? '/responses'
  const path = resolve(read.text('PREFILL_SOCKET_PATH') ?? join(folder, 'daemon.sock'))
  const modeText = read.matching('PREFILL_SOCKET_MODE', {
    pattern: /^0?[0-7]{3}$/,
    allowed: 'three octal digits, for example 600',
  })
  return { kind: 'unix', path, mode: Number.parseInt(modeText ?? '600', 8) }
}

/** Settings of a daemon process. Throws SettingError. */
export function readDaemonSettings(
  environment: Environment,
  platform: string,
  read = new SettingsReader(environment),
) {
  const secret = read.secret('PREFILL_SOCKET_SECRET')
  const seconds = (name: VariableName) =>
    read.optionalInteger(name, { min: 0, max: secondsMax }) ?? 0
  const usualConfig = existsSync(imageConfigPath)
    ? imageConfigPath
    : join(read.text('DATA_PATH') ?? 'data', 'prefill', platform)
  const configPath = resolve(read.text('PREFILL_CONFIG_DIR') ?? usualConfig)
  return {
    secret,
    endpoint: endpoint(read, secret),
    /** The process ends after this time; 0: never. */
    lifetimeMs: seconds('PREFILL_MAX_LIFETIME_SECONDS') * 1000,
    /** Selection and sign-in. */
    configPath,
    /** Versions that were downloaded. Daemons of a platform may share this folder and the next one. */
    versionsPath: resolve(read.text('PREFILL_VERSIONS_DIR') ?? configPath),
    /** Disposable files. */
    cachePath: resolve(read.text('PREFILL_CACHE_DIR') ?? join(configPath, 'cache')),
    /** Null: searched for. */
    cacheAddress: readServerAddress(read, 'LANCACHE_IP'),
    allowsPublicCache: read.flag('PREFILL_ALLOW_PUBLIC_CACHE', false),
    /** Bytes per second of all requests; null: no limit. */
    bandwidth: read.optionalInteger('PREFILL_BANDWIDTH_LIMIT', { min: 1, max: 1e12 }),
    /** Stand-in content and sign-in for tests; null: the platform's own engine. */
    practiceOrigin: read.text('PREFILL_PRACTICE_ORIGIN') && read.url('PREFILL_PRACTICE_ORIGIN', ''),
    alpha: alphaAddresses(read),
    beta: betaAddresses(read),
    epsilon: epsilonAddresses(read),
    ...prefillAddresses(read),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
  }
}
