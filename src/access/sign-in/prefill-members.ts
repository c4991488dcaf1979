import type { Role } from '../../core/caller.ts'
import type { Grant } from '../sessions/store.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { membersOfPlatforms, type PrefillMembers } from './model.ts'

/** What a session may prefill: account holders everything, guests what was granted. */
export function prefillMembersOf(role: Role | null, grants: readonly Grant[]): PrefillMembers {
  const isHolder = role === 'admin' || role === 'user'
  const until = (platform: Platform): string | null => {
    if (role !== 'guest') return null
    const grant = grants.find((one) => one.platform === platform)
    return grant?.expiresAt.toISOString() ?? null
  }
  return {
    prefillEnabled: isHolder || (role === 'guest' && grants.length > 0),
    ...membersOfPlatforms((platform) => isHolder || until(platform) !== null, until),
  }
}
