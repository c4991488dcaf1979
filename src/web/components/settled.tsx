import { useQueryClient, type Query } from '@tanstack/react-query'
import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { Waiting } from './card.tsx'

/** A page that is still not complete is shown as far as it is. */
const patienceMs = 4000
const quietMs = 20

const Shown = createContext(true)
/** False while the page is prepared out of sight, where nothing can have the focus. */
export const useIsShown = (): boolean => use(Shown)

/** Pages shown before: on a return, or when the clock changes, they appear at once. */
const known = new Set<string>()

const isMissing = (query: Query): boolean =>
  query.state.status === 'pending' && query.getObserversCount() > 0

/**
 * Shows a page when everything it reads on opening has arrived, at once: cards that fill one after
 * another would push each other down.
 */
export function Settled({ page, children }: { page: string; children: ReactNode }) {
  const queries = useQueryClient()
  const [isSettled, setIsSettled] = useState(() => known.has(page))
  useEffect(() => {
    if (isSettled) {
      known.add(page)
      return undefined
    }
    const check = () => {
      if (queries.isFetching({ predicate: isMissing }) === 0) setIsSettled(true)
    }
    // An answer can make the page read something else, so nothing may follow for a moment.
    let timer = setTimeout(check, quietMs)
    const unsubscribe = queries.getQueryCache().subscribe(() => {
      clearTimeout(timer)
      timer = setTimeout(check, quietMs)
    })
    const end = setTimeout(() => setIsSettled(true), patienceMs)
    return () => {
      unsubscribe()
      clearTimeout(timer)
      clearTimeout(end)
    }
  }, [queries, page, isSettled])
  return (
    <div className="relative">
      {!isSettled && (
        <div className="card absolute inset-x-0 top-0 p-[18px]">
          <Waiting rows={6} />
        </div>
      )}
      <div className={isSettled ? 'space-y-3' : 'invisible min-h-dvh space-y-3'}>
        <Shown value={isSettled}>{children}</Shown>
      </div>
    </div>
  )
}
