import type { Settings } from '../../core/settings/settings.ts'

/** Whether lists exclude evicted downloads. */
export function hidesEvicted(settings: Pick<Settings, 'get'>): boolean {
  const mode = settings.get('eviction.mode')
  return mode === 'hide' || mode === 'remove'
}

/** Whether lists mark evicted downloads. */
export const marksEvicted = (settings: Pick<Settings, 'get'>): boolean =>
  settings.get('eviction.mode') !== 'showClean'

/** A download, without the mark if the owner disabled it. */
export const withMark = <T extends { isEvicted: boolean }>(
  settings: Pick<Settings, 'get'>,
  download: T,
): T => (marksEvicted(settings) ? download : { ...download, isEvicted: false })
