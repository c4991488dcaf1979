import type { AccessParts } from '../parts.ts'
import { anonymous, type Caller } from '../../core/caller.ts'
import {
  antiforgeryCookie,
  clearedCookie,
  cookieLine,
  sessionCookie,
} from '../../core/http/cookies.ts'

type Parts = Pick<AccessParts, 'control' | 'config' | 'clock'>

export const isSecure = ({ control, config }: Parts, request: Request): boolean =>
  config.security.forceSecureCookies || config.tls !== null || control.address.isSecure(request)

/** `Set-Cookie` line for the session token. */
export const sessionLine = (
  parts: Parts,
  request: Request,
  { token, expiresAt }: { token: string; expiresAt: Date },
): string =>
  cookieLine(sessionCookie, token, {
    isSecure: isSecure(parts, request),
    isHidden: true,
    expires: expiresAt,
  })

/** Both cookies of a new session, so that the browser can continue without another request. */
export function freshLines(
  parts: Parts,
  request: Request,
  session: { id: string; token: string; expiresAt: Date },
): string[] {
  const bearer = { ...anonymous, kind: 'session' as const, sessionId: session.id }
  return [sessionLine(parts, request, session), antiforgeryLine(parts, request, bearer)]
}

/** `Set-Cookie` line by which this browser is recognised at its next sign-in to the account. */
export function deviceLine(parts: Parts, request: Request, accountId: string): string {
  const now = parts.clock.now()
  const { cookie, value, expires } = parts.control.devices.remember(request, accountId, now)
  return cookieLine(cookie, value, { isSecure: isSecure(parts, request), isHidden: true, expires })
}

export const clearedSessionLine = (parts: Parts, request: Request): string =>
  clearedCookie(sessionCookie, { isSecure: isSecure(parts, request), isHidden: true })

/** `Set-Cookie` line for the caller's antiforgery token, which scripts read. */
export function antiforgeryLine(parts: Parts, request: Request, caller: Caller): string {
  const token = parts.control.antiforgery.issue(request, caller)
  const options = { isSecure: isSecure(parts, request), isHidden: false }
  return cookieLine(antiforgeryCookie, token, options)
}

/**
 * Cookies set by `GET /api/auth/status`: a rotated session token when due, and the antiforgery
 * token.
 */
export function statusLines(parts: Parts, request: Request, caller: Caller): string[] {
  const lines = [antiforgeryLine(parts, request, caller)]
  const { control } = parts
  if (control.shared !== null) lines.push(sessionLine(parts, request, control.shared))
  const found = control.shared === null ? control.sessionOf(request) : null
  if (found === null || request.headers.has('x-api-key')) return lines
  const token = control.sessions.rotate(found)
  if (token !== null) {
    lines.push(sessionLine(parts, request, { token, expiresAt: found.expiresAt }))
  }
  return lines
}
