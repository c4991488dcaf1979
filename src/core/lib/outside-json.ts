import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OutsideError, type Outside, type OutsideRequest } from './outside.ts'

/** Larger answers are refused unread; libraries of thousands of games stay far below. */
const bytesMaxUsual = 8 * 1024 * 1024

/** Reads an answer up to a limit. Throws OutsideError when it is larger. */
export async function readBytes(
  response: Response,
  host: string,
  bytesMax: number,
): Promise<Buffer> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {}
      if (done || value === undefined) return Buffer.concat(chunks)
      bytes += value.length
      if (bytes > bytesMax) throw new OutsideError(`${host} sent more than ${bytesMax} bytes`, null)
      chunks.push(value)
    }
  } finally {
    // A connection that broke off cannot be cancelled; there is nothing to give back then.
    await reader?.cancel().catch(() => {})
  }
}

/**
 * Reads an answer as JSON of this form. Throws OutsideError when it is too large, breaks off or has
 * another form; the error contains nothing of the answer, which may be a token.
 */
export async function readJson<T extends TSchema>(
  response: Response,
  schema: T,
  { host, bytesMax = bytesMaxUsual }: { host: string; bytesMax?: number },
): Promise<Static<T>> {
  let bytes: Buffer
  try {
    bytes = await readBytes(response, host, bytesMax)
  } catch (error) {
    if (error instanceof OutsideError) throw error
    throw new OutsideError(`${host} broke off its answer`, null)
  }
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
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
    if (status !== 304) return { status, etag, value: await readJson(response, schema, { host }) }
    await response.body?.cancel()
    return { status, etag, value: null }
  })
}
