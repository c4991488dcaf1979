import type { Settings } from '../settings/settings.ts'

/** Whether evicted downloads are left out of lists. */
export function hidesEvicted(settings: Pick<Settings, 'get'>): boolean {
  const mode = settings.get('eviction.mode')
  return mode === 'hide' || mode === 'remove'
}

/** Whether lists say which downloads are evicted. */
export const marksEvicted = (settings: Pick<Settings, 'get'>): boolean =>
  settings.get('eviction.mode') !== 'showClean'
