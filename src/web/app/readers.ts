import { useStatus } from '../api/queries.ts'

/** Who may see a page or an action; `prefill`: account holders and guests who were granted one. */
export type Reader = 'everyone' | 'prefill' | 'account' | 'admin' | 'owner'

interface Session {
  sessionType: string | null
  isMainAdmin: boolean
  prefillEnabled: boolean
}

/** What a session may see; undefined: not known yet. */
export function readersOf(session: Session | undefined): Record<Reader, boolean> {
  const isAdmin = session?.sessionType === 'admin'
  const isAccount = isAdmin || session?.sessionType === 'user'
  return {
    everyone: true,
    prefill: isAccount || session?.prefillEnabled === true,
    account: isAccount,
    admin: isAdmin,
    owner: session?.isMainAdmin === true,
  }
}

export const useReaders = () => readersOf(useStatus().data)
