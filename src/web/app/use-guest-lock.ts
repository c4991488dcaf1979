import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../api/eden.ts'
import { keys } from '../api/keys.ts'
import { notifyError, notify } from '../components/toast.tsx'
import { t } from '../locales/translate.ts'

/** Locks or unlocks guest mode for new guests; the toast offers undo. */
export function useGuestLock(locks: boolean): () => void {
  const queries = useQueryClient()
  const set = async (isLocked: boolean) => {
    await unwrap(api.auth.guest.config.lock.post({ isLocked }))
    await Promise.all([
      queries.invalidateQueries({ queryKey: keys.guests }),
      queries.invalidateQueries({ queryKey: keys.status }),
    ])
  }
  const fail = (error: Error) => notifyError(error.message)
  return () => {
    const done = t(locks ? 'guests.wasLocked' : 'guests.wasOpened')
    set(locks).then(() => notify(done, () => void set(!locks).catch(fail)), fail)
  }
}
