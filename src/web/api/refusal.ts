/** A response other than 2xx; every kind of error body is parsed into this form. */
export class Refusal extends Error {
  readonly status: number
  /** Value of `Retry-After` in seconds; null without one. */
  readonly retryAfterSeconds: number | null
  readonly stageKey: string | null
  /** Values that complete the text of the stage key. */
  readonly context: Readonly<Record<string, unknown>>
  /** Texts per field, lower-case field name. */
  readonly fields: Record<string, string>
  /** The unparsed body, for refusals that carry more than a text. */
  readonly body: unknown

  constructor(status: number, body: unknown, retryAfter: string | null = null) {
    const read = readBody(body)
    super(read.message ?? `HTTP ${status}`)
    this.status = status
    this.stageKey = read.stageKey
    this.context = read.context
    this.fields = read.fields
    this.body = body
    const seconds = Number(retryAfter)
    this.retryAfterSeconds = retryAfter !== null && seconds > 0 ? seconds : null
  }
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Parses plain text, `{error}`, `{error, errors: [{field, message}]}` and RFC 7807 bodies. */
function readBody(body: unknown) {
  if (!isRecord(body)) {
    // A few refusals are plain text, which people can read.
    const message = typeof body === 'string' && !body.startsWith('<') ? text(body) : null
    return { message, stageKey: null, context: {}, fields: {} }
  }
  const fields: Record<string, string> = {}
  if (Array.isArray(body['errors'])) {
    for (const entry of body['errors'] as unknown[]) {
      if (!isRecord(entry)) continue
      const field = text(entry['field'])
      if (field !== null) fields[field.toLowerCase()] = text(entry['message']) ?? ''
    }
  } else if (isRecord(body['errors'])) {
    for (const [field, messages] of Object.entries(body['errors'])) {
      const first = Array.isArray(messages) ? (messages as unknown[])[0] : messages
      fields[field.toLowerCase()] = text(first) ?? ''
    }
  }
  const { error, message: said, detail, title } = body
  const message = text(error) ?? text(said) ?? text(detail) ?? text(title)
  const context = isRecord(body['context']) ? body['context'] : {}
  return { message, stageKey: text(body['stageKey']), context, fields }
}

/** Of a reverse proxy that does not reach the service: a 503 of the service has a body of its own. */
const isOfProxy = ({ status, body }: Refusal): boolean => status > 500 && !isRecord(body)

/** The history database is unavailable; everything else works. */
export const isHistoryAway = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.status === 503 && !isOfProxy(error)

export const isSignedOut = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.status === 401

/** No response of the service: it restarts or the network is down. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Refusal && isOfProxy(error))
