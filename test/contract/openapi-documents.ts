import type { TestApp } from '../support/app.ts'

export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  description?: string
  default?: unknown
  maxLength?: number
}

export interface Operation {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: {
    name: string
    in: string
    required: boolean
    description?: string
    schema: Schema
  }[]
  requestBody?: { content: Record<string, object> }
  responses: Record<string, { $ref?: string; content?: Record<string, object> }>
}

export interface ApiDocument {
  openapi: string
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema & { properties?: Record<string, Schema> }>
    responses: Record<string, { content?: object }>
    securitySchemes: Record<string, { in: string; name: string }>
  }
}

export const documentPaths = ['/openapi/v1.json', '/openapi/ext.json'] as const

export async function readDocument(app: TestApp, path: string): Promise<string> {
  const answer = await app.request(path, { headers: { 'X-Api-Key': app.key } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

export const parsed = (text: string) => JSON.parse(text) as ApiDocument

/** `GET /api/x` and its operation. */
export const operationsOf = ({ paths }: ApiDocument): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const admits = (type: string | string[], value: unknown): boolean => {
  const types = [type].flat()
  const own = typeOf(value)
  return types.includes(own) || (own === 'integer' && types.includes('number'))
}

/** Defaults and enum values, at any depth, that the type beside them does not admit. */
export function valuesBesideTheirType(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, default: usual, enum: listed = [] } = node as Schema
  const isType = typeof type === 'string' || Array.isArray(type)
  const values = [...(usual === undefined ? [] : [usual]), ...(Array.isArray(listed) ? listed : [])]
  const own = isType ? values.filter((value) => !admits(type, value)) : []
  return [...own, ...Object.values(node).flatMap(valuesBesideTheirType)]
}

/** Schemas of bodies, or of the entries of lists in them, that admit anything and describe nothing. */
export function openSchemas(node: unknown): object[] {
  if (typeof node !== 'object' || node === null) return []
  const { schema, items } = node as { schema?: unknown; items?: unknown }
  const open = [schema, items].filter(
    (one): one is object =>
      typeof one === 'object' && one !== null && Object.keys(one).length === 0,
  )
  return [...open, ...Object.values(node).flatMap(openSchemas)]
}
