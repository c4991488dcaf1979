import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap, keys } from '../api/client.ts'
import { sessionEnd } from './session-end.ts'

/** Ends the session and drops everything that was loaded with it. */
export function useSignOut(): () => void {
  const queries = useQueryClient()
  return () => {
    sessionEnd.set('expected')
    const forget = async () => {
      await queries.refetchQueries({ queryKey: keys.status })
      queries.removeQueries({
        predicate: ({ queryKey }) =>
          queryKey[0] !== keys.status[0] && queryKey[0] !== keys.setup[0],
      })
    }
    // After a failure too: the session may already have ended, which the status shows.
    void unwrap(api.auth.logout.post()).then(forget, forget)
  }
}
