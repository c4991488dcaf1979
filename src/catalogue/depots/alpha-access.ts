import { randomInt } from 'node:crypto'
import { tokenEnd } from '../../engines/alpha-login/token.ts'
import type { AlphaAccess } from '../../engines/alpha-connection/contract.ts'
import type { CatalogueParts } from '../parts.ts'

type Parts = Pick<CatalogueParts, 'config' | 'settings' | 'credentials' | 'clock'>

/** Prefill uses the numbers below. */
const logonIds = { first: 16_384, last: 65_535 }

/** Keeps several sessions of one account from ending each other. */
function logonId(settings: Parts['settings']): number {
  const kept = settings.get('alpha.logonId')
  if (kept !== null) return kept
  const made = randomInt(logonIds.first, logonIds.last + 1)
  settings.set('alpha.logonId', made)
  return made
}

/** The stored sign-in, if it is to be used and still valid. */
export function alphaAccount(parts: Parts): AlphaAccess['account'] {
  const { settings, credentials, clock } = parts
  if (settings.get('alpha.authMode') !== 'authenticated') return null
  const kept = credentials.read('alpha.refreshToken')
  if (kept.state !== 'kept') return null
  const end = tokenEnd(kept.secret)
  if (end !== null && end <= clock.now()) return null
  return { refreshToken: kept.secret, logonId: logonId(settings) }
}

export const alphaAccess = (parts: Parts): AlphaAccess => ({
  cmListBaseUrl: parts.config.alpha.cmListBaseUrl,
  account: alphaAccount(parts),
})
