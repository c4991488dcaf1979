import type { Account } from '../../../api/access-queries.ts'
import { t, type Key } from '../../../locales/translate.ts'

/** The signed-in user. */
export interface Asker {
  accountId: string | null
  isOwner: boolean
}

/** Why an action is not possible for this user; null when it is. */
export interface Obstacles {
  change: Key | null
  role: Key | null
  disable: Key | null
  remove: Key | null
}

/** The server's rules, checked before a request. */
export function obstaclesFor(account: Account, asker: Asker): Obstacles {
  if (account.isMainAdmin) {
    const reason = 'refused.accounts-mainAdminProtected'
    return { change: reason, role: reason, disable: reason, remove: reason }
  }
  const self: Key | null = account.id === asker.accountId ? 'refused.accounts-selfProtected' : null
  const isPromotion = account.role === 'user'
  const admin: Key | null =
    isPromotion && !asker.isOwner ? 'refused.accounts-adminRoleRequiresMainAdmin' : null
  return { change: null, role: self ?? admin, disable: self, remove: self }
}

export const roleName = ({ role, isMainAdmin }: Pick<Account, 'role' | 'isMainAdmin'>): string =>
  t(isMainAdmin ? 'role.owner' : role === 'admin' ? 'role.admin' : 'role.user')
