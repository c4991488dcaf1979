import { useState } from 'react'
import { readJson } from './appearance.ts'

/** The stored keys; another version of the page may have stored something else. */
function stored(name: string): string[] {
  const keys = readJson(name)
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []
}

/** Chosen keys, kept in this browser: they outlive sessions and visits. */
export function useStoredSet(name: string, max: number) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(stored(name).slice(0, max)),
  )
  const set = (keys: Iterable<string>) => {
    const next = [...keys]
    setChosen(new Set(next))
    localStorage.setItem(name, JSON.stringify(next.slice(0, max)))
  }
  const toggle = (key: string) => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    set(next)
  }
  return { chosen, set, toggle }
}
