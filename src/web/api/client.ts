import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut, Refusal } from './refusal.ts'
import { keys } from './keys.ts'

const retriesMax = 2

/** One cache for the whole page. Any 401 reloads the session, which shows the sign-in page. */
export function createQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isSignedOut(error) && query.queryKey[0] !== keys.status[0]) {
          void queries.invalidateQueries({ queryKey: keys.status })
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // The server refused: an immediate retry changes nothing.
        retry: (failures, error) => !(error instanceof Refusal) && failures < retriesMax,
        retryDelay: (failures) => 500 * 2 ** failures,
      },
    },
  })
  return queries
}
