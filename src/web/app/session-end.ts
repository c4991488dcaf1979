import type { SessionEnd as EndedSession } from '../../core/live/session-ends.ts'
import type { Key } from '../locales/translate.ts'
import { createValue } from './value.ts'

/** Messages for the reasons with which the server ends a session. */
const known: Readonly<Record<EndedSession, Key | 'expected'>> = {
  accountDeleted: 'ended.deleted',
  accountDisabled: 'ended.disabled',
  accountsDeleted: 'ended.wiped',
  databaseWiped: 'ended.reset',
  deleted: 'ended.revoked',
  guestsEnded: 'ended.revoked',
  keyReplaced: 'ended.key',
  over: 'ended.over',
  passwordChanged: 'ended.password',
  passwordRecovered: 'ended.password',
  revoked: 'ended.revoked',
  roleChanged: 'ended.role',
  setUpAnew: 'ended.over',
  // Caused by the user.
  signedIn: 'expected',
  signedOut: 'expected',
}

/** A sentence, `expected` where none is needed, null while the session is active. */
export type SessionEnd = Key | 'expected' | null

/** Message for a session's end; `reason` is `<key>: <text>`. */
export function endOf(reason: string, isGuest: boolean): Key | 'expected' {
  const [end] = reason.split(':')
  const key = Object.entries(known).find(([name]) => name === end)?.[1]
  if (isGuest && (key === undefined || key === 'ended.over')) return 'ended.guest'
  return key ?? 'ended.over'
}

/** Message for a session that ended without a reason: after a restart, or a cleared cookie. */
export const silentEnd = (isGuest: boolean): Key => (isGuest ? 'ended.guest' : 'ended.over')

/** Why the sign-in page is shown; null clears it. */
export const sessionEnd = createValue<SessionEnd>(null)
