import { Elysia } from 'elysia'
import { AppError } from './errors.ts'
import { RequestForms } from './request-forms.ts'

const platforms = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'any'] as const
type PrefillPolicy = `prefill:${(typeof platforms)[number]}`

/**
 * Who may call an endpoint. `account` is any account holder (roles admin and user);
 * `prefill:<platform>` admits account holders and guests with an unexpired grant.
 */
export type Policy = 'public' | 'session' | 'account' | 'owner' | PrefillPolicy

export type Role = 'admin' | 'user' | 'guest'

/** Who is asking, as far as access rules need to know. */
export interface Caller {
  kind: 'anonymous' | 'session'
  /** Null for an anonymous caller. */
  sessionId: string | null
  role: Role | null
  /** Null for guests, key sessions and while authentication is switched off. */
  accountId: string | null
  isOwner: boolean
  /** Platforms a guest may prefill at this moment; account holders may use all. */
  prefillGrants: readonly string[]
}

export const anonymous: Caller = Object.freeze({
  kind: 'anonymous',
  sessionId: null,
  role: null,
  accountId: null,
  isOwner: false,
  prefillGrants: [],
})

/** Checks that run in the contract's order; each throws an AppError to refuse. */
export interface Gate {
  /** Counts the attempt of this address against the limit of this endpoint. */
  limit(request: Request, endpoint: string): void
  identify(request: Request): Promise<Caller>
  /** Antiforgery: only called for methods that change something. */
  antiforgery(request: Request, endpoint: string, caller: Caller): void
}

const writeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export const isAccountHolder = (caller: Caller): boolean =>
  caller.role === 'admin' || caller.role === 'user'

export function passes(caller: Caller, policy: Policy): boolean {
  if (policy === 'public') return true
  if (caller.kind === 'anonymous') return false
  if (policy === 'session') return true
  if (policy === 'account') return isAccountHolder(caller)
  // The owner rule is finer than a role (a refusal may carry a body): services check it.
  if (policy === 'owner') return isAccountHolder(caller)
  if (isAccountHolder(caller)) return true
  const platform = policy.slice('prefill:'.length)
  return platform === 'any'
    ? caller.prefillGrants.length > 0
    : caller.prefillGrants.includes(platform)
}

/** The access macro of the whole application. Create it once; every route instance uses it. */
export function createAccess(gate: Gate) {
  const callers = new WeakMap<Request, Caller>()
  const forms = new RequestForms()

  /** Rate limit, session and role, antiforgery: throws before anything is parsed or validated. */
  async function admit(request: Request, policy: Policy, route: string): Promise<Caller> {
    const endpoint = `${request.method} ${route}`
    gate.limit(request, endpoint)
    const caller = await gate.identify(request)
    if (policy !== 'public') {
      if (caller.kind === 'anonymous') throw new AppError('unauthenticated')
      if (!passes(caller, policy)) throw new AppError('forbidden')
    }
    if (writeMethods.has(request.method)) gate.antiforgery(request, endpoint, caller)
    callers.set(request, caller)
    return caller
  }

  const plugin = new Elysia({ name: 'http/access' }).macro({
    access: (policy: Policy) => ({
      detail: { 'x-access': policy } as object,
      // Before validation: an anonymous caller with a bad body gets 401, not 400.
      transform: async ({ request, route, body, query }) => {
        await admit(request, policy, route)
        forms.check(`${request.method} ${route}`, { body, query })
      },
      resolve: ({ request }) => ({ caller: callers.get(request) ?? anonymous }),
    }),
  })
  return { admit, plugin, forms }
}

export type Access = ReturnType<typeof createAccess>
export type AccessPlugin = Access['plugin']

interface RouteLike {
  method: string
  path: string
  hooks?: { detail?: unknown; response?: unknown }
}

/** Start-up check: a route that forgot its policy stops the program, it never runs open. */
export function policiesOf(routes: readonly RouteLike[]): Map<string, Policy> {
  const policies = new Map<string, Policy>()
  const missing: string[] = []
  for (const { method, path, hooks } of routes) {
    const policy = (hooks?.detail as { 'x-access'?: Policy } | undefined)?.['x-access']
    if (policy === undefined) missing.push(`${method} ${path}`)
    else policies.set(`${method} ${path}`, policy)
  }
  if (missing.length > 0) throw new Error(`routes without an access policy: ${missing.join(', ')}`)
  return policies
}
