import type { RouteDeps } from '../../deps.ts'

/** Hours a new guest session would get: the override of the dashboard, else the configuration. */
export const guestDurationHours = ({ config, settings }: Pick<RouteDeps, 'config' | 'settings'>) =>
  settings.get('guest.durationHours') ?? config.security.guestSessionHours
