import type { AccessParts } from '../parts.ts'
import type { AnsweredLists } from '../../catalogue/contract.ts'
import type { AlphaKeyStatus } from './model.ts'

type Found = Pick<AlphaKeyStatus, 'version' | 'isV2Available' | 'isV1Available' | 'message'>

const withoutKey = 'Store a Steam Web API key to read the list of games from the store'

/** The store's list is the fallback when the keyless one is gone. */
function foundIn({ storeList, hasKey }: AnsweredLists): Found {
  if (storeList === null) {
    return { version: 'V2Active', isV2Available: true, isV1Available: false, message: null }
  }
  const found = { isV2Available: false, isV1Available: true }
  if (storeList === 'works' && hasKey) return { ...found, version: 'V1WithKey', message: null }
  // Steam answers and demands a key, so one would work.
  if (!hasKey && (storeList === 'refused' || storeList === 'works')) {
    return { ...found, version: 'V1NoKey', message: withoutKey }
  }
  const message =
    storeList === 'refused'
      ? 'Steam does not accept the stored Web API key'
      : 'Steam’s Web API cannot be reached at the moment'
  return { version: 'BothFailed', isV2Available: false, isV1Available: false, message }
}

/** Which Steam Web API lists are available. */
export function alphaKeyStatus(
  lists: AnsweredLists,
  { credentials }: Pick<AccessParts, 'credentials'>,
): AlphaKeyStatus {
  const { state } = credentials.read('alpha.webApiKey')
  const found = foundIn(lists)
  const lost = 'The stored Web API key can no longer be read; store it again'
  return {
    ...found,
    hasApiKey: state !== 'none',
    isFullyOperational: lists.isAvailable,
    message: state === 'unreadable' ? lost : found.message,
    lastChecked: lists.askedAt.toISOString(),
  }
}
