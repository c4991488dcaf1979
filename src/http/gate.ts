import type { Clock } from '../lib/clock.ts'
import type { Caller, Gate } from './access.ts'
import type { Antiforgery } from './antiforgery.ts'
import { RateLimit } from './rate-limit.ts'
import type { RemoteAddress } from './remote-address.ts'

const setupCalls = ['POST /api/Setup/credentials', 'POST /api/Setup/external']
const accountSetupCalls = [
  'POST /api/account-setup/first-admin',
  'POST /api/account-setup/open-main-admin-recovery',
  'POST /api/account-setup/recover-main-admin',
]

/** Calls that prove the installation key instead; the Setup calls check sessions themselves. */
const withoutAntiforgery = new Set([...setupCalls, ...accountSetupCalls])

/** Endpoints that share one budget per address. */
const limitedEndpoints = [
  {
    rule: { attempts: 5, windowSeconds: 60 },
    endpoints: [
      'POST /api/auth/login',
      'POST /api/auth/password',
      'POST /api/auth/guest',
      'POST /api/api-keys/regenerate',
      ...setupCalls,
      ...accountSetupCalls,
    ],
  },
  {
    rule: { attempts: 10, windowSeconds: 60 },
    endpoints: ['POST /api/accounts', 'PUT /api/accounts/:id'],
  },
  { rule: { attempts: 10, windowSeconds: 300 }, endpoints: ['POST /api/alpha-auth/login'] },
]

export interface GateParts {
  clock: Clock
  address: RemoteAddress
  antiforgery: Antiforgery
  isAuthenticationEnabled: boolean
  identify(request: Request): Caller
}

/** The checks in front of every endpoint, in the order of the contract. */
export function createGate(parts: GateParts): Gate {
  const limits = new Map<string, RateLimit>()
  for (const { rule, endpoints } of limitedEndpoints) {
    const limit = new RateLimit(rule, parts.clock)
    for (const endpoint of endpoints) limits.set(endpoint, limit)
  }
  return {
    limit: (request, endpoint) => limits.get(endpoint)?.take(parts.address.of(request)),
    identify: async (request) => parts.identify(request),
    antiforgery(request, endpoint, caller) {
      if (!parts.isAuthenticationEnabled || withoutAntiforgery.has(endpoint)) return
      parts.antiforgery.check(request, caller)
    },
  }
}
