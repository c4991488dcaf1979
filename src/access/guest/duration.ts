import type { AccessParts } from '../parts.ts'

/** Hours a new guest session would get: the override of the dashboard, else the configuration. */
export const guestDurationHours = ({
  config,
  settings,
}: Pick<AccessParts, 'config' | 'settings'>) =>
  settings.get('guest.durationHours') ?? config.security.guestSessionHours
