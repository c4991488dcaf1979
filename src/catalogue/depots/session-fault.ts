import type { SessionFault } from '../../engines/alpha-connection/contract.ts'
import type { CatalogueParts } from '../parts.ts'
import { connectAttempts } from './state.ts'

type Parts = Pick<CatalogueParts, 'clock' | 'credentials' | 'hub' | 'log'>

/**
 * Tells account holders how a session with Steam failed. A sign-in that Steam refuses is not used
 * again; true then: everything can be asked without an account.
 */
export function noteFault(parts: Parts, fault: SessionFault, wasRebuildActive: boolean): boolean {
  const { clock, credentials, hub, log } = parts
  const { result, isRefused } = fault
  const timestamp = clock.now().toISOString()
  const errorType = isRefused ? 'refused' : 'unreachable'
  hub.publish('AlphaSessionError', {
    errorType,
    stageKey: `signalr.alphaSession.${errorType}`,
    context: result === null ? { maxAttempts: connectAttempts } : { result },
    result,
    extendedResult: null,
    timestamp,
    wasRebuildActive,
  })
  if (!isRefused || result === null) return false
  credentials.discard('alpha.refreshToken')
  log.warn({ result }, 'Steam refuses the stored sign-in; it is not used again')
  hub.publish('AlphaAutoLogout', {
    message: 'Steam no longer accepts the sign-in: sign in again',
    reason: result,
    replacementCount: 0,
    timestamp,
  })
  return true
}
