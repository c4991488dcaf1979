import { Refusal } from './refusal.ts'

export type Query = Record<string, string | number | boolean | undefined>

interface Request {
  method: string
  path: string
  query?: Query | undefined
  body?: unknown
  signal?: AbortSignal | undefined
}

/** The antiforgery token travels back in a header; the server compares it with the cookie. */
export function antiforgeryToken(cookies: string): string | null {
  for (const part of cookies.split('; ')) {
    if (part.startsWith('Svc.Antiforgery=')) return part.slice('Svc.Antiforgery='.length)
  }
  return null
}

export function pathWithQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

async function call<T>({ method, path, query, body, signal }: Request): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const token = antiforgeryToken(document.cookie)
  if (method !== 'GET' && token !== null) headers['X-Antiforgery-Token'] = token
  // Tells the server that nobody looks at this tab, so the session does not count as active.
  if (document.hidden) headers['X-User-Active'] = 'false'
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(pathWithQuery(path, query), {
    method,
    headers,
    credentials: 'same-origin',
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  })
  const text = await response.text()
  const isJson = response.headers.get('Content-Type')?.includes('json') ?? false
  const value: unknown = isJson && text !== '' ? JSON.parse(text) : null
  if (!response.ok) throw new Refusal(response.status, value, response.headers.get('Retry-After'))
  // An unmatched path answers 200 with the page itself: that endpoint is not there.
  if (text !== '' && !isJson) throw new Refusal(404, null)
  return value as T // the shape is the contract's, checked by the contract tests
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  call<T>({ method: 'GET', path, query, signal })

export const send = <T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => call<T>({ method, path, body })
