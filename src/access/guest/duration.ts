import type { AccessParts } from '../parts.ts'

/** Lifetime of new guest sessions in hours: the dashboard's override, else the configuration. */
export const guestDurationHours = ({
  config,
  settings,
}: Pick<AccessParts, 'config' | 'settings'>) =>
  settings.get('guest.durationHours') ?? config.security.guestSessionHours
