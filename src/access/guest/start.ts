import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Origin } from '../contract.ts'
import { defaultPreferences } from '../preferences/rules.ts'
import type { IssuedSession } from '../sessions/sessions.ts'
import { guestDurationHours } from './duration.ts'
import { grantDefaults } from './grants.ts'

const hourMs = 3_600_000
/** Far more than any LAN party has; beyond it the button is being abused. */
const guestsMax = 5000

function refuse(text: string): never {
  throw new AppError('refused', text, { extra: { statusCode: 403 } })
}

function requireOpen({ settings, config, control, clock }: AccessParts): void {
  if (settings.get('guest.isLocked')) refuse('Guest access is switched off')
  if (!settings.get('setup.isCompleted')) refuse('The set-up of the service is not completed')
  if (config.security.isAuthenticationEnabled && !control.accounts.exists()) {
    refuse('The service has no account yet')
  }
  if (control.sessions.store.countGuests(clock.now()) >= guestsMax) {
    refuse('There are too many guests at the moment')
  }
}

/** Opens a guest session with the current rights and preferences for guests. */
export function startGuest(deps: AccessParts, origin: Origin): IssuedSession {
  requireOpen(deps)
  const { sessions } = deps.control
  const now = deps.clock.now().getTime()
  const expiresAt = new Date(now + guestDurationHours(deps) * hourMs)
  const issued = sessions.issue({ type: 'guest', accountId: null, expiresAt, ...origin })
  grantDefaults(deps, issued.id)
  const { allowedTimeFormats: _, ...seed } = deps.settings.get('guest.preferences')
  deps.control.preferences.write(issued.id, {
    ...defaultPreferences,
    ...seed,
    selectedTheme: deps.settings.get('guest.themeId'),
  })
  return issued
}
