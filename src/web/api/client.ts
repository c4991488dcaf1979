import type { Treaty } from '@elysiajs/eden'
import type { Api } from '../../app.ts'
import { antiforgeryToken } from './antiforgery.ts'
import { isHistoryAway, isSignedOut, isUnreachable, Refusal } from './refusal.ts'
import { QueryCache, QueryClient, type Query } from '@tanstack/react-query'

/** Result of every call of the typed client. */
export interface Answer<Data> {
  data: Data | null
  error: { status: unknown; value: unknown } | null
  response: Response
}

type Parameter = string | number | boolean | null | undefined

interface Options {
  query?: Record<string, Parameter | Parameter[]>
  headers?: Record<string, string>
  fetch?: RequestInit
}

const readMethods = ['get', 'head']
const methods = [...readMethods, 'post', 'put', 'patch', 'delete']

function queryOf(query: NonNullable<Options['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/** Bare values are JSON as well; a body with a file is a form. */
function bodyOf(body: unknown): { body?: BodyInit; headers?: Record<string, string> } {
  if (body === undefined) return {}
  const members = Object.entries(Object(body))
  if (!members.some(([, value]) => value instanceof Blob)) {
    return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
  }
  const form = new FormData()
  for (const [name, value] of members)
    form.append(name, value instanceof Blob ? value : String(value))
  return { body: form }
}

async function call(method: string, path: string, body: unknown, options: Options = {}) {
  const sent = bodyOf(body)
  const response = await fetch(path + queryOf(options.query ?? {}), {
    method: method.toUpperCase(),
    ...options.fetch,
    body: sent.body ?? null,
    headers: { ...ownHeaders(), ...sent.headers, ...options.headers },
  })
  const text = await response.text()
  const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '')
  const value: unknown = text === '' ? null : isJson ? JSON.parse(text) : text
  return response.ok
    ? { data: value, error: null, response }
    : { data: null, error: { status: response.status, value }, response }
}

/**
 * Members are parts of a path, calls with an object its parameters, and the last member is the
 * method. The library's own client is four times the size, for sockets, streams and other hosts.
 */
const client = (path: string): unknown =>
  new Proxy(() => {}, {
    get: (_, name) => client(`${path}/${String(name)}`),
    apply(_, _this, [first, second]: [unknown, Options?]) {
      const end = path.lastIndexOf('/')
      const method = path.slice(end + 1)
      if (!methods.includes(method))
        return client(`${path}/${Object.values<string | number>(Object(first))[0]}`)
      const [body, options] = readMethods.includes(method)
        ? [undefined, first as Options]
        : [first, second]
      return call(method, path.slice(0, end), body, options)
    },
  })

/** The whole API, typed by the server's own routes. */
export const { api } = client('') as Treaty.Create<Api>

/** Headers of every request. */
export function ownHeaders(): Record<string, string> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const token = antiforgeryToken(document.cookie)
  if (token !== null) headers['X-Antiforgery-Token'] = token
  // A hidden tab does not keep its session active.
  if (document.hidden) headers['X-User-Active'] = 'false'
  return headers
}

/** The response, or its refusal, of calls that the typed client cannot make. */
export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  throw new Refusal(response.status, body, response.headers.get('Retry-After'))
}

/** Starts a read-only guest session; the response sets its cookie. */
export const startGuestSession = async (): Promise<unknown> =>
  accepted(await fetch('/api/auth/guest', { method: 'POST', headers: ownHeaders() }))

/** Returns the data or throws a refusal. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (error !== null) {
    throw new Refusal(response.status, error.value, response.headers.get('Retry-After'))
  }
  // The dashboard's page as a 200 answer means that the endpoint does not exist.
  if (response.headers.get('Content-Type')?.startsWith('text/html') === true) {
    throw new Refusal(404, null)
  }
  return data as Data // no error: the data is present, or null by its schema
}

/** Roots of the query keys. */
const batch = ['batch'] as const
const clients = ['clients'] as const
const games = ['games'] as const
const before = ['before'] as const

export const keys = {
  status: ['status'],
  setup: ['setup'],
  oidc: ['oidc'],
  checklist: ['checklist'],
  config: ['config'],
  service: ['service'],
  nodes: ['nodes'],
  operations: ['operations'],
  accounts: ['accounts'],
  sessions: ['sessions'],
  audit: ['audit'],
  preferences: ['preferences'],
  guests: ['guests'],
  systemRate: ['systemRate'],
  themes: ['themes'],
  themeFiles: ['themeFiles'],
  alphaKey: ['alphaKey'],
  alphaAuth: ['alphaAuth'],
  depots: ['depots'],
  betaMappings: ['betaMappings'],
  epsilonMappings: ['epsilonMappings'],
  schedules: ['schedules'],
  statusCheck: ['statusCheck'],
  memory: ['memory'],
  updates: ['updates'],
  metrics: ['metrics'],
  notifications: ['notifications'],
  widgetTokens: ['widgetTokens'],
  mqtt: ['mqtt'],
  ownLog: ['ownLog'],
  backups: ['backups'],
  database: ['database'],
  clientGroups: ['clientGroups'],
  exclusions: ['exclusions'],
  devices: ['devices'],
  hostnames: ['hostnames'],
  images: ['images'],
  downloads: ['downloads'],
  download: ['download'],
  /** What is read once: the log, and speeds to compare with. */
  downloadLog: ['downloadLog'],
  events: ['events'],
  prefill: ['prefill'],
  views: ['views'],
  savings: ['savings'],
  dataCap: ['dataCap'],
  forecast: ['forecast'],
  /** Contents of the cache: sizes, games, evictions. */
  cache: ['cache'],
  batch,
  before,
  clients,
  games,
  /** Reports that change with every stored download. The downloads list is excluded: it must not jump. */
  reports: [batch, clients, games, ['download']],
} as const

const retriesMax = 2
const unreachableMs = 3000
const awayMs = 5000

/** Reads what is not there yet again and again while the service is unreachable. */
export const whileUnreachable = ({ state }: { state: Pick<Query['state'], 'data' | 'error'> }) =>
  state.data === undefined && isUnreachable(state.error) ? unreachableMs : false

/** Polls while the history is unavailable, at the interval the server asks for. */
export const pollWhileAway =
  (everyMs: number | false) =>
  ({ state }: Parameters<typeof whileUnreachable>[0]): number | false =>
    isHistoryAway(state.error)
      ? (state.error.retryAfterSeconds ?? 0) * 1000 || awayMs
      : whileUnreachable({ state }) || everyMs

/** One cache for the whole page. Any 401 reloads the session, which shows the sign-in page. */
export function createQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isSignedOut(error) && query.queryKey[0] !== keys.status[0]) {
          void queries.invalidateQueries({ queryKey: keys.status })
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        refetchInterval: pollWhileAway(false),
        // The server refused: an immediate retry changes nothing.
        retry: (failures, error) =>
          (isUnreachable(error) || !(error instanceof Refusal)) && failures < retriesMax,
        retryDelay: (failures) => 500 * 2 ** failures,
      },
    },
  })
  return queries
}
