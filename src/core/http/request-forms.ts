import { OptionalKind } from '@sinclair/typebox'
import type { Holder } from '../lib/shares.ts'
import { Conformer } from './conform.ts'
import { MalformedRequest } from './errors.ts'
import { expected, received } from './validation-texts.ts'
import { BodyReader, jsonBytesMax, type BodyRules } from './request-body.ts'
import { branchesOf, hasFile, integerOf, isWithinLimits, type Shape } from './shape.ts'

/** Of a parameter in a path that declares no length: ids and words. */
const pathCharsMax = 100

/** A route as the framework lists it. */
export interface RouteLike {
  method: string
  path: string
  hooks?: {
    body?: unknown
    params?: unknown
    query?: unknown
    response?: unknown
    detail?: unknown
  }
}

interface Form extends BodyRules {
  body: Shape | null
  /** Lower-case members of the answers of this path: what was read can be sent back, changed. */
  answered: ReadonlySet<string>
  /** Lower-case name -> declared name. */
  queryNames: ReadonlyMap<string, string>
  query: Readonly<Record<string, Shape>>
  params: Readonly<Record<string, Shape>>
}

const noForm: Form = {
  kind: 'none',
  bytesMax: jsonBytesMax,
  isRequired: false,
  body: null,
  answered: new Set(),
  queryNames: new Map(),
  query: {},
  params: {},
}

/** Names of the members of a route's successful answer. */
function answeredBy({ hooks }: RouteLike): string[] {
  const success = (hooks?.response as Record<string, Shape | undefined> | undefined)?.['200']
  const shapes = success === undefined ? [] : branchesOf(success)
  return shapes.flatMap(({ properties = {} }) => Object.keys(properties))
}

function formOf(
  { body, params, query, detail }: NonNullable<RouteLike['hooks']>,
  answered: Form['answered'],
): Form {
  const shape: Shape | null = body ?? null
  const properties = (query as Shape | undefined)?.properties ?? {}
  const names = Object.keys(properties)
  const declaredMax = (detail as { 'x-body-bytes-max'?: number } | undefined)?.['x-body-bytes-max']
  return {
    kind: shape === null ? 'none' : hasFile(shape) ? 'multipart' : 'json',
    bytesMax: declaredMax ?? jsonBytesMax,
    isRequired: shape !== null && !(OptionalKind in shape),
    body: shape,
    answered,
    queryNames: new Map(names.map((name) => [name.toLowerCase(), name])),
    query: properties,
    params: (params as Shape | undefined)?.properties ?? {},
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
  #routes: readonly RouteLike[] = []

  /** Takes all routes, once they were assembled. */
  learn(routes: readonly RouteLike[]): void {
    this.#routes = routes
  }

  /** Reads a route's declared schemas at its first request: reading all of them would delay the start. */
  #formOf(endpoint: string): Form {
    const known = this.#forms.get(endpoint)
    if (known !== undefined) return known
    const route = this.#routes.find(({ method, path }) => `${method} ${path}` === endpoint)
    const siblings = this.#routes.filter(({ path }) => path === route?.path)
    const answered = new Set(siblings.flatMap(answeredBy).map((name) => name.toLowerCase()))
    const form = route === undefined ? noForm : formOf(route.hooks ?? {}, answered)
    this.#forms.set(endpoint, form)
    return form
  }

  /** The body of a request whose caller was admitted; throws unless it is as documented. */
  async read(request: Request, endpoint: string, holder: Holder): Promise<unknown> {
    const form = this.#formOf(endpoint)
    const body = await this.#bodies.read(request, form, holder)
    // Not undefined: the framework would try to read the request again.
    if (body === undefined || form.body === null) return {}
    const conformer = new Conformer(form.answered)
    conformer.clean(body, '')
    const conformed = conformer.conform(form.body, body, '')
    if (conformer.faults.length > 0) throw new MalformedRequest(conformer.faults)
    return conformed
  }

  /** Throws for invalid values of path and query; normalises names. */
  check(endpoint: string, { query, params }: { query: unknown; params: unknown }): void {
    const form = this.#formOf(endpoint)
    const conformer = new Conformer()
    const inPath = (params ?? {}) as Values
    for (const [name, value] of Object.entries(inPath)) {
      const schema = form.params[name] ?? {}
      conformer.clean(value, name)
      checkLength(schema, { name, value }, conformer)
      inPath[name] = conformer.spell(schema, value)
      // Ids without a limit are those of rows: an unknown one is not found.
      if (integerOf(schema)?.maximum === undefined) continue
      checkInteger(schema, { name, value }, conformer)
    }
    if (typeof query === 'object' && query !== null) checkQuery(query as Values, form, conformer)
    if (conformer.faults.length > 0) throw new MalformedRequest(conformer.faults)
  }
}

/** The framework would take a path with a longer value for one that matches nothing. */
function checkLength(
  schema: Shape,
  { name, value }: { name: string; value: unknown },
  conformer: Conformer,
): void {
  if (typeof value !== 'string') return
  const longest = branchesOf(schema).map(({ maxLength = 0 }) => maxLength)
  const charsMax = Math.max(...longest) || pathCharsMax
  if (value.length <= charsMax) return
  const message = `Expected at most ${charsMax} characters, received ${value.length}`
  conformer.note({ field: schema['x-name'] ?? name, message })
}

function checkQuery(query: Values, form: Form, conformer: Conformer): void {
  rename(query, form.queryNames)
  for (const [name, value] of Object.entries(query)) {
    conformer.clean(value, name)
    const schema = form.query[name]
    if (schema === undefined || typeof value !== 'string') continue
    query[name] = conformer.spell(schema, spelledFlag(schema, value))
    checkInteger(schema, { name, value }, conformer)
  }
}

/** The framework's message about a number in a path does not name it. */
function checkInteger(
  schema: Shape | undefined,
  { name, value }: { name: string; value: unknown },
  conformer: Conformer,
): void {
  const integer = schema === undefined ? undefined : integerOf(schema)
  if (schema === undefined || integer === undefined) return
  if (typeof value !== 'string' || value.trim() === '') return
  const number = Number(value)
  if (Number.isInteger(number) && isWithinLimits(integer, number)) return
  const message = `Expected ${expected(schema)}, received ${received(value, name)}`
  conformer.note({ field: name, message })
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
