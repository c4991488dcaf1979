import type { Core } from '../../core/core.ts'
import type { AccessControl } from '../contract.ts'
import type { Platform } from '../../platforms/platforms.ts'

interface Parts extends Pick<Core, 'clock' | 'settings'> {
  control: AccessControl
}

/** What prefill knows about sessions. */
export function createPrefillUsers({ clock, settings, control }: Parts) {
  const active = (sessionId: string) => {
    const found = control.sessions.store.byId(sessionId)
    return found !== null && control.sessions.isActive(found) ? found : null
  }

  /** Rights that were read since sessions or grants last changed. */
  const rights = new Map<string, Date>()
  let rightsVersion = 0

  /** When a session's right to prefill ends: a guest's grant, or the session. Null: it has none. */
  function rightEndsAt(sessionId: string, platform: Platform): Date | null {
    const found = active(sessionId)
    if (found === null) return null
    if (found.type !== 'guest') return found.expiresAt
    const grants = control.sessions.store.grants(sessionId, clock.now())
    const grant = grants.find((one) => one.platform === platform)
    if (grant === undefined) return null
    return grant.expiresAt < found.expiresAt ? grant.expiresAt : found.expiresAt
  }

  return {
    rightEndsAt,

    /** Whether a session may prefill now; read once per change, because hubs ask with every call. */
    mayPrefill(sessionId: string, platform: Platform): boolean {
      const { store } = control.sessions
      if (rightsVersion !== store.rightsVersion) rights.clear()
      rightsVersion = store.rightsVersion
      const key = `${platform} ${sessionId}`
      const endsAt = rights.get(key) ?? rightEndsAt(sessionId, platform)
      if (endsAt === null || endsAt <= clock.now()) return false
      rights.set(key, endsAt)
      return true
    },

    /** Limit of a guest's threads; null: none. Platforms without one of their own have alpha's. */
    threadsMax(sessionId: string, platform: Platform): number | null {
      const key = platform === 'beta' ? 'beta' : 'alpha'
      const common = settings.get(`guest.prefill.${key}`).maxThreadCount
      if (platform !== 'alpha' && platform !== 'beta') return common
      return control.preferences.read(sessionId)[`${key}MaxThreadCount`] ?? common
    },

    /** `user`: the account's name, or the address of a session without an account. */
    originOf(sessionId: string): { user: string; ipAddress: string; userAgent: string } | null {
      const found = control.sessions.store.byId(sessionId)
      if (found === null) return null
      const { account, ipAddress, userAgent } = found
      return { user: account?.username ?? ipAddress, ipAddress, userAgent }
    },
  }
}
