export const sessionCookie = 'Svc.Session'
export const antiforgeryCookie = 'Svc.Antiforgery'

/** Longer values are not from this service. */
const valueCharsMax = 512

/** Value of a request cookie; null when absent, empty or far too long. */
export function readCookie(request: Request, name: string): string | null {
  const header = request.headers.get('cookie')
  if (header === null) return null
  const value = new Bun.CookieMap(header).get(name)
  return value === null || value === '' || value.length > valueCharsMax ? null : value
}

interface CookieOptions {
  isSecure: boolean
  /** Not readable by scripts (`HttpOnly`). */
  isHidden: boolean
  /** Absent: until the browser is closed. */
  expires?: Date
}

/** A `Set-Cookie` line. Values are base64url, so the cookie needs no escaping. */
export function cookieLine(name: string, value: string, options: CookieOptions): string {
  return new Bun.Cookie(name, value, {
    path: '/',
    sameSite: 'lax',
    httpOnly: options.isHidden,
    secure: options.isSecure,
    ...(options.expires !== undefined && { expires: options.expires }),
  }).serialize()
}

/** Makes the browser delete a cookie. */
export const clearedCookie = (name: string, options: CookieOptions): string =>
  cookieLine(name, '', { ...options, expires: new Date(0) })
