import { useQuery } from '@tanstack/react-query'
import { imageAddress, type GameImages, type GameRef } from '../format/image-address.ts'
import { api, unwrap, keys } from './client.ts'

const staleMs = 10 * 60_000

/** The games that have an image; undefined: not known yet. */
export const useGameImages = () =>
  useQuery<GameImages>({
    queryKey: keys.images,
    queryFn: async ({ signal }) => {
      const asking = { fetch: { signal } }
      const [ids, { version }] = await Promise.all([
        unwrap(api['game-images'].available.get(asking)),
        unwrap(api['game-images']['cache-version'].get(asking)),
      ])
      return { ids: new Set(ids), version }
    },
    staleTime: staleMs,
  }).data

/** Address of a game's header image; null: there is none, or it is not known yet. */
export function useGameImage(game: GameRef | null): string | null {
  const data = useGameImages()
  return data === undefined || game === null ? null : imageAddress(game, data)
}
