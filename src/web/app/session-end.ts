import { useSyncExternalStore } from 'react'
import type { Key } from '../locales/translate.ts'

/** Reasons the server gives when it ends a session, and what we say instead. */
const known: Readonly<Record<string, Key>> = {
  'The session was ended': 'ended.revoked',
  'The session was deleted': 'ended.revoked',
  'Guest sessions were ended': 'ended.revoked',
  'The session is over': 'ended.over',
  'The password was changed': 'ended.password',
  'The role was changed': 'ended.role',
  'The account was disabled': 'ended.disabled',
  'The account was deleted': 'ended.deleted',
  'All accounts were deleted': 'ended.wiped',
  'The installation key was replaced': 'ended.key',
}
/** Ends that the person brought about and knows of. */
const wanted = new Set(['Signed out', 'Signed in anew'])

/** A sentence, `expected` where none is needed, null while no session has ended. */
export type SessionEnd = Key | 'expected' | null

/** What to tell about the end of a session. */
export function endOf(reason: string, isGuest: boolean): Key | 'expected' {
  if (wanted.has(reason)) return 'expected'
  const key = known[reason]
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
