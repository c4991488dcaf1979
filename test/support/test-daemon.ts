import { join } from 'node:path'
import type { Patience } from '../../src/prefill/daemon/content/cache-gate.ts'
import { createDaemon } from '../../src/prefill/daemon/daemon.ts'
import type { ServerAddress } from '../../src/core/lib/cache-network.ts'
import type { Engine } from '../../src/prefill/daemon/engine.ts'
import { createEngine, type DaemonPlatform } from '../../src/prefill/daemon/engines.ts'
import { readDaemonSettings } from '../../src/prefill/daemon/settings.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import { atEnd } from './cleanup.ts'
import { daemonClient } from './daemon-client.ts'
import { quietLog } from './quiet-log.ts'
import { tempFolder } from './temp-folder.ts'

interface TestDaemonOptions {
  platform?: DaemonPlatform
  environment?: Record<string, string>
  /** Port of the cache on this machine. */
  cachePort: number
  /** Replaces the search for the cache. */
  cache?: () => Promise<ServerAddress>
  /** Replaces the platform's own. */
  engine?: Engine
  /** Default: a new one. */
  folder?: string
  /** Default: as little as possible. */
  patience?: Partial<Patience>
}

/** A daemon in this process, and a client of it. Stopped after the file's last test. */
export async function testDaemon(options: TestDaemonOptions) {
  const { platform = 'gamma', cachePort, folder = tempFolder('daemon') } = options
  const socketPath = join(folder, 'run', 'd.sock')
  const environment = {
    PREFILL_SOCKET_PATH: socketPath,
    PREFILL_CONFIG_DIR: join(folder, 'config'),
    ...options.environment,
  }
  const settings = readDaemonSettings(environment, platform)
  const engine = options.engine ?? (await createEngine(platform, settings))
  const { cache = () => Promise.resolve({ host: '127.0.0.1', port: cachePort }) } = options
  const patience = { firstPauseMs: 1, longestPauseMs: 20, repeatPauseMs: 1, ...options.patience }
  const daemon = createDaemon({
    settings,
    engine,
    cache,
    clock: systemClock,
    log: quietLog,
    patience,
  })
  await daemon.start()
  const stop = atEnd(() => daemon.stop())
  const connect = () => daemonClient({ path: socketPath })
  return { daemon, stop, folder, socketPath, connect, client: await connect() }
}
