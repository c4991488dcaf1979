/** A schema of the generated documents, as far as needed to build requests. */
interface Schema {
  type?: string | string[]
  format?: string
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
}

interface RawOperation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
}

/** One call of a generated document. */
export interface Operation {
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | null
  isForm: boolean
  /** A valid body. */
  example: unknown
}

/** A part of a request that receives test values; nested members are `a.b`. */
export interface Field {
  place: 'path' | 'query' | 'body'
  name: string
}

export function operationsOf(document: unknown): Operation[] {
  // The document of the service under test.
  const { paths } = document as { paths: Record<string, Record<string, RawOperation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
      return {
        method: method.toUpperCase(),
        path,
        parameters,
        body: content?.schema ?? null,
        isForm: type === 'multipart/form-data',
        example: content?.example,
      }
    }),
  )
}

const objectIn = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined)

function membersOf(schema: Schema, prefix = ''): string[] {
  return Object.entries(objectIn(schema)?.properties ?? {}).flatMap(([name, member]) => [
    prefix + name,
    ...membersOf(member, `${prefix}${name}.`),
  ])
}

export function fieldsOf({ parameters, body, isForm }: Operation): Field[] {
  const fields: Field[] = parameters
    .filter((one) => one.in === 'path' || one.in === 'query')
    .map((one) => ({ place: one.in === 'path' ? 'path' : 'query', name: one.name }))
  if (body === null || isForm) return fields
  const names = membersOf(body)
  return [
    ...fields,
    ...(names.length > 0 ? names : ['']).map((name) => ({ place: 'body', name }) as const),
  ]
}

/** A value accepted by the schema. */
function valid(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  const branch = schema.anyOf?.find(({ type, format }) => type !== 'null' && format !== 'integer')
  if (branch !== undefined) return valid(branch)
  if (schema.properties !== undefined) {
    const { properties, required = [] } = schema
    return Object.fromEntries(required.map((name) => [name, valid(properties[name] ?? {})]))
  }
  if (schema.format === 'uuid') return '00000000-0000-4000-8000-000000000000'
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (schema.type === 'boolean') return false
  return schema.type === 'array' ? [] : 'one'
}

/** The body with one member replaced; creates missing objects on the way. */
function replaced(body: unknown, names: readonly string[], value: unknown): unknown {
  const [name, ...rest] = names
  if (name === undefined || name === '') return value
  const held = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return { ...held, [name]: replaced(held[name], rest, value) }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)

/** A request with valid values in all but one field. */
export function requestFor(operation: Operation, field: Field | null, value: unknown) {
  const { parameters, body } = operation
  let path = operation.path
  const query = new URLSearchParams()
  for (const { name, in: place, required, schema = {} } of parameters) {
    const isField = field?.place === place && field.name === name
    const text = isField ? textOf(value) : textOf(valid(schema))
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text))
    else if (place === 'query' && (isField || required === true)) query.set(name, text)
  }
  const isInBody = field?.place === 'body'
  const sent = body === null ? undefined : (operation.example ?? valid(body))
  return {
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: isInBody ? replaced(sent, field.name.split('.'), value) : sent,
  }
}
