import { Elysia, NotFoundError, ParseError, ValidationError } from 'elysia'
import { HistorySlow, HistoryUnavailable } from '../../../db/history/history.ts'
import type { Logger } from '../lib/log.ts'
import { EngineAway, EngineEnded, EngineFailure, EngineSilent } from '../../engines/host.ts'
import type { PhraseValues } from '../lib/phrases.ts'
import { emptyRecord } from '../lib/record.ts'
import { SealError } from '../lib/seal.ts'
import { OperationRefused, type OperationView } from '../operations/contract.ts'
import { expected, received } from './validation-texts.ts'
import { requestIdOf } from './request-id.ts'
import type { Shape } from './shape.ts'
import { isStorageFault } from '../lib/storage-faults.ts'

/** Faults listed in one response. */
export const faultsMax = 20

/** Every refusal of the service: its status and its default text (null: empty body). */
const refusals = {
  invalid: [400, 'Invalid request'],
  unauthenticated: [401, null],
  badCredentials: [401, 'Sign-in failed'],
  forbidden: [403, null],
  refused: [403, 'Not allowed'],
  notFound: [404, 'Not found'],
  wrongMethod: [405, 'This path does not support this method'],
  tooSlow: [408, 'The request body did not arrive in time'],
  conflict: [409, 'Conflict'],
  tooLarge: [413, 'Request body too large'],
  wrongMediaType: [415, 'The media type of the request body is not supported'],
  misdirected: [421, 'Misdirected request'],
  upgradeRequired: [426, 'This path is for WebSocket connections'],
  tooMany: [429, 'Too many requests'],
  failed: [500, 'The request failed'],
  unavailable: [503, 'Not available at the moment'],
} as const satisfies Record<string, readonly [status: number, text: string | null]>

export type Refusal = keyof typeof refusals

export interface RefusalDetails {
  /** Members added to the error body, for example `stageKey` or `errors`. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** The text's key for translated pages, and the values that complete it. */
export const staged = (stageKey: string, context?: PhraseValues): RefusalDetails => ({
  extra: context === undefined ? { stageKey } : { stageKey, context },
})

/** An expected refusal. Its text reaches the caller, so it never contains secrets or paths. */
export class AppError extends Error {
  readonly refusal: Refusal
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(refusal: Refusal, text?: string, details: RefusalDetails = {}) {
    super(text ?? refusals[refusal][1] ?? refusal, { cause: details.cause })
    this.refusal = refusal
    this.extra = details.extra ?? {}
    this.headers = details.headers ?? {}
  }
}

/** The value; 404 with this text where there is none. */
export function orNotFound<T>(value: T | null | undefined, text: string): T {
  if (value === null || value === undefined) throw new AppError('notFound', text)
  return value
}

/**
 * 503 with `Retry-After`, for everything that needs the history database while it is unavailable.
 */
export const unavailable = (
  text: string,
  retryAfterSeconds = 5,
  cause?: unknown,
  details: RefusalDetails = {},
) =>
  new AppError('unavailable', text, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
    ...details,
  })

/**
 * 409 for an operation that another one excludes; the reason ends the stage key, and the type begins
 * with a capital letter.
 */
export const operationConflict = (
  text: string,
  { id, type, scope }: OperationView,
  reason = 'duplicate',
) =>
  new AppError('conflict', text, {
    extra: {
      code: 'OPERATION_CONFLICT',
      stageKey: `errors.conflict.${reason}`,
      activeOperationId: id,
      activeOperationType: type.charAt(0).toUpperCase() + type.slice(1),
      activeOperationScope: scope,
      context: null,
    },
  })

/** 503 for a local file that cannot be written, with the code known to clients. */
const notWritable = (cause: unknown) =>
  new AppError('unavailable', 'state_persistence_disabled', {
    extra: {
      message: 'The data folder cannot be written: is the disk full or read-only?',
      stageKey: 'errors.unavailable.storage',
    },
    headers: { 'Retry-After': '10' },
    cause,
  })

/** 503 while the history cannot answer, or not in time. */
function historyAway(cause: HistoryUnavailable): AppError {
  const details =
    cause instanceof HistorySlow
      ? staged('errors.unavailable.historySlow', { seconds: cause.seconds })
      : staged('errors.unavailable.history')
  return unavailable(cause.message, 5, cause, details)
}

/** 503 while a worker cannot answer; its own message is only logged, unless it is for users. */
function engineAway(cause: EngineFailure, rules: ErrorRules): AppError {
  rules.log.warn({ err: cause }, 'an engine could not answer')
  if (cause instanceof EngineSilent) {
    const text = 'A disk does not answer; check it, or try again later'
    return unavailable(text, 10, cause, staged('errors.engine.silent'))
  }
  if (cause instanceof EngineAway) return unavailable(cause.message, 30, cause)
  if (cause instanceof EngineEnded) {
    const text = 'This part of the service is restarting; try again in a moment'
    return unavailable(text, 2, cause, staged('errors.engine.restarting'))
  }
  const text = 'This part of the service failed; see the service’s log'
  return unavailable(text, 10, cause, staged('errors.engine.failed'))
}

/** 503 for a secret that cannot be stored; the reason, which names the key file, is only logged. */
function notSealed(cause: SealError, { log }: ErrorRules): AppError {
  log.error({ reason: cause.message }, 'a secret could not be stored')
  const text = 'It could not be stored: the key file of this installation is unusable'
  return new AppError('unavailable', text, { cause })
}

/** The body of a failed field validation; `field` is the PascalCase property path. */
export const fieldErrors = (errors: { field: string; message: string }[]) =>
  new AppError('invalid', 'Validation failed', { extra: { errors } })

export function refusalResponse(error: AppError, request?: Request): Response {
  const [status, text] = refusals[error.refusal]
  const { headers, message, extra } = error
  if (text === null) return new Response(null, { status, headers })
  const isTraced = request !== undefined && 'statusCode' in extra
  const body = { error: message, ...extra, ...(isTraced && { traceId: requestIdOf(request) }) }
  return Response.json(body, { status, headers })
}

/** A part of a request that does not match the documented form. */
export interface Fault {
  field: string
  message: string
}

/** A request that does not match the documented form, with every fault and its field. */
export class MalformedRequest extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super('the request does not have the documented form')
    this.faults = faults
  }
}

/** The framework's own faults: patterns and lengths of texts in a query. */
function faultsOf(error: ValidationError): Fault[] {
  return error.all.slice(0, faultsMax).map((fault) => {
    const path = 'path' in fault ? fault.path.replace(/^\//, '').replaceAll('/', '.') : ''
    const field = path === '' ? error.type : path
    if (!('schema' in fault)) return { field, message: 'Is not valid' }
    // TypeBox's schema of that one field; `expected` reads its public members only.
    const wanted = expected(fault.schema as Shape)
    return { field, message: `Expected ${wanted}, received ${received(fault.value, field)}` }
  })
}

/** RFC 7807 body for a request that does not match the documented form. */
function problem(faults: readonly Fault[], request: Request): Response {
  const errors = emptyRecord<string[]>()
  // Names and values of the sender may be cut within a character.
  for (const { field, message } of faults) {
    const named = (errors[field.toWellFormed()] ??= [])
    named.push(message.toWellFormed())
  }
  const [first] = faults
  const body = {
    type: 'https://www.rfc-editor.org/rfc/rfc9110#name-400-bad-request',
    title: 'One or more validation errors occurred.',
    status: 400,
    detail: first && `${first.field}: ${first.message}`.toWellFormed(),
    errors,
    traceId: requestIdOf(request),
  }
  const headers = { 'Content-Type': 'application/problem+json' }
  return new Response(JSON.stringify(body), { status: 400, headers })
}

export interface ErrorRules {
  log: Logger
  /** Answers requests that match no endpoint. */
  unmatched: (request: Request) => Response | Promise<Response>
}

/** 500 for a fault of the service itself; the cause is only logged. */
export function unexpected(
  error: unknown,
  request: Request,
  log: Logger,
  headers: Record<string, string> = {},
): Response {
  const traceId = requestIdOf(request)
  log.error({ err: error, traceId }, 'request failed')
  const stageKey = 'errors.unexpected'
  const body = { error: 'The request failed unexpectedly', stageKey, statusCode: 500, traceId }
  return Response.json(body, { status: 500, headers })
}

/** Renders everything that is thrown, in one place. */
export const errors = (rules: ErrorRules) =>
  new Elysia({ name: 'http/errors' }).onError({ as: 'global' }, async ({ error, request, set }) => {
    // The failure's status would override responses that set none, such as the dashboard.
    set.status = 200
    // The framework wraps errors thrown while reading a body.
    let shown: unknown = error instanceof ParseError ? error.cause : error
    if (shown instanceof OperationRefused) shown = unavailable(shown.message)
    if (shown instanceof HistoryUnavailable) shown = historyAway(shown)
    if (isStorageFault(shown)) shown = notWritable(shown)
    if (shown instanceof EngineFailure) shown = engineAway(shown, rules)
    if (shown instanceof SealError) shown = notSealed(shown, rules)
    if (shown instanceof AppError) return refusalResponse(shown, request)
    if (shown instanceof MalformedRequest) return problem(shown.faults, request)
    if (shown instanceof NotFoundError) return rules.unmatched(request)
    if (!(shown instanceof ValidationError)) return unexpected(shown, request, rules.log)
    // A malformed id is a path that matches nothing.
    if (shown.type === 'params') return rules.unmatched(request)
    if (shown.type === 'response') return unexpected(shown, request, rules.log)
    return problem(faultsOf(shown), request)
  })
