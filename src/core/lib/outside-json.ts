import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OutsideError, type Outside, type OutsideRequest } from './outside.ts'

/** Fetches a file. Throws OutsideError, also when it is larger than the request allows. */
export const askBytes = (outside: Outside, request: OutsideRequest): Promise<Buffer> =>
  outside.get(request, async (response) => Buffer.from(await response.arrayBuffer()))

/**
 * Reads an answer as JSON of this form. Throws OutsideError when it is too large, breaks off or has
 * another form; the error contains nothing of the answer, which may be a token.
 */
export async function readJson<T extends TSchema>(
  response: Response,
  schema: T,
  host: string,
): Promise<Static<T>> {
  const text = await response.text()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (Value.Check(schema, value)) return value
  throw new OutsideError(`${host} answered in an unknown form`, null)
}

/** An answer's status, its value, and the ETag for the next conditional request. */
export interface JsonAnswer<T> {
  status: number
  /** Null: unchanged since the ETag that was sent (status 304). */
  value: T | null
  etag: string | null
}

/** Sends a request and reads its JSON. Throws OutsideError; rejects with the signal's reason. */
export function askJson<T extends TSchema>(
  outside: Outside,
  request: OutsideRequest,
  schema: T,
): Promise<JsonAnswer<Static<T>>> {
  const { host } = new URL(request.url)
  return outside.get(request, async (response) => {
    const { status } = response
    const etag = response.headers.get('etag')
    if (status !== 304) return { status, etag, value: await readJson(response, schema, host) }
    await response.body?.cancel()
    return { status, etag, value: null }
  })
}
