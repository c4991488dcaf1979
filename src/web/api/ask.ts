import { ownHeaders } from './eden.ts'
import { Refusal } from './refusal.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A few refusals are plain text, which people can read. */
function readRefusal(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '' || text.startsWith('<') ? null : { error: text }
  }
}

interface Sending {
  body?: BodyInit | undefined
  headers?: Record<string, string>
}

/** For calls that the typed client cannot make: bare JSON values, files, raw responses. */
export async function request(
  method: Method,
  path: string,
  { body, headers: further }: Sending = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...ownHeaders(), ...further }
  if (typeof body === 'string') headers['Content-Type'] = 'application/json'
  const response = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) })
  if (!response.ok) {
    const refusal = readRefusal(await response.text())
    throw new Refusal(response.status, refusal, response.headers.get('Retry-After'))
  }
  // The dashboard's page as a 200 answer means that the endpoint does not exist.
  if (response.headers.get('Content-Type')?.startsWith('text/html') === true) {
    throw new Refusal(404, null)
  }
  return response
}

/** The same with JSON in both directions. */
export async function ask<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const response = await request(method, path, { body: text })
  const answer = await response.text()
  // Responses come from our own service; their shapes are the contract's.
  return (answer === '' ? null : JSON.parse(answer)) as T
}
