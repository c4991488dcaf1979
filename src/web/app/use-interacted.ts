import { useEffect, useState } from 'react'

const kinds = ['pointermove', 'pointerdown', 'keydown'] as const

/** Whether the user has pointed or typed yet: what only serves that is loaded then. */
export function useInteracted(): boolean {
  const [isInteracted, setIsInteracted] = useState(false)
  useEffect(() => {
    const once = new AbortController()
    const note = () => {
      once.abort()
      setIsInteracted(true)
    }
    for (const kind of kinds) addEventListener(kind, note, { signal: once.signal })
    return () => once.abort()
  }, [])
  return isInteracted
}
