import type { Account } from '../../../api/access-queries.ts'
import { t, type Key } from '../../../locales/translate.ts'

/** The signed-in user. */
export interface Asker {
  accountId: string | null
  isOwner: boolean
}

type Reason = Key | null

/**
 * Why each action is not possible for this user, by the server's rules; null when it is.
 */
export function obstaclesFor(account: Account, asker: Asker) {
  if (account.isMainAdmin) {
    const reason: Reason = 'refused.accounts-mainAdminProtected'
    return { change: reason, role: reason, disable: reason, remove: reason }
  }
  const self: Reason = account.id === asker.accountId ? 'refused.accounts-selfProtected' : null
  const isPromotion = account.role === 'user'
  const admin: Reason =
    isPromotion && !asker.isOwner ? 'refused.accounts-adminRoleRequiresMainAdmin' : null
  return { change: null, role: self ?? admin, disable: self, remove: self }
}

export const roleName = ({ role, isMainAdmin }: Pick<Account, 'role' | 'isMainAdmin'>): string =>
  t(isMainAdmin ? 'role.owner' : role === 'admin' ? 'role.admin' : 'role.user')
