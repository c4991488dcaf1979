import { Elysia, NotFoundError, ParseError, ValidationError } from 'elysia'
import { HistoryUnavailable } from '../../db/history/history.ts'
import type { Logger } from '../lib/log.ts'
import { EngineFailure, EngineSilent } from '../engines/host.ts'
import { OperationRefused } from '../operations/contract.ts'
import { requestIdOf } from './request-id.ts'
import { isStorageFault } from './storage-faults.ts'

/** Every refusal the service can answer with: its status and its default text (null: empty body). */
const refusals = {
  invalid: [400, 'Invalid request'],
  unauthenticated: [401, null],
  badCredentials: [401, 'Sign-in failed'],
  forbidden: [403, null],
  refused: [403, 'Not allowed'],
  notFound: [404, 'Not found'],
  conflict: [409, 'Conflict'],
  tooLarge: [413, 'Request body too large'],
  misdirected: [421, 'Misdirected request'],
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

/** An expected refusal. Its text reaches the caller, so it never holds secrets or paths. */
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

/** 503 with `Retry-After`, for everything that needs the history database while it is away. */
export const unavailable = (text: string, retryAfterSeconds = 5, cause?: unknown) =>
  new AppError('unavailable', text, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })

/** 503 for a local file that cannot be written; the code is the one clients know. */
const notWritable = (cause: unknown) =>
  new AppError('unavailable', 'state_persistence_disabled', {
    extra: { message: 'The data folder cannot be written: is the disk full or read-only?' },
    headers: { 'Retry-After': '10' },
    cause,
  })

/** 503 while a worker is being started again; its own words go to the log only. */
function engineAway(cause: EngineFailure, rules: ErrorRules): AppError {
  rules.log.warn({ err: cause }, 'an engine could not answer')
  if (cause instanceof EngineSilent) {
    return unavailable('A disk does not answer, so this cannot be told at the moment', 10, cause)
  }
  return unavailable('This part of the service is being started again', 2, cause)
}

/** The body of a failed field validation; `field` is the PascalCase property path. */
export const fieldErrors = (errors: { field: string; message: string }[]) =>
  new AppError('invalid', 'Validation failed', { extra: { errors } })

export function refusalResponse(error: AppError): Response {
  const [status, text] = refusals[error.refusal]
  if (text === null) return new Response(null, { status, headers: error.headers })
  return Response.json({ error: error.message, ...error.extra }, { status, headers: error.headers })
}

/** What a fault without a path is about. A number beyond its limits comes with its value only. */
function namelessFault(error: ValidationError, request: Request): string {
  // Elysia's name for a value that could not be converted; JSON bodies are not converted.
  if (error.type !== 'property') return 'body'
  const value = error.valueError === undefined ? null : error.valueError.value
  const members = [...new URL(request.url).searchParams]
  return members.find(([, text]) => Number(text) === value)?.[0] ?? 'path'
}

/** RFC 7807 body for a request that does not have the documented form. Never echoes the input. */
function problem(error: ValidationError | ParseError, request: Request): Response {
  const errors: Record<string, string[]> = {}
  if (error instanceof ValidationError) {
    for (const fault of error.all.slice(0, 20)) {
      const path = 'path' in fault ? fault.path.replace(/^\//, '').replaceAll('/', '.') : ''
      const text = 'message' in fault ? fault.message : 'Invalid value'
      const list = (errors[path || namelessFault(error, request)] ??= [])
      list.push(text)
    }
  } else {
    errors.body = ['The request body could not be read as JSON']
  }
  const body = {
    type: 'https://www.rfc-editor.org/rfc/rfc9110#name-400-bad-request',
    title: 'One or more validation errors occurred.',
    status: 400,
    errors,
    traceId: requestIdOf(request),
  }
  const headers = { 'Content-Type': 'application/problem+json' }
  return new Response(JSON.stringify(body), { status: 400, headers })
}

export interface ErrorRules {
  log: Logger
  /** Lets the access policy speak before a malformed body is complained about. */
  admitUnparsable: (request: Request, route: string) => Promise<unknown>
  /** Answers GET and HEAD requests whose path matches no endpoint: the dashboard. */
  shell: (request: Request) => Response | Promise<Response>
}

function unexpected(error: unknown, request: Request, rules: ErrorRules): Response {
  const traceId = requestIdOf(request)
  rules.log.error({ err: error, traceId }, 'request failed')
  const body = { error: 'The request failed unexpectedly', statusCode: 500, traceId }
  return Response.json(body, { status: 500 })
}

const readMethods = new Set(['GET', 'HEAD'])

function notFound(request: Request, rules: ErrorRules) {
  if (readMethods.has(request.method)) return rules.shell(request)
  return Response.json({ error: 'Not found' }, { status: 404 })
}

/** Renders everything that is thrown, in one place. */
export const errors = (rules: ErrorRules) =>
  new Elysia({ name: 'http/errors' }).onError(
    { as: 'global' },
    async ({ error, request, route, set }) => {
      // The status of the failure would be laid over answers that carry none, such as the dashboard.
      set.status = 200
      let shown: unknown = error
      if (shown instanceof ParseError) {
        shown = await rules.admitUnparsable(request, route).then(
          () => error,
          (refused: unknown) => refused,
        )
      }
      if (shown instanceof OperationRefused) shown = unavailable(shown.message)
      if (shown instanceof HistoryUnavailable) shown = unavailable(shown.message, 5, shown)
      if (isStorageFault(shown)) shown = notWritable(shown)
      if (shown instanceof EngineFailure) shown = engineAway(shown, rules)
      if (shown instanceof AppError) return refusalResponse(shown)
      if (shown instanceof ValidationError && shown.type === 'params')
        return notFound(request, rules)
      if (shown instanceof ValidationError && shown.type !== 'response')
        return problem(shown, request)
      if (shown instanceof ParseError) return problem(shown, request)
      if (shown instanceof NotFoundError) return notFound(request, rules)
      return unexpected(shown, request, rules)
    },
  )
