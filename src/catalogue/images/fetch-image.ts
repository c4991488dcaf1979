import { OutsideError, type Outside } from '../../core/lib/outside.ts'
import { imageTypeOf, type ImageType } from './media-type.ts'
import { errorText } from '../../core/lib/error-text.ts'

const timeoutMs = 10_000
/** Larger images are refused; header images have 20 to 300 kB. */
export const imageBytesMax = 2 * 1024 * 1024
/** Smaller ones are the platforms' grey placeholders. */
const imageBytesMin = 5000

export type Fetched =
  | { kind: 'image'; bytes: Buffer; type: ImageType }
  /** There is no image at this address. */
  | { kind: 'none' }
  /** The server did not answer, or cannot answer now. */
  | { kind: 'failed'; reason: string }

/** The body, or null when it is too large; the rest is not received then. */
async function readBody(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > imageBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function imageIn(response: Response): Promise<Fetched> {
  if (!response.ok) {
    await response.body?.cancel()
    return { kind: 'none' }
  }
  const bytes = await readBody(response)
  if (bytes === null || bytes.length < imageBytesMin) return { kind: 'none' }
  const type = imageTypeOf(bytes)
  return type === null ? { kind: 'none' } : { kind: 'image', bytes, type }
}

/** Fetches one image. Rejects only with the signal's reason. */
export async function fetchImage(
  outside: Outside,
  url: string,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    // A redirect could lead to a machine of the operator's network.
    return await outside.get({ url, signal, timeoutMs, redirect: 'manual' }, imageIn)
  } catch (error) {
    signal.throwIfAborted()
    const status = error instanceof OutsideError ? error.status : null
    const isMissing = status !== null && status >= 400 && status < 500 && status !== 429
    if (isMissing) return { kind: 'none' }
    return { kind: 'failed', reason: errorText(error) }
  }
}
