import { useSyncExternalStore } from 'react'
import type { SessionEnd as EndedSession } from '../../live/session-ends.ts'
import type { Key } from '../locales/translate.ts'

/** Why the server ended a session, and what we say instead. */
const known: Readonly<Record<EndedSession, Key | 'expected'>> = {
  accountDeleted: 'ended.deleted',
  accountDisabled: 'ended.disabled',
  accountsDeleted: 'ended.wiped',
  deleted: 'ended.revoked',
  guestsEnded: 'ended.revoked',
  keyReplaced: 'ended.key',
  over: 'ended.over',
  passwordChanged: 'ended.password',
  passwordRecovered: 'ended.password',
  revoked: 'ended.revoked',
  roleChanged: 'ended.role',
  setUpAnew: 'ended.over',
  // Ends that the person brought about and knows of.
  signedIn: 'expected',
  signedOut: 'expected',
}

/** A sentence, `expected` where none is needed, null while no session has ended. */
export type SessionEnd = Key | 'expected' | null

/** What to tell about the end of a session; `reason` is `<key>: <text>`. */
export function endOf(reason: string, isGuest: boolean): Key | 'expected' {
  const [end] = reason.split(':')
  const key = Object.entries(known).find(([name]) => name === end)?.[1]
  if (isGuest && (key === undefined || key === 'ended.over')) return 'ended.guest'
  return key ?? 'ended.over'
}

/** What somebody is told whose session ended without a word: a restart, a cleared cookie. */
export const silentEnd = (isGuest: boolean): Key => (isGuest ? 'ended.guest' : 'ended.over')

let end: SessionEnd = null
const listeners = new Set<() => void>()

/** Remembers why somebody sees the sign-in page; null forgets it. */
export function noteSessionEnd(next: SessionEnd): void {
  end = next
  for (const listener of listeners) listener()
}

export const sessionEnd = (): SessionEnd => end

export const useSessionEnd = (): SessionEnd =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    () => end,
  )
