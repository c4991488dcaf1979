import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../api/eden.ts'
import { keys } from '../api/keys.ts'
import { sessionEnd } from './session-end.ts'

/** Ends the session and forgets everything that was read with it. */
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
    // Also when the call failed: the session may have ended by itself, status tells.
    void unwrap(api.auth.logout.post()).then(forget, forget)
  }
}
