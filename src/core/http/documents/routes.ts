import { OptionalKind } from '@sinclair/typebox'
import type { SharePage } from '../../lib/share-pages.ts'
import type { AntiforgeryRule, Policy } from '../access.ts'
import type { Shape } from '../shape.ts'
import type { RouteLike } from '../request-forms.ts'
import { hasFile } from '../shape.ts'
import type { JsonSchema } from './schemas.ts'

interface Hooks {
  body?: JsonSchema
  query?: JsonSchema
  params?: JsonSchema
  headers?: JsonSchema
  response?: Record<string, JsonSchema>
  detail?: Detail
}

interface Detail {
  hide?: boolean
  tags?: string[]
  summary?: string
  description?: string
  'x-access'?: Policy
  'x-limit'?: string
  'x-antiforgery'?: AntiforgeryRule
  'x-body-bytes-max'?: number
  'x-shared'?: readonly SharePage[]
}

/** What the documents say of a route; read before the framework compiles and rewrites the hooks. */
export interface DocumentedRoute {
  method: string
  /** `/api/events/{id}` */
  path: string
  tags: readonly string[]
  summary: string
  description: string
  policy: Policy
  limit: string | null
  antiforgery: AntiforgeryRule
  bodyBytesMax: number | null
  /** Share links of some pages may call. */
  isShared: boolean
  body: JsonSchema | null
  query: JsonSchema | null
  params: JsonSchema | null
  headers: JsonSchema | null
  response: Record<string, JsonSchema>
}

const writes = new Set(['post', 'put', 'patch', 'delete'])

export const isWrite = ({ method }: { method: string }) => writes.has(method)

export const takesBody = ({ body }: DocumentedRoute) => body !== null

/** Whether the body may be left out. */
export const isBodyOptional = (body: JsonSchema) => OptionalKind in body

export const isForm = (body: JsonSchema) => hasFile(body as Shape)

/** `/api/events/:id` as `/api/events/{id}`, with the names that the schemas of the parameters give. */
const bracedPath = (path: string, params: JsonSchema['properties'] = {}) =>
  path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => `{${nameIn(params, name)}}`)

const nameIn = (params: Record<string, JsonSchema>, name: string): string =>
  (params[name]?.['x-name'] as string | undefined) ?? name

function renamed(params: JsonSchema | undefined): JsonSchema | null {
  if (params?.properties === undefined) return params ?? null
  const { properties } = params
  const entries = Object.entries(properties).map(([name, schema]) => [
    nameIn(properties, name),
    schema,
  ])
  return { ...params, properties: Object.fromEntries(entries) as typeof properties }
}

function documented({ method, path, hooks }: RouteLike): DocumentedRoute[] {
  // The framework types its hooks per route; these are the members it keeps.
  const { detail = {}, body, query, params, headers, response = {} } = (hooks ?? {}) as Hooks
  if (detail.hide === true) return []
  const lower = method.toLowerCase()
  return [
    {
      method: lower,
      path: bracedPath(path, params?.properties),
      tags: detail.tags ?? [],
      summary: detail.summary ?? '',
      description: detail.description ?? '',
      policy: detail['x-access'] ?? 'owner',
      limit: detail['x-limit'] ?? null,
      antiforgery: writes.has(lower) && (detail['x-antiforgery'] ?? true),
      bodyBytesMax: detail['x-body-bytes-max'] ?? null,
      isShared: detail['x-shared'] !== undefined,
      body: body ?? null,
      query: query ?? null,
      params: renamed(params),
      headers: headers ?? null,
      response: { ...response },
    },
  ]
}

export const documentedRoutes = (routes: readonly RouteLike[]) => routes.flatMap(documented)
