import { anonymous, type Caller } from '../core/caller.ts'
import { readCookie, sessionCookie } from '../core/http/cookies.ts'
import type { Logger } from '../core/lib/log.ts'
import { shareHeader } from '../core/lib/share-pages.ts'
import type { ShareLinks } from './links/links.ts'
import type { FoundSession, IssuedSession, Sessions } from './sessions/sessions.ts'

/** The active session of a request's cookie. */
export function sessionOf(sessions: Sessions, request: Request): FoundSession | null {
  const token = readCookie(request, sessionCookie)
  return token === null ? null : sessions.find(token)
}

/** The caller of every request while authentication is disabled. */
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
  links: ShareLinks
  log: Logger
  /** The shared session while authentication is disabled. */
  shared: () => IssuedSession | null
}

/** Identifies the caller of a request and records that the session was seen. */
export function createIdentify({ sessions, links, log, shared }: Parts) {
  function noteSeen(request: Request, found: FoundSession): void {
    const isIdle = request.headers.get('x-user-active') === 'false'
    try {
      sessions.noteUsed(found)
      if (isIdle || new URL(request.url).pathname.startsWith('/hubs/')) return
      sessions.noteSeen(found)
    } catch (error) {
      // A full disk must not lock users out.
      log.warn({ err: error }, 'the use of a session could not be stored')
    }
  }

  return (request: Request): Caller => {
    // Before the cookie: a signed-in visitor sees a shared page as others do.
    const token = request.headers.get(shareHeader)
    if (token !== null) return links.callerOf(token, request)
    const everybody = shared()
    if (everybody !== null) return sharedCaller(everybody.id)
    const found = sessionOf(sessions, request)
    if (found === null) return anonymous
    noteSeen(request, found)
    return sessions.caller(found)
  }
}
