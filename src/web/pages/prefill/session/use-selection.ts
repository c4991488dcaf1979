import { useState } from 'react'
import { importMax } from '../import-ids.ts'
import type { Platform } from '../../../../platforms/platforms.ts'

const storageKey = (platform: Platform) => `larder.prefill.${platform}`

/** The stored ids; another version of the page may have stored something else. */
function stored(platform: Platform): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(storageKey(platform)) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, importMax) : []
  } catch {
    return []
  }
}

/** The selected games of a platform, kept in this browser for the next visit. */
export function useSelection(platform: Platform) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(stored(platform)))
  const set = (next: ReadonlySet<string>) => {
    setSelected(next)
    localStorage.setItem(storageKey(platform), JSON.stringify([...next].slice(0, importMax)))
  }
  return {
    selected,
    toggle: (id: string) => {
      const next = new Set(selected)
      if (!next.delete(id)) next.add(id)
      set(next)
    },
    add: (ids: readonly string[]) => set(new Set([...selected, ...ids])),
    clear: () => set(new Set()),
  }
}
