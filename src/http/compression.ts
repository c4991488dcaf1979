import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Smaller answers gain nothing; larger ones are sent as they are instead of being held in memory. */
const compressBytesMin = 1024
const compressBytesMax = 16 * 1024 * 1024
/** Hashed assets never change, so each is compressed once. */
const keptAssetsMax = 64

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
  const isFile = headers.get('Cache-Control')?.includes('immutable') ?? false
  const length = headers.get('Content-Length')
  return isFile || length === null || Number(length) >= compressBytesMin
}

function encode(bytes: Uint8Array, encoding: Encoding, quality: number): Promise<Uint8Array> {
  if (encoding === 'gzip') return deflate(bytes, { level: 6 })
  return brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}

interface Encoded {
  body: Uint8Array
  isEncoded: boolean
}

/**
 * A function that compresses answers when that was asked for; one per application. An answer that
 * must be passed through as a stream (an export) says `Content-Encoding: identity`.
 */
export function createCompressor() {
  const kept = new Map<string, Encoded>()

  async function bodyOf(request: Request, response: Response, encoding: Encoding) {
    const isImmutable = response.headers.get('Cache-Control')?.includes('immutable') ?? false
    const key = `${encoding} ${new URL(request.url).pathname}`
    const known = isImmutable ? kept.get(key) : undefined
    if (known !== undefined) return known
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isEncoded = bytes.length >= compressBytesMin && bytes.length <= compressBytesMax
    const body = isEncoded ? await encode(bytes, encoding, isImmutable ? 9 : 4) : bytes
    const encoded = { body, isEncoded }
    if (isImmutable && kept.size < keptAssetsMax) kept.set(key, encoded)
    return encoded
  }

  return async function compress(request: Request, response: Response): Promise<Response> {
    if (!isWorthIt(request, response)) return response
    const encoding = acceptedEncoding(request.headers.get('Accept-Encoding'))
    response.headers.append('Vary', 'Accept-Encoding')
    if (encoding === null) return response
    const { body, isEncoded } = await bodyOf(request, response, encoding)
    const headers = new Headers(response.headers)
    if (isEncoded) {
      headers.set('Content-Encoding', encoding)
      const tag = headers.get('ETag')
      if (tag !== null && !tag.startsWith('W/')) headers.set('ETag', `W/${tag}`)
    }
    headers.set('Content-Length', String(body.length))
    // The encoders allocate plain buffers; their types also allow shared ones.
    return new Response(body as Uint8Array<ArrayBuffer>, { status: response.status, headers })
  }
}
