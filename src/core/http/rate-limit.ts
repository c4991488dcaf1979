import type { Clock } from '../lib/clock.ts'
import { AppError } from './errors.ts'
import { householdOf } from './remote-address.ts'

/** Addresses tracked per limit; beyond it the one counted longest ago is dropped. */
const addressesMax = 20_000

interface Rule {
  attempts: number
  windowSeconds: number
}

/** Wrong keys and tokens of one address. */
export const wrongSecrets = { attempts: 10, windowSeconds: 60 } as const satisfies Rule

/** Endpoints with the same budget share it per address; `limit` on a route line names one. */
export const budgets = {
  auth: { attempts: 5, windowSeconds: 60 },
  accounts: { attempts: 10, windowSeconds: 60 },
  alphaAuth: { attempts: 10, windowSeconds: 300 },
  /** Wishes and votes; the devices of a network may have their IPv6 addresses from one household. */
  party: { attempts: 300, windowSeconds: 60 },
} as const satisfies Record<string, Rule>

export type Budget = keyof typeof budgets

interface Window {
  startedMs: number
  count: number
}

export type RateLimit = ReturnType<typeof createRateLimit>

/** One budget per address in fixed windows. Attempts over the budget are refused, not queued. */
export function createRateLimit({ attempts, windowSeconds }: Rule, clock: Clock) {
  const windows = new Map<string, Window>()
  const windowMs = windowSeconds * 1000

  function windowOf(key: string, nowMs: number): Window {
    const known = windows.get(key)
    if (known !== undefined && !isOver(known, nowMs)) return known
    windows.delete(key)
    if (windows.size >= addressesMax) forget(nowMs)
    const window = { startedMs: nowMs, count: 0 }
    windows.set(key, window)
    return window
  }

  /** Windows are sorted by start, so expired ones come first. */
  function forget(nowMs: number): void {
    for (const [key, window] of windows) {
      if (!isOver(window, nowMs) && windows.size < addressesMax) return
      windows.delete(key)
    }
  }

  const isOver = ({ startedMs }: Window, nowMs: number): boolean => nowMs >= startedMs + windowMs

  function refusal({ startedMs }: Window, nowMs: number): AppError {
    const seconds = Math.max(1, Math.ceil((startedMs + windowMs - nowMs) / 1000))
    return new AppError('tooMany', 'Too many attempts; try again later', {
      extra: { stageKey: 'errors.rateLimit.tooManyRequests' },
      headers: { 'Retry-After': String(seconds) },
    })
  }

  return {
    /** Counts an attempt; throws 429 with `Retry-After` when the budget is used up. */
    take(address: string | null): void {
      const key = householdOf(address)
      if (key === null) return
      const nowMs = clock.elapsedMs()
      const window = windowOf(key, nowMs)
      window.count++
      if (window.count > attempts) throw refusal(window, nowMs)
    },

    /** Throws if the budget is used up, without counting. */
    check(address: string | null): void {
      const key = householdOf(address)
      const nowMs = clock.elapsedMs()
      const window = key === null ? undefined : windows.get(key)
      if (window === undefined || isOver(window, nowMs)) return
      if (window.count >= attempts) throw refusal(window, nowMs)
    },
  }
}
