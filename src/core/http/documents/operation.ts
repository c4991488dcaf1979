import { antiforgeryHeader } from '../antiforgery.ts'
import { policyTexts } from './guide.ts'
import { operationIds } from './operation-ids.ts'
import { responsesOf } from './responses.ts'
import { isBodyOptional, isForm, type DocumentedRoute } from './routes.ts'
import type { JsonSchema, SchemaWriter } from './schemas.ts'
import { parameterTexts } from './texts.ts'

interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

const places = [
  ['path', 'params'],
  ['query', 'query'],
  ['header', 'headers'],
] as const

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `GET /api/ext/events/{id}/export` is `getExtEventsByIdExport`. */
function nameOf({ method, path }: DocumentedRoute): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api')
  const words = parts.flatMap((part) =>
    part.startsWith('{') ? ['by', part.slice(1, -1)] : part.split(/[^A-Za-z0-9]+/),
  )
  return method + words.map(capital).join('')
}

/** The operation's id in the contract; undefined for those beyond it. */
export const contractIdOf = ({ method, path }: DocumentedRoute): string | undefined =>
  operationIds[`${method.toUpperCase()} ${path.replaceAll(/\{[A-Za-z]+\}/g, '{}')}`]

export const operationIdOf = (route: DocumentedRoute): string =>
  contractIdOf(route) ?? nameOf(route)

function parametersIn(place: string, shape: JsonSchema | null, writer: SchemaWriter): Parameter[] {
  const required = new Set(shape?.required)
  return Object.entries(shape?.properties ?? {}).map(([name, written]) => {
    const { description = parameterTexts[name.toLowerCase()], ...schema } = writer.write(written)
    return {
      name: place === 'header' ? name.split('-').map(capital).join('-') : name,
      in: place,
      // The schema of a value with a default lists it: after the default is filled in, it is there.
      required: place === 'path' || (required.has(name) && !('default' in schema)),
      ...(description !== undefined && { description }),
      schema,
    }
  })
}

/** Path parameters that the route does not describe are texts. */
function pathShape({ path, params }: DocumentedRoute): JsonSchema {
  const names = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = '']) => name)
  const known = params?.properties ?? {}
  return {
    properties: Object.fromEntries(names.map((name) => [name, known[name] ?? { type: 'string' }])),
  }
}

/** Public operations have no security scheme to name the token. */
const tokenParameter = {
  name: antiforgeryHeader,
  in: 'header',
  description: 'Value of the cookie that `GET /api/auth/status` sets',
  schema: { type: 'string' },
}

function parametersOf(route: DocumentedRoute, writer: SchemaWriter): Parameter[] {
  const shapes = { ...route, params: pathShape(route) }
  const described = places.flatMap(([place, member]) => parametersIn(place, shapes[member], writer))
  if (route.policy !== 'public' || route.antiforgery === false) return described
  return [...described, { ...tokenParameter, required: route.antiforgery === true }]
}

function requestBodyOf({ body, bodyBytesMax }: DocumentedRoute, writer: SchemaWriter) {
  if (body === null) return undefined
  const type = isForm(body) ? 'multipart/form-data' : 'application/json'
  return {
    ...(bodyBytesMax !== null && { description: `At most ${bodyBytesMax} bytes` }),
    required: !isBodyOptional(body),
    content: { [type]: { schema: writer.write(body), example: body.examples?.[0] } },
  }
}

function securityOf({ policy, antiforgery, isShared }: DocumentedRoute) {
  const session = { session: [], ...(antiforgery !== false && { antiforgery: [] }) }
  const hasSession = policy !== 'public' && policy !== 'link'
  return [...(hasSession ? [session] : []), ...(isShared ? [{ shareLink: [] }] : [])]
}

export function operationOf(route: DocumentedRoute, writer: SchemaWriter) {
  const parameters = parametersOf(route, writer)
  const requestBody = requestBodyOf(route, writer)
  const access = policyTexts[route.policy]
  return {
    operationId: operationIdOf(route),
    tags: route.tags,
    summary: route.summary,
    description: [route.description, access].filter((text) => text !== '').join('\n\n'),
    'x-access': route.policy,
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, writer),
  }
}
