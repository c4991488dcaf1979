import type { Config } from '../../../core/config.ts'
import type { Clock } from '../../../core/lib/clock.ts'
import type { Logger } from '../../../core/lib/log.ts'
import type { Credentials } from '../../../core/secrets/credentials.ts'
import type { FindCacheAddress } from '../contract.ts'

/** What the transport uses. */
export interface ContainerParts {
  config: Pick<Config, 'containers' | 'cacheNetwork' | 'prefill' | 'prefillContainers' | 'dataPath'>
  log: Logger
  clock: Clock
  findCache: FindCacheAddress
  credentials: Pick<Credentials, 'read' | 'keep' | 'forget'>
  /** Id of this installation; containers of others are never touched. */
  installation: string
  /** Shorter in tests. */
  pausesMs?: { retryMs: number; settleMs: number; renewalMs: number }
}
