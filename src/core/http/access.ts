/*
 * The route line says who may call. `access` (`public`, `session`, `account`, `admin`, `owner`,
 * `prefill:<platform>`), `limit: <budget>`, `antiforgery`, `bodyBytesMax` and `idleSeconds` are
 * macros of `access.ts`. Services only decide about rows and fields. At start every route is
 * checked: it has a policy, its budget exists, and a write that does without antiforgery is in the
 * list of reasons in `antiforgery.ts`. Otherwise the service does not start. Beside the API it
 * serves only pages and files. The API documents are for administrators and the installation key.
 * A body stands on the route line with an example (`example` of `schema.ts`), which the documents
 * show; tests check it against its schema and send it.
 */
import { Elysia } from 'elysia'
import type { Platform } from '../../platforms/platforms.ts'
import { anonymous, holderOf, isAccountHolder, type Caller } from '../caller.ts'
import type { SharePage } from '../lib/share-pages.ts'
import { withoutAntiforgery } from './antiforgery.ts'
import { AppError } from './errors.ts'
import { allowSeconds } from './long-call.ts'
import { budgets, type Budget } from './rate-limit.ts'
import { RequestForms, type RouteLike } from './request-forms.ts'

type PrefillPolicy = `prefill:${Platform | 'any'}`

/**
 * Who may call an endpoint. `account` is any account holder (roles admin and user), `admin` that
 * role, `owner` the account that set up the installation; `prefill:<platform>` admits account
 * holders and guests with an unexpired grant. `link` is nobody but the share links that `shared` names.
 */
export type Policy = 'public' | 'session' | 'account' | 'admin' | 'owner' | 'link' | PrefillPolicy

/** Checks that run in the contract's order; each throws an AppError to refuse. */
export interface Gate {
  /** Counts the attempt of this address against a budget that endpoints share. */
  limit(request: Request, budget: Budget): void
  identify(request: Request): Promise<Caller>
  /** The address as limits count it; null for a Unix socket. */
  addressOf(request: Request): string | null
  /** Called only for methods that change state. */
  antiforgery(request: Request, caller: Caller): void
}

/** Whether a write needs an antiforgery token: always, in a session, or never. */
export type AntiforgeryRule = boolean | 'inSession'

/** The access rules on a route line. */
export interface RouteRule {
  policy: Policy
  limit: Budget | null
  antiforgery: AntiforgeryRule
  /** Pages whose share links are admitted as well. */
  shared: readonly SharePage[]
  /** Sent when an account holder other than the owner is refused. */
  stageKey: string | null
}

const writeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export function passes(caller: Caller, policy: Policy): boolean {
  if (caller.kind === 'link') return false
  if (policy === 'public') return true
  if (caller.kind === 'anonymous' || policy === 'link') return false
  if (policy === 'session') return true
  if (policy === 'owner') return caller.isOwner
  if (policy === 'admin') return caller.role === 'admin'
  if (policy === 'account') return isAccountHolder(caller)
  if (isAccountHolder(caller)) return true
  const platform = policy.slice('prefill:'.length)
  return platform === 'any'
    ? caller.prefillGrants.length > 0
    : caller.prefillGrants.includes(platform)
}

/** Routes that links may call although their paths name no subject, each with what it tells. */
const withoutSubject: Readonly<Record<string, string>> = {
  'GET /api/ext/links/own': 'which page the link opens',
}

/** Whether a share link may call: the route is of its page and about its subject. */
function opens({ link }: Caller, rule: RouteRule | undefined, call: Call): boolean {
  if (link === undefined || rule?.shared.includes(link.page) !== true) return false
  const hasNone = Object.hasOwn(withoutSubject, `${call.request.method} ${call.route}`)
  return hasNone || call.params?.['id'] === link.subject
}

/** A policy refusal has no body, except that account holders learn that only the owner may call. */
function refusalOf(caller: Caller, policy: Policy, rule: RouteRule | undefined): AppError {
  if (caller.kind === 'anonymous') return new AppError('unauthenticated')
  if (policy !== 'owner' || !isAccountHolder(caller)) return new AppError('forbidden')
  const stageKey = rule?.stageKey ?? null
  const extra = stageKey === null ? {} : { stageKey }
  return new AppError('refused', 'Only the owner of this installation may do this', { extra })
}

/** A request on its way to a route. */
interface Call {
  request: Request
  route: string
  /** As sent: not yet validated. */
  params?: Record<string, string>
}

type BodyHandler = (context: Call) => Promise<unknown>

/** The second parser never runs; the generated documents take the media type from it. */
const jsonBody = (handler: BodyHandler) =>
  // The macro types do not allow a list, unlike those of routes.
  [handler, 'json'] as unknown as BodyHandler

/** The access macro of the whole application. Create it once; every route instance uses it. */
export function createAccess(gate: Gate) {
  const callers = new WeakMap<Request, Caller>()
  const forms = new RequestForms()
  let rules: ReadonlyMap<string, RouteRule> = new Map()

  /** Checks rate limit, session, role and antiforgery before anything is parsed or validated. */
  async function admit(call: Call, policy: Policy): Promise<Caller> {
    const { request, route } = call
    const rule = rules.get(`${request.method} ${route}`)
    if (rule !== undefined && rule.limit !== null) gate.limit(request, rule.limit)
    const caller = await gate.identify(request)
    if (!passes(caller, policy) && !opens(caller, rule, call)) throw refusalOf(caller, policy, rule)
    // No foreign page can send the header that makes a caller a link.
    const isProven = caller.kind === 'link'
    const asked = rule?.antiforgery ?? true
    const needsToken = asked === 'inSession' ? caller.kind === 'session' : asked
    if (!isProven && needsToken && writeMethods.has(request.method))
      gate.antiforgery(request, caller)
    callers.set(request, caller)
    return caller
  }

  const plugin = new Elysia({ name: 'http/access' }).macro({
    access: (policy: Policy) => ({
      detail: { 'x-access': policy } as object,
      parse: jsonBody(async ({ request, route, params }) => {
        // Before a byte is read: an anonymous caller cannot make the service buffer a body.
        const caller = await admit({ request, route, params }, policy)
        const holder = holderOf(caller, gate.addressOf(request))
        return forms.read(request, `${request.method} ${route}`, holder)
      }),
      // Before validation: an anonymous caller with a bad query gets 401, not 400.
      transform: async ({ request, route, query, params }) => {
        if (!callers.has(request)) await admit({ request, route, params }, policy)
        forms.check(`${request.method} ${route}`, { query, params })
      },
      resolve: ({ request }) => ({ caller: callers.get(request) ?? anonymous }),
    }),
    /** Gives the handlers the address as limits count it. */
    withAddress: { resolve: ({ request }) => ({ address: gate.addressOf(request) }) },
    limit: (budget: Budget) => ({ detail: { 'x-limit': budget } as object }),
    antiforgery: (rule: false | 'inSession') => ({ detail: { 'x-antiforgery': rule } as object }),
    /** Share links of these pages may call, about the subject that `:id` names. */
    shared: (pages: readonly SharePage[]) => ({ detail: { 'x-shared': pages } as object }),
    /** For `access: 'owner'`: the key by which clients recognise the refusal. */
    ownerStageKey: (stageKey: string) => ({ detail: { 'x-owner-stage-key': stageKey } as object }),
    /** Largest body of this route, where the default of 64 KB of JSON does not fit. */
    bodyBytesMax: (bytes: number) => ({ detail: { 'x-body-bytes-max': bytes } as object }),
    /** Idle limit of this route's calls, where the default of 30 seconds does not fit. */
    idleSeconds: (seconds: number) => ({
      beforeHandle: ({ server, request }) => allowSeconds(server, request, seconds),
    }),
  })
  return {
    admit,
    plugin,
    forms,
    /** Sets the rules for limits and antiforgery; called once after all routes were assembled. */
    follow(checked: ReadonlyMap<string, RouteRule>): void {
      rules = checked
    },
  }
}

export type Access = ReturnType<typeof createAccess>
export type AccessPlugin = Access['plugin']

interface RouteDetail {
  'x-access'?: Policy
  'x-limit'?: Budget
  'x-antiforgery'?: AntiforgeryRule
  'x-owner-stage-key'?: string
  'x-shared'?: readonly SharePage[]
}

const detailOf = ({ hooks }: RouteLike): RouteDetail => hooks?.detail ?? {}

function* faultsOf(routes: readonly RouteLike[]): Generator<string> {
  const unlisted = new Set(Object.keys(withoutAntiforgery))
  for (const route of routes) {
    const name = `${route.method} ${route.path}`
    const detail = detailOf(route)
    if (detail['x-access'] === undefined) yield `${name} has no access policy`
    const limit = detail['x-limit']
    if (limit !== undefined && !Object.hasOwn(budgets, limit)) yield `${name}: no budget ${limit}`
    const shared = detail['x-shared'] ?? []
    const hasSubject = /\/:id(?:\/|$)/.test(route.path)
    if (shared.length > 0 && hasSubject === Object.hasOwn(withoutSubject, name)) {
      yield `${name} is shared, but its path has no \`:id\` as the subject of a link`
    }
    if (shared.length === 0 && detail['x-access'] === 'link') yield `${name} admits nobody`
    const isListed = unlisted.delete(name)
    if (isListed !== (detail['x-antiforgery'] !== undefined)) {
      yield `${name}: its \`antiforgery\` and the list of reasons do not agree`
    }
  }
  for (const name of unlisted) yield `${name} needs no antiforgery, but there is no such route`
}

/**
 * Startup check: a route without a policy, with an unknown budget, or without antiforgery and a
 * listed reason stops the program; it never runs unprotected.
 */
export function routeRules(routes: readonly RouteLike[]): Map<string, RouteRule> {
  const faults = [...faultsOf(routes)]
  if (faults.length > 0) throw new Error(`routes that are not guarded: ${faults.join('; ')}`)
  return new Map(
    routes.map((route) => {
      const detail = detailOf(route)
      const rule = {
        // Checked above; the fallback is the strictest policy.
        policy: detail['x-access'] ?? 'owner',
        limit: detail['x-limit'] ?? null,
        antiforgery: detail['x-antiforgery'] ?? true,
        shared: detail['x-shared'] ?? [],
        stageKey: detail['x-owner-stage-key'] ?? null,
      }
      return [`${route.method} ${route.path}`, rule]
    }),
  )
}

/** Apart from the API only pages are served: the dashboard's files and the guarded documents. */
export function checkPages(routes: readonly RouteLike[]): void {
  const faults = routes.filter((route) => {
    const isPage = route.method === 'GET' && !/^\/(?:api|hubs)(?:\/|$)/.test(route.path)
    return !isPage && detailOf(route)['x-access'] === undefined
  })
  if (faults.length === 0) return
  const names = faults.map(({ method, path }) => `${method} ${path}`)
  throw new Error(`routes without an access policy: ${names.join(', ')}`)
}

/** What route factories receive besides their group's parts. */
export interface RouteAccess {
  access: AccessPlugin
}

/** A feature's routes below one prefix, which the documents list under this tag. */
export const routesAt = <const Prefix extends string = ''>(
  access: AccessPlugin,
  tag: string,
  prefix?: Prefix,
) => new Elysia({ prefix, tags: [tag] }).use(access)
