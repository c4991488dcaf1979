import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { threadsMax } from '../preferences/rules.ts'
import type { PrefillDefaults, PrefillDefaultsBody } from './model.ts'

const operatingSystems = ['windows', 'linux', 'macos']

/** Known systems without duplicates; all of them when none remain. */
function systemsOf(wanted: readonly unknown[]): string[] {
  const names = wanted.map((name) => (typeof name === 'string' ? name.trim().toLowerCase() : ''))
  const known = operatingSystems.filter((name) => names.includes(name))
  return known.length === 0 ? operatingSystems : known
}

/** `max`, or a number of threads from 1; anything else leaves the choice to the daemon. */
function concurrencyOf(wanted: string): string {
  const text = wanted.trim().toLowerCase()
  if (text === 'max') return text
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= threadsMax ? text : 'auto'
}

const unlimited = ({ settings }: AccessParts): PrefillDefaults => {
  const { betaMaxConcurrency, ...held } = settings.get('prefill.defaults')
  return {
    ...held,
    serverThreadCount: threadsMax,
    maxThreadLimit: null,
    betaDefaultPrefillMaxConcurrency: betaMaxConcurrency,
  }
}

/** Caps a number of threads at the limit; the words `auto` and `max` stay. */
function within(concurrency: string, limit: number | null): string {
  const threads = Number(concurrency)
  return limit === null || Number.isNaN(threads) ? concurrency : String(Math.min(threads, limit))
}

/** Prefill defaults; guests see them capped by their session's limits. */
export function prefillDefaults(deps: AccessParts, caller: Caller): PrefillDefaults {
  const held = unlimited(deps)
  if (caller.role !== 'guest' || caller.sessionId === null) return held
  const own = deps.control.preferences.read(caller.sessionId)
  const limitOf = (platform: 'alpha' | 'beta') =>
    own[`${platform}MaxThreadCount`] ??
    deps.settings.get(`guest.prefill.${platform}`).maxThreadCount
  const maxThreadLimit = limitOf('alpha')
  return {
    ...held,
    maxThreadLimit,
    maxConcurrency: within(held.maxConcurrency, maxThreadLimit),
    betaDefaultPrefillMaxConcurrency: within(
      held.betaDefaultPrefillMaxConcurrency,
      limitOf('beta'),
    ),
  }
}

/** Changes the given members; unusable values become the default. */
export function changePrefillDefaults(
  deps: AccessParts,
  body: PrefillDefaultsBody,
): PrefillDefaults {
  const held = deps.settings.get('prefill.defaults')
  deps.settings.set('prefill.defaults', {
    operatingSystems: systemsOf(body.operatingSystems ?? held.operatingSystems),
    maxConcurrency: concurrencyOf(body.maxConcurrency ?? held.maxConcurrency),
    betaMaxConcurrency: concurrencyOf(
      body.betaDefaultPrefillMaxConcurrency ?? held.betaMaxConcurrency,
    ),
  })
  const fresh = unlimited(deps)
  deps.hub.publish('PrefillDefaultsChanged', fresh)
  return fresh
}
