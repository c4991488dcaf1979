/** A TypeBox schema as it is read here, and the JSON Schema that is made of it. */
export interface JsonSchema {
  [keyword: string]: unknown
  type?: string | string[]
  title?: string
  format?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  examples?: readonly unknown[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  patternProperties?: Record<string, JsonSchema>
  $ref?: string
}

/** Beside numbers and flags, the schemas of paths and queries list the text these arrive as. */
const coercedFormats = new Set(['integer', 'numeric', 'boolean'])

/** Keywords for the framework; it writes the last one into schemas when it compiles a route. */
const internal = new Set([
  'title',
  'extension',
  'error',
  'maxSize',
  'minSize',
  'x-media-types',
  'x-name',
  // Shown with the body that has it, not with the schema, which others may use.
  'examples',
  'additionalProperties',
])

const isCoerced = ({ type, format = '' }: JsonSchema) =>
  type === 'string' && coercedFormats.has(format)

const isNull = ({ type }: JsonSchema) => type === 'null'

const own = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !internal.has(keyword)))

/** `["string", "null"]` for constants of these types; a single type stands alone. */
function typesOf(values: readonly unknown[]): string | string[] {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  const [first = 'null', ...others] = types
  return others.length === 0 ? first : [first, ...others]
}

/**
 * Makes JSON Schema of the routes' schemas. Those with a title are written once and referred to:
 * `found` holds them by their title.
 */
export class SchemaWriter {
  readonly found = new Map<string, JsonSchema>()

  write(schema: JsonSchema): JsonSchema {
    if (schema.title === undefined) return this.#plain(schema)
    const written = this.#plain(schema)
    const known = this.found.get(schema.title)
    if (known !== undefined && !Bun.deepEquals(known, written)) {
      throw new Error(`two schemas of the API have the title ${schema.title}`)
    }
    this.found.set(schema.title, written)
    return { $ref: `#/components/schemas/${schema.title}` }
  }

  #plain(schema: JsonSchema): JsonSchema {
    if (schema.anyOf !== undefined) return this.#union(schema, schema.anyOf)
    const plain = own(schema)
    if (schema.format === 'binary') return { type: 'string', format: 'binary' }
    if (schema.items !== undefined) plain.items = this.write(schema.items)
    if (schema.properties !== undefined) plain.properties = this.#members(schema.properties)
    if (schema.patternProperties !== undefined) {
      const [values = {}] = Object.values(schema.patternProperties)
      delete plain.patternProperties
      plain.additionalProperties = this.write(values)
    }
    return plain
  }

  #members(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
    const entries = Object.entries(properties).map(([name, member]) => [name, this.write(member)])
    return Object.fromEntries(entries) as Record<string, JsonSchema>
  }

  #union(schema: JsonSchema, branches: readonly JsonSchema[]): JsonSchema {
    const { anyOf: _, ...rest } = own(schema)
    const written = branches
      .filter((branch) => !isCoerced(branch))
      .map((branch) => this.write(branch))
      .flatMap((branch) => branch.anyOf ?? [branch])
    const [only, ...others] = written
    if (only !== undefined && others.length === 0) return { ...rest, ...only }
    return { ...rest, ...joined(written) }
  }
}

/** The shortest form of a union: an enum, a type that may be null, else its branches. */
function joined(branches: readonly JsonSchema[]): JsonSchema {
  const values = branches.flatMap(valuesOf)
  if (values.every(({ isKnown }) => isKnown)) {
    const list = values.map(({ value }) => value)
    return { type: typesOf(list), enum: list }
  }
  const [first, second] = branches
  const isNullable = branches.length === 2 && second !== undefined && isNull(second)
  if (isNullable && typeof first?.type === 'string') return { ...first, type: [first.type, 'null'] }
  return { anyOf: [...branches] }
}

/** The values that a branch allows, where it lists them. */
function valuesOf(branch: JsonSchema): { isKnown: boolean; value?: unknown }[] {
  if (isNull(branch)) return [{ isKnown: true, value: null }]
  if ('const' in branch) return [{ isKnown: true, value: branch.const }]
  if (branch.enum === undefined) return [{ isKnown: false }]
  return branch.enum.map((value) => ({ isKnown: true, value }))
}
