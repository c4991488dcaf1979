import { useSyncExternalStore } from 'react'

/** A value outside React that components subscribe to. */
export interface Value<T> {
  get: () => T
  set: (next: T) => void
  /** The value, or a part of it; the component re-renders when that changes. */
  use: <Part = T>(select?: (value: T) => Part) => Part
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
    // Without a selector the part is the whole value.
    use: (select = (whole) => whole as never) =>
      useSyncExternalStore(subscribe, () => select(value)),
  }
}
