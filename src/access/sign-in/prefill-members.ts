import type { Role } from '../../core/caller.ts'
import type { Grant } from '../sessions/store.ts'
import type { PrefillMembers } from './model.ts'

/** What a session may prefill: account holders everything, guests what was granted. */
export function prefillMembersOf(role: Role | null, grants: readonly Grant[]): PrefillMembers {
  const isHolder = role === 'admin' || role === 'user'
  const until = (platform: string): string | null => {
    if (role !== 'guest') return null
    const grant = grants.find((one) => one.platform === platform)
    return grant?.expiresAt.toISOString() ?? null
  }
  const alphaPrefillExpiresAt = until('alpha')
  const betaPrefillExpiresAt = until('beta')
  const gammaPrefillExpiresAt = until('gamma')
  const deltaPrefillExpiresAt = until('delta')
  const epsilonPrefillExpiresAt = until('epsilon')
  return {
    prefillEnabled: isHolder || (role === 'guest' && grants.length > 0),
    alphaPrefillEnabled: isHolder || alphaPrefillExpiresAt !== null,
    alphaPrefillExpiresAt,
    betaPrefillEnabled: isHolder || betaPrefillExpiresAt !== null,
    betaPrefillExpiresAt,
    gammaPrefillEnabled: isHolder || gammaPrefillExpiresAt !== null,
    gammaPrefillExpiresAt,
    deltaPrefillEnabled: isHolder || deltaPrefillExpiresAt !== null,
    deltaPrefillExpiresAt,
    epsilonPrefillEnabled: isHolder || epsilonPrefillExpiresAt !== null,
    epsilonPrefillExpiresAt,
  }
}
