import { OptionalKind } from '@sinclair/typebox'
import { Conformer } from './conform.ts'
import { MalformedRequest } from './errors.ts'
import { expected, received } from './validation-texts.ts'
import { BodyReader, jsonBytesMax, type BodyRules } from './request-body.ts'
import { branchesOf, hasFile, integerOf, isWithinLimits, type Shape } from './shape.ts'

interface RouteLike {
  method: string
  path: string
  hooks?: { body?: unknown; query?: unknown; detail?: unknown }
}

interface Form extends BodyRules {
  body: Shape | null
  /** Lower-case name -> declared name. */
  queryNames: ReadonlyMap<string, string>
  query: Readonly<Record<string, Shape>>
}

const noForm: Form = {
  kind: 'none',
  bytesMax: jsonBytesMax,
  isRequired: false,
  body: null,
  queryNames: new Map(),
  query: {},
}

function formOf({ body, query, detail }: NonNullable<RouteLike['hooks']>): Form {
  const shape: Shape | null = body ?? null
  const properties = (query as Shape | undefined)?.properties ?? {}
  const names = Object.keys(properties)
  const declaredMax = (detail as { 'x-body-bytes-max'?: number } | undefined)?.['x-body-bytes-max']
  return {
    kind: shape === null ? 'none' : hasFile(shape) ? 'multipart' : 'json',
    bytesMax: declaredMax ?? jsonBytesMax,
    isRequired: shape !== null && !(OptionalKind in shape),
    body: shape,
    queryNames: new Map(names.map((name) => [name.toLowerCase(), name])),
    query: properties,
  }
}

type Values = Record<string, unknown>

/**
 * Corrects the framework's validation, which accepts forms where JSON is documented, drops unknown
 * members, and compares names and enum values exactly, while the API ignores case.
 */
export class RequestForms {
  readonly #forms = new Map<string, Form>()
  readonly #bodies = new BodyReader()

  /** Reads the declared schemas of all routes; called once after they were assembled. */
  learn(routes: readonly RouteLike[]): void {
    for (const { method, path, hooks } of routes) {
      this.#forms.set(`${method} ${path}`, formOf(hooks ?? {}))
    }
  }

  /** The body of a request whose caller was admitted; throws unless it is as documented. */
  async read(request: Request, endpoint: string): Promise<unknown> {
    const form = this.#forms.get(endpoint) ?? noForm
    const body = await this.#bodies.read(request, form)
    // Not undefined: the framework would try to read the request again.
    if (body === undefined || form.body === null) return {}
    const conformer = new Conformer()
    conformer.clean(body, '')
    const conformed = conformer.conform(form.body, body, '')
    if (conformer.faults.length > 0) throw new MalformedRequest(conformer.faults)
    return conformed
  }

  /** Throws for invalid values of path and query; normalises names. */
  check(endpoint: string, { query, params }: { query: unknown; params: unknown }): void {
    const form = this.#forms.get(endpoint) ?? noForm
    const conformer = new Conformer()
    for (const [name, value] of Object.entries((params ?? {}) as Values)) {
      conformer.clean(value, name)
    }
    if (typeof query === 'object' && query !== null) checkQuery(query as Values, form, conformer)
    if (conformer.faults.length > 0) throw new MalformedRequest(conformer.faults)
  }
}

function checkQuery(query: Values, form: Form, conformer: Conformer): void {
  rename(query, form.queryNames)
  for (const [name, value] of Object.entries(query)) {
    conformer.clean(value, name)
    const schema = form.query[name]
    if (schema === undefined || typeof value !== 'string') continue
    query[name] = conformer.spell(schema, spelledFlag(schema, value))
    const integer = integerOf(schema)
    if (integer === undefined || value.trim() === '') continue
    const number = Number(value)
    if (Number.isInteger(number) && isWithinLimits(integer, number)) continue
    const message = `Expected ${expected(schema)}, received ${received(value, name)}`
    conformer.note({ field: name, message })
  }
}

const flags = ['true', 'false']

function spelledFlag(schema: Shape, value: string): string {
  const isFlag = branchesOf(schema).some(({ type }) => type === 'boolean')
  const lower = value.toLowerCase()
  return isFlag && flags.includes(lower) ? lower : value
}

function rename(query: Values, names: ReadonlyMap<string, string>): void {
  for (const key of Object.keys(query)) {
    const name = names.get(key.toLowerCase())
    if (name === undefined || name === key || name in query) continue
    query[name] = query[key]
    delete query[key]
  }
}
