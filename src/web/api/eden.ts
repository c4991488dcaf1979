import { treaty } from '@elysiajs/eden'
import type { Api } from '../../app.ts'
import { antiforgeryToken } from './antiforgery.ts'
import { Refusal } from './refusal.ts'

/** What every call of the typed client answers. */
interface Answer<Data> {
  data: Data | null
  error: { status: unknown; value: unknown } | null
  response: Response
}

/** The whole API, typed by the server's own routes. */
export const { api } = treaty<Api>(location.origin, {
  parseDate: false,
  fetch: { credentials: 'same-origin' },
  // The client does not tell here whether it is going to write, so reads carry the token too.
  headers: () => ownHeaders(),
})

/** Headers of every call of ours. */
export function ownHeaders(): Record<string, string> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const token = antiforgeryToken(document.cookie)
  if (token !== null) headers['X-Antiforgery-Token'] = token
  // Tells the server that nobody looks at this tab, so the session does not count as active.
  if (document.hidden) headers['X-User-Active'] = 'false'
  return headers
}

/** Starts a session that can only look; the cookie comes with the answer. */
export async function startGuestSession(): Promise<void> {
  const response = await fetch('/api/auth/guest', { method: 'POST', headers: ownHeaders() })
  if (response.ok) return
  const body: unknown = await response.json().catch(() => null)
  throw new Refusal(response.status, body, response.headers.get('Retry-After'))
}

/** The data, or a thrown refusal. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (error !== null) {
    throw new Refusal(response.status, error.value, response.headers.get('Retry-After'))
  }
  // An unmatched path answers 200 with the page itself: that endpoint is not there.
  if (response.headers.get('Content-Type')?.startsWith('text/html') === true) {
    throw new Refusal(404, null)
  }
  return data as Data // no error: the data is there, or it is null by the schema
}
