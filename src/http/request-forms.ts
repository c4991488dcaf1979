import { AppError } from './errors.ts'

interface RouteLike {
  method: string
  path: string
  hooks?: { body?: unknown; query?: unknown }
}

interface SchemaLike {
  type?: string
  properties?: Record<string, unknown>
}

interface Form {
  isObjectBody: boolean
  /** Lower-case name -> declared name. */
  queryNames: Map<string, string>
}

/**
 * What validation by itself gets wrong. The framework turns a JSON string, number or array into an
 * empty object when every member of the expected object is optional, so that nonsense would pass as
 * "nothing given"; and it compares names of query parameters exactly, while the API ignores case.
 */
export class RequestForms {
  readonly #forms = new Map<string, Form>()

  /** Reads the declared schemas of all routes; called once after they were put together. */
  learn(routes: readonly RouteLike[]): void {
    for (const { method, path, hooks } of routes) {
      const body = hooks?.body as SchemaLike | undefined
      const query = hooks?.query as SchemaLike | undefined
      const names = Object.keys(query?.properties ?? {})
      this.#forms.set(`${method} ${path}`, {
        isObjectBody: body?.type === 'object',
        queryNames: new Map(names.map((name) => [name.toLowerCase(), name])),
      })
    }
  }

  /** Throws for a body of the wrong kind; brings the names of query parameters into their form. */
  check(endpoint: string, { body, query }: { body: unknown; query: unknown }): void {
    const form = this.#forms.get(endpoint)
    if (form === undefined) return
    const isObject = typeof body === 'object' && !Array.isArray(body)
    if (form.isObjectBody && body !== undefined && !isObject) {
      throw new AppError('invalid', 'The request body has to be a JSON object')
    }
    if (form.queryNames.size > 0) rename(query as Record<string, unknown>, form.queryNames)
  }
}

function rename(query: Record<string, unknown>, names: Map<string, string>): void {
  for (const key of Object.keys(query)) {
    const name = names.get(key.toLowerCase())
    if (name === undefined || name === key || name in query) continue
    query[name] = query[key]
    delete query[key]
  }
}
