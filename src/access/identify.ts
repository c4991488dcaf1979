import { anonymous, type Caller } from '../core/caller.ts'
import { readCookie, sessionCookie } from '../core/http/cookies.ts'
import type { Logger } from '../core/lib/log.ts'
import type { IssuedSession, Sessions } from './sessions/sessions.ts'
import type { SessionRecord } from './sessions/store.ts'

/** The live session behind the cookie of a request. */
export function sessionOf(sessions: Sessions, request: Request): SessionRecord | null {
  const token = readCookie(request, sessionCookie)
  return token === null ? null : sessions.find(token)
}

/** While authentication is switched off, everybody is this caller. */
const sharedCaller = (sessionId: string): Caller => ({
  kind: 'session',
  sessionId,
  role: 'admin',
  accountId: null,
  isOwner: true,
  prefillGrants: [],
})

interface Parts {
  sessions: Sessions
  log: Logger
  /** The session of everybody, while authentication is switched off. */
  shared: () => IssuedSession | null
}

/** Tells who sends a request, and notes that the session was seen. */
export function createIdentify({ sessions, log, shared }: Parts) {
  function noteSeen(request: Request, found: SessionRecord): void {
    if (request.headers.get('x-user-active') === 'false') return
    if (new URL(request.url).pathname.startsWith('/hubs/')) return
    try {
      sessions.noteSeen(found)
    } catch (error) {
      // A full disk must not lock people out.
      log.warn({ err: error }, 'the time a session was last seen could not be stored')
    }
  }

  return (request: Request): Caller => {
    const everybody = shared()
    if (everybody !== null) return sharedCaller(everybody.id)
    const found = sessionOf(sessions, request)
    if (found === null) return anonymous
    noteSeen(request, found)
    return sessions.caller(found)
  }
}
