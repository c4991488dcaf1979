import { Shares, type Holder } from '../lib/shares.ts'
import { AppError, MalformedRequest, unavailable } from './errors.ts'

/** Largest JSON body of a route that does not declare `bodyBytesMax`. */
export const jsonBytesMax = 64 * 1024
const mib = 1024 * 1024

/** Bodies held at the same time, in bytes. */
const heldBytesMax = {
  total: 16 * mib,
  guests: 8 * mib,
  perSession: mib,
  perAddress: 2 * mib,
}
/** A body must be complete within this time, however slowly it is sent. */
const bodySeconds = 30

/** The body of a route: `none` has none, `multipart` is for files only. */
export type BodyKind = 'json' | 'multipart' | 'none'

export interface BodyRules {
  kind: BodyKind
  bytesMax: number
  isRequired: boolean
}

const mediaTypes = {
  json: { pattern: /^application\/json\s*(;|$)/i, name: 'application/json' },
  multipart: { pattern: /^multipart\/form-data\s*;/i, name: 'multipart/form-data' },
}

const fixes = {
  json: "with curl: -H 'Content-Type: application/json'",
  multipart: 'with curl: -F file=@theme.toml',
}

const tooLarge = (bytesMax: number) =>
  new AppError('tooLarge', `The request body is larger than the ${bytesMax} bytes allowed here`)

const malformed = (message: string) => new MalformedRequest([{ field: 'body', message }])

function checkMediaType(request: Request, kind: BodyKind): void {
  if (kind === 'none') return
  const { pattern, name } = mediaTypes[kind]
  if (pattern.test(request.headers.get('content-type') ?? '')) return
  throw new AppError('wrongMediaType', `The header Content-Type must be ${name} (${fixes[kind]})`)
}

/** Reads into one buffer: with many tiny chunks, a list would cost far more than their content. */
async function collect(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(bytesMax)
  const reader = stream.getReader()
  let length = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel()
  }, bodySeconds * 1000)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw malformed('ended early: the connection was closed')
      })
      if (isLate) throw new AppError('tooSlow')
      if (done) return bytes.subarray(0, length)
      if (length + value.length > bytesMax) {
        // Discards the rest instead of keeping it for a reader.
        await reader.cancel()
        throw tooLarge(bytesMax)
      }
      bytes.set(value, length)
      length += value.length
    }
  } finally {
    clearTimeout(timer)
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    // Without the parser's message: it quotes the body, which may contain a password.
    throw malformed('could not be read as JSON')
  }
}

async function parseForm(request: Request, bytes: Uint8Array): Promise<unknown> {
  const headers = { 'Content-Type': request.headers.get('content-type') ?? '' }
  // `collect` allocates plain buffers; the type also allows shared ones.
  const form = new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
  const entries = await form.catch(() => {
    throw malformed('could not be read as multipart/form-data')
  })
  return Object.fromEntries(entries)
}

/** Many clients send an empty object with every call; any other body expects an effect. */
function expectNothing(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes).trim()
  if (!['', '{}', 'null'].includes(text))
    throw malformed('is not expected: this call takes no body')
}

/** Reads request bodies within limits; one per application, because it bounds their sum. */
export class BodyReader {
  readonly #held = new Shares(heldBytesMax)

  /** The parsed body; `undefined` without one. Call it after the caller was admitted. */
  async read(request: Request, rules: BodyRules, holder: Holder): Promise<unknown> {
    const { kind, isRequired } = rules
    const bytes = await this.#bytes(request, rules, holder)
    if (bytes.length === 0) {
      if (isRequired) throw malformed(`is missing: this call needs ${mediaTypes.json.name}`)
      return undefined
    }
    if (kind === 'none') return expectNothing(bytes)
    return kind === 'json' ? parseJson(bytes) : parseForm(request, bytes)
  }

  async #bytes(
    request: Request,
    { kind, bytesMax }: BodyRules,
    holder: Holder,
  ): Promise<Uint8Array> {
    const declared = request.headers.get('content-length')
    if (request.body === null || declared === '0') return new Uint8Array()
    checkMediaType(request, kind)
    const wanted = declared === null ? bytesMax : Number(declared)
    if (wanted > bytesMax) throw tooLarge(bytesMax)
    const giveBack = this.#held.take(holder, wanted)
    if (giveBack === null) throw unavailable('Too many uploads at the same time; try again', 1)
    try {
      return await collect(request.body, wanted)
    } finally {
      giveBack()
    }
  }
}
