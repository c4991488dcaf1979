import { useSyncExternalStore } from 'react'

let freshKey: string | null = null
const listeners = new Set<() => void>()

/**
 * Keeps a new installation key until it was noted down: replacing it ends every session, so it is
 * shown on the sign-in page. It is never stored in the browser.
 */
export function showFreshKey(key: string | null): void {
  freshKey = key
  for (const listener of listeners) listener()
}

export const useFreshKey = (): string | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    () => freshKey,
  )
