import { OptionalKind } from '@sinclair/typebox'
import type { AntiforgeryRule, Policy } from '../access.ts'
import type { Shape } from '../shape.ts'
import { hasFile } from '../shape.ts'
import type { JsonSchema } from './schemas.ts'

/** A route as the framework lists it. */
export interface RouteLike {
  method: string
  path: string
  hooks?: object
}

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

export const bracedPath = (path: string) => path.replaceAll(/:([A-Za-z]+)/g, '{$1}')

function documented({ method, path, hooks }: RouteLike): DocumentedRoute[] {
  // The framework types its hooks per route; these are the members it keeps.
  const { detail = {}, body, query, params, headers, response = {} } = (hooks ?? {}) as Hooks
  if (detail.hide === true) return []
  const lower = method.toLowerCase()
  return [
    {
      method: lower,
      path: bracedPath(path),
      tags: detail.tags ?? [],
      summary: detail.summary ?? '',
      description: detail.description ?? '',
      policy: detail['x-access'] ?? 'owner',
      limit: detail['x-limit'] ?? null,
      antiforgery: writes.has(lower) && (detail['x-antiforgery'] ?? true),
      bodyBytesMax: detail['x-body-bytes-max'] ?? null,
      body: body ?? null,
      query: query ?? null,
      params: params ?? null,
      headers: headers ?? null,
      response: { ...response },
    },
  ]
}

/** The routes that the documents list. */
export const documentedRoutes = (routes: readonly RouteLike[]) => routes.flatMap(documented)
