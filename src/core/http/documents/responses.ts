import { Type } from '@sinclair/typebox'
import { ErrorBody } from '../schema.ts'
import type { DocumentedRoute } from './routes.ts'
import { isWrite, takesBody } from './routes.ts'
import type { JsonSchema, SchemaWriter } from './schemas.ts'

/** RFC 9457, as sent for requests that do not have the documented form. */
const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String({ description: 'The first of the errors' })),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Faults by the name of the parameter or member',
    }),
    traceId: Type.String({ description: 'The header X-Request-Id of this answer' }),
  },
  { title: 'Problem' },
)

const descriptions: Record<string, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the work continues as an operation',
  400: 'The request does not have the documented form, or its values are refused',
  401: 'Not signed in, or the credentials are wrong',
  403: 'Not allowed; without a body where the access policy refuses',
  404: 'Not found',
  408: 'The request body did not arrive in time',
  409: 'In conflict with the present state',
  413: 'The request body is too large',
  415: 'The request body has another media type than documented',
  421: 'The Host header names another service',
  429: 'Too many requests; Retry-After says how many seconds to wait',
  503: 'Not available at the moment; Retry-After says how many seconds to wait',
}

interface Answer {
  description: string
  headers?: Record<string, object>
  content?: Record<string, { schema: JsonSchema }>
}

type Responses = Record<string, Answer | { $ref: string }>

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
}

/** Answers that many operations share. */
const shared = {
  401: 'Unauthenticated',
  408: 'TooSlow',
  413: 'TooLarge',
  415: 'WrongMediaType',
  421: 'Misdirected',
  429: 'TooManyRequests',
  503: 'Unavailable',
} as const

const refusal = (status: number, writer: SchemaWriter): Answer => ({
  description: descriptions[status] ?? '',
  content: { 'application/json': { schema: writer.write(ErrorBody) } },
})

/** `components.responses`. */
export function sharedResponses(writer: SchemaWriter): Record<string, Answer> {
  const unauthenticated = { description: 'Not signed in; the answer has no body' }
  const late = { headers: retryAfter }
  return {
    [shared[401]]: unauthenticated,
    [shared[408]]: refusal(408, writer),
    [shared[413]]: refusal(413, writer),
    [shared[415]]: refusal(415, writer),
    [shared[421]]: refusal(421, writer),
    [shared[429]]: { ...refusal(429, writer), ...late },
    [shared[503]]: { ...refusal(503, writer), ...late },
    Failure: {
      ...refusal(500, writer),
      description: 'Any other refusal, and 500 with a `traceId` for the log',
    },
  }
}

const sharedRef = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** An answer without a schema, or with that of nothing, has no content. */
function contentOf(schema: JsonSchema, writer: SchemaWriter): Pick<Answer, 'content'> {
  if (schema.type === 'void') return {}
  const files = schema['x-media-types'] as string[] | undefined
  if (files === undefined)
    return { content: { 'application/json': { schema: writer.write(schema) } } }
  const written = (type: string) => ({
    schema: type === 'application/json' ? {} : { type: 'string' },
  })
  return { content: Object.fromEntries(files.map((type) => [type, written(type)])) }
}

/** Refusals that look the same everywhere. */
const usual: Readonly<Record<string, string>> = { 429: shared[429], 503: shared[503] }

function declared(route: DocumentedRoute, writer: SchemaWriter): Responses {
  const entries = Object.entries(route.response).map(([status, schema]) => {
    const name = usual[status]
    if (name !== undefined && schema.title === ErrorBody.title) return [status, sharedRef(name)]
    const description = descriptions[status] ?? ''
    const late = name === undefined ? {} : { headers: retryAfter }
    return [status, { description, ...late, ...contentOf(schema, writer) }]
  })
  return Object.fromEntries(entries) as Responses
}

/**
 * 400 comes in three forms: refused by a rule of the operation, without an antiforgery value, and not
 * of the documented form.
 */
function malformed(route: DocumentedRoute, writer: SchemaWriter): Responses {
  const hasInput = isWrite(route) || route.path.includes('{') || route.query !== null
  const own = route.response[400]
  const isText = own?.['x-media-types'] !== undefined
  const refusals = new Set([
    ...(route.antiforgery === false ? [] : [ErrorBody]),
    ...(own === undefined || isText ? [] : [own]),
  ])
  if (!hasInput && own === undefined) return {}
  const content = {
    ...(own && isText && contentOf(own, writer).content),
    ...(refusals.size > 0 && {
      'application/json': { schema: writer.write({ anyOf: [...refusals] }) },
    }),
    ...(hasInput && { 'application/problem+json': { schema: writer.write(Problem) } }),
  }
  return { 400: { description: descriptions[400] ?? '', content } }
}

/**
 * A body is declared only where the operation itself refuses: clients that parse what is declared
 * would fail on the empty answer of the access policy.
 */
function forbidden(route: DocumentedRoute, writer: SchemaWriter): Responses {
  const own = route.response[403]
  const isOpen = route.policy === 'public' || route.policy === 'session'
  if (own === undefined && isOpen && !isWrite(route)) return {}
  return { 403: { description: descriptions[403] ?? '', ...(own && contentOf(own, writer)) } }
}

/** Every answer of an operation: its own, and what is answered in front of it. */
export function responsesOf(route: DocumentedRoute, writer: SchemaWriter): Responses {
  const own = declared(route, writer)
  const body: Responses = takesBody(route)
    ? { 408: sharedRef(shared[408]), 413: sharedRef(shared[413]), 415: sharedRef(shared[415]) }
    : {}
  return {
    ...(route.policy !== 'public' && { 401: sharedRef(shared[401]) }),
    ...body,
    421: sharedRef(shared[421]),
    ...(route.limit !== null && { 429: sharedRef(shared[429]) }),
    ...own,
    ...malformed(route, writer),
    ...forbidden(route, writer),
    default: sharedRef('Failure'),
  }
}
