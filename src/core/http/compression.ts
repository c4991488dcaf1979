import { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Smaller responses gain nothing. */
const compressBytesMin = 1024
/** Up to this size a response is compressed at once, beyond it while being sent. */
export const heldBytesMax = 256 * 1024

type Encoding = 'br' | 'gzip'

const compressible =
  /^(text\/|application\/(json|javascript|problem\+json|toml|manifest\+json)|image\/svg)/

/** The best encoding that the caller accepts with a weight above zero. */
export function acceptedEncoding(header: string | null): Encoding | null {
  const accepted = new Set<string>()
  for (const part of (header ?? '').toLowerCase().split(',').slice(0, 16)) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim())
    const weight = parameters.find((one) => one.startsWith('q='))
    if (weight === undefined || Number(weight.slice(2)) > 0) accepted.add(name)
  }
  if (accepted.has('br')) return 'br'
  return accepted.has('gzip') ? 'gzip' : null
}

function isWorthIt(request: Request, response: Response): boolean {
  if (request.method === 'HEAD' || response.body === null || response.status === 206) return false
  const { headers } = response
  if (headers.has('Content-Encoding') || headers.has('Content-Range')) return false
  if (!compressible.test(headers.get('Content-Type') ?? '')) return false
  const length = headers.get('Content-Length')
  return length === null || Number(length) >= compressBytesMin
}

// Takes half the time of quality 4; large answers grow by a twentieth, small ones by a third.
const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipLevel = { level: 6 }

const encode = (bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> =>
  encoding === 'gzip' ? deflate(bytes, gzipLevel) : brotli(bytes, brotliQuality)

function encodeStream(stream: ReadableStream<Uint8Array>, encoding: Encoding) {
  const encoder = encoding === 'gzip' ? createGzip(gzipLevel) : createBrotliCompress(brotliQuality)
  // The dashboard's type check takes the browser's streams, which differ from Node's in their types.
  const pair = Duplex.toWeb(encoder) as unknown as ReadableWritablePair<Uint8Array, Uint8Array>
  return stream.pipeThrough(pair)
}

/** The whole body if it has at most this many bytes, else a stream of all of it. */
async function readUpTo(stream: ReadableStream<Uint8Array>, bytesMax: number) {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  while (length <= bytesMax) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    chunks.push(value)
    length += value.length
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks.shift()
      const { done, value } =
        chunk === undefined ? await reader.read() : { done: false, value: chunk }
      if (value !== undefined) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

interface Encoded {
  body: Uint8Array | ReadableStream<Uint8Array>
  isEncoded: boolean
}

async function bodyOf(response: Response, encoding: Encoding): Promise<Encoded> {
  const read = await readUpTo(response.body ?? new Blob().stream(), heldBytesMax)
  if (read instanceof ReadableStream) return { body: encodeStream(read, encoding), isEncoded: true }
  const isEncoded = read.length >= compressBytesMin
  return { body: isEncoded ? await encode(read, encoding) : read, isEncoded }
}

/**
 * Compresses a response on request. One that must not be changed (an export) sets
 * `Content-Encoding: identity`.
 */
export async function compress(request: Request, response: Response): Promise<Response> {
  if (!isWorthIt(request, response)) return response
  const encoding = acceptedEncoding(request.headers.get('Accept-Encoding'))
  response.headers.append('Vary', 'Accept-Encoding')
  if (encoding === null) return response
  const { body, isEncoded } = await bodyOf(response, encoding)
  const headers = new Headers(response.headers)
  if (isEncoded) {
    headers.set('Content-Encoding', encoding)
    const tag = headers.get('ETag')
    if (tag !== null && !tag.startsWith('W/')) headers.set('ETag', `W/${tag}`)
  }
  if (body instanceof ReadableStream) headers.delete('Content-Length')
  else headers.set('Content-Length', String(body.length))
  // The encoders allocate plain buffers; their types also allow shared ones.
  const sent = body as Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  return new Response(sent, { status: response.status, headers })
}
