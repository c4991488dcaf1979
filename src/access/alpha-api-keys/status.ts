import type { AccessParts } from '../parts.ts'
import type { Probe } from '../../catalogue/contract.ts'
import type { AlphaKeyStatus } from './model.ts'
import { keep } from '../../core/lib/kept.ts'

/** How long a result from Steam is cached. */
const keptMs = 15 * 60_000

type Parts = Pick<AccessParts, 'alpha' | 'clock' | 'credentials'>
type Found = Pick<AlphaKeyStatus, 'version' | 'isV2Available' | 'isV1Available' | 'message'>

const withoutKey = 'Store a Steam Web API key to read the list of games from the store'

/** Result for the store's list, the fallback when the keyless one is gone. */
function storeFound(probe: Probe, hasApiKey: boolean): Found {
  const found = { isV2Available: false, isV1Available: true }
  if (probe === 'works' && hasApiKey) return { ...found, version: 'V1WithKey', message: null }
  // Steam answers and demands a key, so one would work.
  if (!hasApiKey && (probe === 'refused' || probe === 'works')) {
    return { ...found, version: 'V1NoKey', message: withoutKey }
  }
  const message =
    probe === 'refused'
      ? 'Steam does not accept the stored Web API key'
      : 'Steam’s Web API cannot be reached at the moment'
  return { version: 'BothFailed', isV2Available: false, isV1Available: false, message }
}

/** Which Steam Web API lists are available; checked at most every 15 minutes. */
export function createAlphaKeyStatusCheck(parts: Parts) {
  async function ask(): Promise<AlphaKeyStatus> {
    const { alpha, clock, credentials } = parts
    const kept = credentials.read('alpha.webApiKey')
    const key = kept.state === 'kept' ? kept.secret : null
    const hasV2 = (await alpha.webApi.probePublicList()) === 'works'
    const found: Found = hasV2
      ? { version: 'V2Active', isV2Available: true, isV1Available: false, message: null }
      : storeFound(await alpha.webApi.probeStoreList(key), key !== null)
    const lost = 'The stored Web API key can no longer be read; store it again'
    return {
      ...found,
      hasApiKey: kept.state !== 'none',
      isFullyOperational: hasV2 || found.version === 'V1WithKey',
      message: kept.state === 'unreadable' ? lost : found.message,
      lastChecked: clock.now().toISOString(),
    }
  }

  return keep(parts.clock, keptMs, ask)
}
