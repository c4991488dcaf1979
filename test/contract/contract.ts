import document from './contract.openapi.json'

/** The contract file: what the API must provide, independent of the implementation. */
export interface Operation {
  key: string
  method: string
  path: string
  policy: string
  tag: string
  /** The schemes that a call needs, as in an OpenAPI document. */
  security: Record<string, string[]>[]
  queryNames: string[]
  bodyNames: string[]
  /** Success status -> schema, with references resolved one level. */
  answers: Map<number, Schema | null>
}

export interface Schema {
  type?: string | string[]
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  [extra: string]: unknown
}

interface RawOperation {
  'x-policy': string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

/** Operations that are narrower than in the contract: what they write cannot be taken back. */
const administratorsOnly: readonly string[] = [
  'GET /api/migration/validate-connection',
  'POST /api/migration/import-service',
  'GET /api/migration/import/status',
]

const schemas = document.components.schemas as unknown as Record<string, Schema>

export function resolveSchema(schema: Schema | undefined): Schema | null {
  if (schema === undefined) return null
  if (schema.$ref === undefined) return schema
  return schemas[schema.$ref.split('/').at(-1) ?? ''] ?? null
}

const firstSchema = (content: Record<string, { schema?: Schema }> | undefined): Schema | null =>
  resolveSchema(Object.values(content ?? {})[0]?.schema)

function toOperation(method: string, path: string, raw: RawOperation): Operation {
  const answers = new Map<number, Schema | null>()
  for (const [status, answer] of Object.entries(raw.responses)) {
    if (status.startsWith('2')) answers.set(Number(status), firstSchema(answer.content))
  }
  const parameters = raw.parameters ?? []
  const key = `${method.toUpperCase()} ${path}`
  return {
    key,
    method: method.toUpperCase(),
    path,
    policy: administratorsOnly.includes(key) ? 'admin' : raw['x-policy'],
    tag: raw.tags[0] ?? '',
    security: raw.security,
    queryNames: parameters.filter((one) => one.in === 'query').map((one) => one.name),
    bodyNames: Object.keys(firstSchema(raw.requestBody?.content)?.properties ?? {}),
    answers,
  }
}

const paths = document.paths as unknown as Record<string, Record<string, RawOperation>>

/**
 * The router allows one parameter name per position (`/events/:id` and `/events/:id/downloads/…`),
 * so names of path parameters are ignored when paths are compared.
 */
export const positional = (path: string): string =>
  path.replaceAll(/:[A-Za-z]+|\{[A-Za-z]+\}/g, '{}')

export const contractOperations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, raw]) => toOperation(method, path, raw)),
)
