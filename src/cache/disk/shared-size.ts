import type { Config } from '../../core/config.ts'
import type { DiskEngine } from '../../engines/disk/facade.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { within } from '../../core/lib/within.ts'
import { findProxyContainers } from '../proxy/containers.ts'
import { openContainerEngine } from '../proxy/engine.ts'
import { parseSize } from '../../core/lib/size.ts'

/** The proxy's own limit, for all datasources together. */
export interface SharedSize {
  bytes: number
  source: 'docker' | 'env'
}

/** Lifetime of a detected size. */
const detectedMs = 5 * 60_000
/** How long a request waits for the container engine, the first time and with an older answer. */
const patienceMs = 1500
const patienceMsKnown = 250
const setting = 'CACHE_DISK_SIZE'

/** What reading the caching stack's settings takes. */
export interface StackParts {
  config: Pick<Config, 'containers' | 'datasources' | 'envFilePath'>
  engine: DiskEngine
  clock: Clock
  log: Logger
}

/** `CACHE_DISK_SIZE` of the proxy: from its container, else from its stack's settings file. */
export function createSharedSize({ config, engine, clock, log }: StackParts) {
  let known: { size: SharedSize | null; atMs: number } | null = null
  let measuring: Promise<SharedSize | null> | null = null

  function sized(text: string | null | undefined, source: SharedSize['source']): SharedSize | null {
    const bytes = parseSize(text ?? '')
    return bytes === null || bytes === 0 ? null : { bytes, source }
  }

  async function ofContainer(): Promise<SharedSize | null> {
    try {
      const containers = await openContainerEngine(config)
      if (containers === null) return null
      const [proxy] = await findProxyContainers(containers, config)
      return sized(proxy?.environment.get(setting), 'docker')
    } catch (error) {
      // Never log the error itself: the engine's message may contain container settings.
      const reason = (error as { code?: string }).code ?? 'no answer'
      log.warn({ reason }, 'the container engine did not report the cache size')
      return null
    }
  }

  async function measure(): Promise<SharedSize | null> {
    let size = await ofContainer()
    if (size === null && config.envFilePath !== null) {
      const file = await engine.ask('stackSettings', config.envFilePath)
      size = sized(file?.values.get(setting), 'env')
    }
    known = { size, atMs: clock.elapsedMs() }
    return size
  }

  return (): Promise<SharedSize | null> => {
    const isFresh = known !== null && clock.elapsedMs() - known.atMs < detectedMs
    if (known !== null && isFresh) return Promise.resolve(known.size)
    measuring ??= measure().finally(() => (measuring = null))
    return within(measuring, known === null ? patienceMs : patienceMsKnown, known?.size ?? null)
  }
}
