import { useEffect, useState, useSyncExternalStore } from 'react'
import { api, keys } from '../../api/client.ts'
import { useIsAccount, useRead, useStatus } from '../../api/queries.ts'
import { readStored } from '../../app/appearance.ts'
import { createValue } from '../../app/value.ts'
import { readArrangement, viewPage, type Arrangement } from './arrangement.ts'

/** What a browser keeps: guests have nothing else, and accounts need not wait for theirs. */
const keyOf = (owner: string) => `larder.overview.${owner}`
/** Chosen since the page was loaded. */
const chosen = createValue<{ owner: string; text: string } | null>(null)

/** Whose arrangement it is; guests of a browser share one. */
export const useOwner = (): string => useStatus().data?.accountId ?? 'guest'

function keep(owner: string, text: string): void {
  try {
    localStorage.setItem(keyOf(owner), text)
  } catch {
    // Without storage it lasts as long as the page.
  }
}

/** Shows an arrangement and keeps it in this browser. */
export function choose(owner: string, text: string): void {
  chosen.set({ owner, text })
  keep(owner, text)
}

const thirdColumn = matchMedia('(min-width: 1600px)')
function onWidth(change: () => void) {
  thirdColumn.addEventListener('change', change)
  return () => thirdColumn.removeEventListener('change', change)
}
export const useHasThirdColumn = () => useSyncExternalStore(onWidth, () => thirdColumn.matches)

/**
 * The cards in the user's order; null while it is unknown, on an account's first visit with this
 * browser. One that was changed elsewhere is shown when the page is opened again, so that no card
 * moves under the pointer.
 */
export function useArrangement(): Arrangement | null {
  const owner = useOwner()
  const isAccount = useIsAccount()
  const [stored] = useState(() => readStored(keyOf(owner)))
  const latest = chosen.use()
  const views = useRead(keys.views, api.ext.views.get, { enabled: isAccount, staleTime: 60_000 })
  const query = views.data?.find(({ page }) => page === viewPage)?.query ?? ''
  const remote = views.data === undefined ? null : (new URLSearchParams(query).get('cards') ?? '')
  useEffect(() => {
    if (remote !== null) keep(owner, remote)
  }, [owner, remote])
  const own = latest?.owner === owner ? latest.text : stored
  const isAwaited = isAccount && !views.isFetched
  const text = own ?? remote ?? (isAwaited ? null : '')
  return text === null ? null : readArrangement(text)
}
