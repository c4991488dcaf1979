import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Shelf, ShelfGame, ShelfPlan, ShelfRun } from '../../../../prefill/shelf/model.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'

export type { Shelf, ShelfGame, ShelfPlan, ShelfRun }
export type GameId = Pick<ShelfGame, 'platform' | 'appId'>

const { shelf } = api.ext.prefill
const shelfKey = [...keys.prefill, 'shelf']
/** While something goes on, its figures change. */
const pollMs = { busy: 1000, idle: 30_000 }

export const gameKey = ({ platform, appId }: GameId): string => `${platform} ${appId}`

/** The games of all accounts; opening it starts the sessions that need no sign-in. */
export function useShelf() {
  const queries = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const read = () => {
      void queries.invalidateQueries({ queryKey: shelfKey })
      setIsOpen(true)
    }
    // Read after that: otherwise platforms that are about to list their games appear to be off.
    unwrap(shelf.open.post()).then(read, read)
  }, [queries])
  return useRead(shelfKey, shelf.get, {
    enabled: isOpen,
    refetchInterval: ({ state: { data } }) =>
      data?.platforms.some(({ state }) => state === 'listing') === true ? pollMs.busy : pollMs.idle,
  })
}

/** What is being fetched, and how that before ended. */
export const useShelfRun = () =>
  useRead([...keys.prefill, 'shelf-run'], shelf.run.get, {
    refetchInterval: ({ state: { data } }) =>
      (data?.operationId ?? null) === null ? pollMs.idle : pollMs.busy,
  })

/** What a choice of games takes. */
export const usePlan = (games: readonly GameId[]) =>
  useQuery({
    queryKey: [...keys.prefill, 'shelf-plan', games.map(gameKey)],
    queryFn: () => unwrap(shelf.plan.post({ games: [...games] })),
    enabled: games.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.isAsking === true ? pollMs.busy : false),
  })

export const prefillGames = (games: readonly GameId[]) =>
  unwrap(shelf.run.post({ games: games.map(({ platform, appId }) => ({ platform, appId })) }))
/** Cancels the run; without one, forgets what has failed. */
export const clearRun = () => unwrap(shelf.run.delete())
