import type { Settings } from '../../core/settings/settings.ts'

/** Whether evicted downloads are left out of lists. */
export function hidesEvicted(settings: Pick<Settings, 'get'>): boolean {
  const mode = settings.get('eviction.mode')
  return mode === 'hide' || mode === 'remove'
}

/** Whether lists say which downloads are evicted. */
export const marksEvicted = (settings: Pick<Settings, 'get'>): boolean =>
  settings.get('eviction.mode') !== 'showClean'

/** A download without the mark where the owner does not want to see it. */
export const withMark = <T extends { isEvicted: boolean }>(
  settings: Pick<Settings, 'get'>,
  download: T,
): T => (marksEvicted(settings) ? download : { ...download, isEvicted: false })
