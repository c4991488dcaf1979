import { systemClock } from '../../core/lib/clock.ts'
import { createLogger } from '../../core/lib/log.ts'
import { SettingError, type Environment } from '../../core/lib/settings-reader.ts'
import { verifiedCache } from './content/cache-address.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import { createDaemon } from './daemon.ts'
import { createEngine, daemonPlatform, NoEngine } from './engines.ts'
import { ListenError } from './listen.ts'
import { readDaemonSettings, type DaemonSettings } from './settings.ts'

/** The daemon cannot start for a reason that an operator can remove. */
export class DaemonRefused extends Error {}

/** Where content comes from: the cache, or a practice origin itself where none is configured. */
function cacheOf(
  settings: DaemonSettings,
): (named: ServerAddress | null) => Promise<ServerAddress> {
  const { practiceOrigin, cacheAddress, allowsPublicCache: allowsPublic } = settings
  if (practiceOrigin !== null && cacheAddress === null) {
    const { hostname, port } = new URL(practiceOrigin)
    const origin = { host: hostname, port: Number(port || 80) }
    return async (named) => (named === null ? origin : verifiedCache(named, { allowsPublic }))
  }
  return (named) => verifiedCache(named ?? cacheAddress, { allowsPublic })
}

async function open(args: readonly string[], environment: Environment) {
  try {
    const platform = daemonPlatform(args.find((arg) => arg !== 'daemon'))
    const settings = readDaemonSettings(environment, platform)
    const engine = await createEngine(platform, settings)
    const log = createLogger(settings.logLevel)
    const daemon = createDaemon({
      settings,
      engine,
      cache: cacheOf(settings),
      clock: systemClock,
      log,
    })
    await daemon.start()
    return { daemon, settings, log, platform }
  } catch (error) {
    const known = [SettingError, NoEngine, ListenError]
    if (error instanceof Error && known.some((kind) => error instanceof kind)) {
      throw new DaemonRefused(error.message, { cause: error })
    }
    throw error
  }
}

/**
 * Starts the daemon of the platform that the arguments name. Resolves to how to stop it. Calls
 * `onLifetimeEnd` when its configured time is over. Rejects with DaemonRefused.
 */
export async function startDaemon(
  args: readonly string[],
  environment: Environment,
  onLifetimeEnd: () => void,
): Promise<() => Promise<void>> {
  const { daemon, settings, log, platform } = await open(args, environment)
  const { lifetimeMs, endpoint } = settings
  const lifetime = lifetimeMs > 0 ? setTimeout(onLifetimeEnd, lifetimeMs) : undefined
  const place = endpoint.kind === 'unix' ? endpoint.path : `${endpoint.host}:${endpoint.port}`
  log.info({ platform, place }, 'the prefill daemon listens')
  return async () => {
    clearTimeout(lifetime)
    await daemon.stop()
  }
}
