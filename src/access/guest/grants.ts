import type { AccessParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'

const hourMs = 3_600_000

function announce(deps: AccessParts, sessionId: string, service: string, expiresAt: Date | null) {
  deps.hub.publish('GuestPrefillPermissionChanged', {
    sessionId,
    service,
    enabled: expiresAt !== null,
    prefillExpiresAt: expiresAt?.toISOString() ?? null,
  })
}

/** Grants a guest session prefill on a platform, from now for the platform's default hours. */
export function grant(deps: AccessParts, sessionId: string, platform: Platform): Date {
  const { durationHours } = deps.settings.get(`guest.prefill.${platform}`)
  const expiresAt = new Date(deps.clock.now().getTime() + durationHours * hourMs)
  deps.control.sessions.store.grant(sessionId, platform, expiresAt)
  announce(deps, sessionId, platform, expiresAt)
  return expiresAt
}

export function withdraw(deps: AccessParts, sessionId: string, platform: Platform): void {
  deps.control.sessions.store.withdraw(sessionId, platform)
  announce(deps, sessionId, platform, null)
}

/** Prefill grants that new guest sessions get automatically. */
export function grantDefaults(deps: AccessParts, sessionId: string): void {
  for (const platform of platforms) {
    if (deps.settings.get(`guest.prefill.${platform}`).enabledByDefault) {
      grant(deps, sessionId, platform)
    }
  }
}

/** Gives active guests the grant that new ones get from now on. */
export function grantActiveGuests(deps: AccessParts, platform: Platform): void {
  const now = deps.clock.now()
  const { store } = deps.control.sessions
  for (const { id } of store.activeGuests(now)) {
    const held = store.grants(id, now).some((one) => one.platform === platform)
    if (!held) grant(deps, id, platform)
  }
}
