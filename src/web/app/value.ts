import { useSyncExternalStore } from 'react'

/** A value outside React that components subscribe to. */
export interface Value<T> {
  get: () => T
  set: (next: T) => void
  /** The value, or a part of it; the component re-renders when that changes. */
  use: () => T
  usePart: <Part>(select: (value: T) => Part) => Part
}

export function createValue<T>(initial: T): Value<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, () => value),
    usePart: (select) => useSyncExternalStore(subscribe, () => select(value)),
  }
}
