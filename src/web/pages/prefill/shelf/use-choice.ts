import { useState } from 'react'
import { isPlatform } from '../../../../platforms/platforms.ts'
import type { GameId } from './queries.ts'

const storageKey = 'larder.prefill.shelf'
/** Games of one choice; as many as the service takes. */
export const chosenMax = 2000

/** The stored keys; another version of the page may have stored something else. */
function stored(): string[] {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

/** The platform and the id of a key. */
export function idOf(key: string): GameId | null {
  const [platform = ''] = key.split(' ', 1)
  return isPlatform(platform) ? { platform, appId: key.slice(platform.length + 1) } : null
}

/** The chosen games by key, kept in this browser: they outlive sessions and visits. */
export function useChoice() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(stored()))
  const set = (keys: Iterable<string>) => {
    const next = [...keys].slice(0, chosenMax)
    setChosen(new Set(next))
    localStorage.setItem(storageKey, JSON.stringify(next))
  }
  return {
    chosen,
    set,
    toggle: (key: string) => {
      const next = new Set(chosen)
      if (!next.delete(key)) next.add(key)
      set(next)
    },
  }
}
