import { treaty } from '@elysiajs/eden'
import type { Api } from '../../app.ts'
import { antiforgeryToken } from './antiforgery.ts'
import { Refusal } from './refusal.ts'

/** Result of every call of the typed client. */
export interface Answer<Data> {
  data: Data | null
  error: { status: unknown; value: unknown } | null
  response: Response
}

/** The whole API, typed by the server's own routes. */
export const { api } = treaty<Api>(location.origin, {
  parseDate: false,
  fetch: { credentials: 'same-origin' },
  // The method is not known here, so reads carry the token as well.
  headers: () => ownHeaders(),
  onRequest: (_path, options) => jsonValue(options),
})

/** Bare values are JSON as well; the client marks them as plain text. */
function jsonValue({ body, headers }: RequestInit): RequestInit {
  if (new Headers(headers).get('content-type') !== 'text/plain') return {}
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

/** Headers of every request. */
export function ownHeaders(): Record<string, string> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const token = antiforgeryToken(document.cookie)
  if (token !== null) headers['X-Antiforgery-Token'] = token
  // A hidden tab does not keep its session active.
  if (document.hidden) headers['X-User-Active'] = 'false'
  return headers
}

/** Starts a read-only guest session; the response sets its cookie. */
export async function startGuestSession(): Promise<void> {
  const response = await fetch('/api/auth/guest', { method: 'POST', headers: ownHeaders() })
  if (response.ok) return
  const body: unknown = await response.json().catch(() => null)
  throw new Refusal(response.status, body, response.headers.get('Retry-After'))
}

/** Returns the data or throws a refusal. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (error !== null) {
    throw new Refusal(response.status, error.value, response.headers.get('Retry-After'))
  }
  // The dashboard's page as a 200 answer means that the endpoint does not exist.
  if (response.headers.get('Content-Type')?.startsWith('text/html') === true) {
    throw new Refusal(404, null)
  }
  return data as Data // no error: the data is present, or null by its schema
}
