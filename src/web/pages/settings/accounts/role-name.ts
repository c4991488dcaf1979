import type { Account } from '../../../api/access-queries.ts'
import { t } from '../../../locales/translate.ts'

export const roleName = ({ role, isMainAdmin }: Pick<Account, 'role' | 'isMainAdmin'>): string =>
  t(isMainAdmin ? 'role.owner' : role === 'admin' ? 'role.admin' : 'role.user')
