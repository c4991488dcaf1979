import { createHmac, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { readCookie } from '../../core/http/cookies.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { keepSecret, randomText } from '../../core/lib/secret-file.ts'

export const handshakeCookie = 'Svc.Oidc'
/** A second factor takes a while. */
const validMs = 10 * 60_000
const returnPathMax = 150

/** What a browser carries from the start of a sign-in to its end. */
export interface Handshake {
  /** Sent to the provider, which returns them; they prove that this browser began. */
  state: string
  nonce: string
  /** Of PKCE. */
  verifier: string
  /** The session whose account is to be linked; null: a sign-in. */
  linksSession: string | null
  returnPath: string
}

/** A path of the dashboard; anything else becomes the overview. */
const safePath = (path: string): string =>
  /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && path.length <= returnPathMax ? path : '/'

/**
 * Handshakes lie in a signed cookie of the browser; state, nonce and verifier are derived from it.
 * The service keeps nothing, so it can be restarted and nobody can fill its memory.
 */
export function createHandshakes(dataPath: string, clock: Clock) {
  const { secret } = keepSecret(join(dataPath, 'security', 'oidc.key'), () => randomText(32))
  const derived = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(`${purpose} ${text}`).digest('base64url')

  const opened = (text: string, linksSession: string | null, path: string): Handshake => ({
    state: derived('state', text),
    nonce: derived('nonce', text),
    verifier: derived('verifier', text),
    linksSession,
    returnPath: safePath(Buffer.from(path, 'base64url').toString('latin1')),
  })

  return {
    begin(linksSession: string | null, returnPath: string) {
      const now = clock.now()
      const path = Buffer.from(safePath(returnPath), 'latin1').toString('base64url')
      const text = [now.getTime(), randomText(16), linksSession ?? '', path].join('.')
      const value = `${text}.${derived('cookie', text)}`
      const expires = new Date(now.getTime() + validMs)
      return { ...opened(text, linksSession, path), value, expires }
    },
    /** Null: none, too old, or not from here. */
    of(request: Request): Handshake | null {
      const value = readCookie(request, handshakeCookie) ?? ''
      const end = value.lastIndexOf('.')
      const text = value.slice(0, Math.max(end, 0))
      const sent = Buffer.from(value.slice(end + 1))
      const own = Buffer.from(derived('cookie', text))
      if (sent.length !== own.length || !timingSafeEqual(sent, own)) return null
      const [startedMs, , linksSession = '', path = ''] = text.split('.')
      const ageMs = clock.now().getTime() - Number(startedMs)
      if (!(ageMs >= 0 && ageMs < validMs)) return null
      return opened(text, linksSession === '' ? null : linksSession, path)
    },
  }
}
