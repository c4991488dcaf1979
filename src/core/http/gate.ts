import type { Clock } from '../lib/clock.ts'
import type { Caller } from '../caller.ts'
import type { Gate } from './access.ts'
import type { Antiforgery } from './antiforgery.ts'
import { budgets, createRateLimit, type RateLimit, type Budget } from './rate-limit.ts'
import { householdOf, type RemoteAddress } from './remote-address.ts'

export interface GateParts {
  clock: Clock
  address: RemoteAddress
  antiforgery: Antiforgery
  isAuthenticationEnabled: boolean
  identify(request: Request): Caller
}

/** The checks before every endpoint, in the order of the contract. */
export function createGate(parts: GateParts): Gate {
  const limitOf = (budget: Budget) => createRateLimit(budgets[budget], parts.clock)
  const limits: Record<Budget, RateLimit> = {
    auth: limitOf('auth'),
    accounts: limitOf('accounts'),
    alphaAuth: limitOf('alphaAuth'),
    party: limitOf('party'),
  }
  return {
    limit: (request, budget) => limits[budget].take(parts.address.of(request)),
    identify: async (request) => parts.identify(request),
    addressOf: (request) => householdOf(parts.address.of(request)),
    antiforgery(request, caller) {
      if (parts.isAuthenticationEnabled) parts.antiforgery.check(request, caller)
    },
  }
}
