import type { Static } from '@sinclair/typebox'
import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import { isHidden } from '../sessions/visibility.ts'
import { guestDurationHours } from './duration.ts'
import { grant, grantActiveGuests, withdraw } from './grants.ts'
import type { AlphaPrefillBody, GuestDuration, ThreadedPrefillBody } from './model.ts'
import { guestPrefillEvent } from '../live-events.ts'
import {
  hasAccounts,
  isPlatform,
  type AccountPlatform,
  type Platform,
} from '../../platforms/platforms.ts'

const durationHoursMax = 720
const prefillHours = [1, 2, 3]
const usualPrefillHours = 2
const threadsMax = 256

type PrefillConfig = SettingValue<'guest.prefill.alpha'>

export function guestStatus(deps: AccessParts) {
  return { isLocked: deps.settings.get('guest.isLocked'), durationHours: guestDurationHours(deps) }
}

export function guestDuration(deps: AccessParts): GuestDuration {
  return {
    durationHours: guestDurationHours(deps),
    source: deps.settings.isSet('guest.durationHours') ? 'ui' : 'config',
    canEdit: true,
    envVarValue: deps.config.security.guestSessionHours,
  }
}

/** Null falls back to the configuration. Active sessions keep their expiry. */
export function setGuestDuration(deps: AccessParts, hours: number | null): GuestDuration {
  if (hours !== null && (hours < 1 || hours > durationHoursMax)) {
    throw new AppError(
      'invalid',
      `durationHours must be a whole number from 1 to ${durationHoursMax}`,
    )
  }
  deps.settings.set('guest.durationHours', hours)
  const duration = guestDuration(deps)
  deps.hub.publish('GuestDurationUpdated', { durationHours: duration.durationHours })
  return duration
}

/** Only keeps new guests out; active sessions continue until they expire. */
export function setGuestLock(deps: AccessParts, isLocked: boolean): void {
  deps.settings.set('guest.isLocked', isLocked)
  deps.hub.publish('GuestModeLockChanged', { isLocked })
}

export const prefillConfig = (deps: AccessParts, platform: Platform): PrefillConfig =>
  deps.settings.get(`guest.prefill.${platform}`)

export function alphaPrefillConfig(deps: AccessParts) {
  const beta = prefillConfig(deps, 'beta')
  const gamma = prefillConfig(deps, 'gamma')
  return {
    ...prefillConfig(deps, 'alpha'),
    betaEnabledByDefault: beta.enabledByDefault,
    betaDurationHours: beta.durationHours,
    betaMaxThreadCount: beta.maxThreadCount,
    gammaEnabledByDefault: gamma.enabledByDefault,
    gammaDurationHours: gamma.durationHours,
  }
}

/** Where a platform's thread limit stands in its event; those without accounts have none. */
const threadsMember: Record<AccountPlatform, string> = {
  alpha: 'maxThreadCount',
  beta: 'betaMaxThreadCount',
  epsilon: 'epsilonMaxThreadCount',
}

function store(deps: AccessParts, platform: Platform, fresh: PrefillConfig): void {
  const before = prefillConfig(deps, platform)
  deps.settings.set(`guest.prefill.${platform}`, fresh)
  const { enabledByDefault, durationHours, maxThreadCount } = fresh
  const threads = hasAccounts(platform) ? { [threadsMember[platform]]: maxThreadCount } : {}
  deps.hub.publish(guestPrefillEvent(platform), { enabledByDefault, durationHours, ...threads })
  if (enabledByDefault && !before.enabledByDefault) grantActiveGuests(deps, platform)
}

/** Stores a platform's defaults; a thread count outside 1 to 256 is clamped. */
export function savePrefillConfig(
  deps: AccessParts,
  platform: Platform,
  body: Static<typeof ThreadedPrefillBody>,
): PrefillConfig {
  const durationHours = body.durationHours ?? 0
  if (!prefillHours.includes(durationHours)) {
    throw new AppError('invalid', 'durationHours must be 1, 2 or 3')
  }
  const threads = hasAccounts(platform) ? (body.maxThreadCount ?? null) : null
  const fresh = {
    enabledByDefault: body.enabledByDefault ?? false,
    durationHours,
    maxThreadCount: threads === null ? null : Math.min(Math.max(threads, 1), threadsMax),
  }
  store(deps, platform, fresh)
  return fresh
}

/** Members of another platform in alpha's body; absent ones stay unchanged. */
function saveAlong(
  deps: AccessParts,
  platform: 'gamma' | 'delta',
  { enabled, hours }: { enabled: boolean | null; hours: number | null },
): void {
  if (enabled === null && hours === null) return
  const before = prefillConfig(deps, platform)
  const durationHours = hours ?? before.durationHours
  store(deps, platform, {
    ...before,
    enabledByDefault: enabled ?? before.enabledByDefault,
    durationHours: prefillHours.includes(durationHours) ? durationHours : usualPrefillHours,
  })
}

export function saveAlphaPrefillConfig(
  deps: AccessParts,
  body: Static<typeof AlphaPrefillBody>,
): PrefillConfig {
  const saved = savePrefillConfig(deps, 'alpha', body)
  for (const platform of ['gamma', 'delta'] as const) {
    saveAlong(deps, platform, {
      enabled: body[`${platform}EnabledByDefault`] ?? null,
      hours: body[`${platform}DurationHours`] ?? null,
    })
  }
  return saved
}

/** Grants or withdraws prefill on one platform for one guest session. */
export function togglePrefill(
  deps: AccessParts,
  caller: Caller,
  wanted: { sessionId: string; service: string; isEnabled: boolean },
) {
  const service = wanted.service.trim().toLowerCase() || 'alpha'
  const sessionId = wanted.sessionId.toLowerCase()
  const platform = isPlatform(service) ? service : 'alpha'
  const found = deps.control.sessions.store.byId(sessionId)
  if (found !== null && isHidden(caller, found)) throw new AppError('notFound', 'Session not found')
  let expiresAt: Date | null = null
  if (found?.type === 'guest') {
    if (wanted.isEnabled) expiresAt = grant(deps, sessionId, platform)
    else withdraw(deps, sessionId, platform)
  }
  const prefillExpiresAt = expiresAt?.toISOString() ?? null
  return { success: true, sessionId, service, enabled: wanted.isEnabled, prefillExpiresAt }
}
