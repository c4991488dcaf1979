import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { threadsMax } from '../preferences/rules.ts'
import type { PrefillDefaults, PrefillDefaultsBody } from './model.ts'

const operatingSystems = ['windows', 'linux', 'macos']

/** Known systems without repetition; all of them when none is left. */
function systemsOf(wanted: readonly unknown[]): string[] {
  const names = wanted.map((name) => (typeof name === 'string' ? name.trim().toLowerCase() : ''))
  const known = operatingSystems.filter((name) => names.includes(name))
  return known.length === 0 ? operatingSystems : known
}

/** `max`, or a number of threads from 1 on; everything else leaves it to the daemon. */
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

/** A number of threads that keeps to the limit; the words `auto` and `max` stay. */
function within(concurrency: string, limit: number | null): string {
  const threads = Number(concurrency)
  return limit === null || Number.isNaN(threads) ? concurrency : String(Math.min(threads, limit))
}

/** What a prefill starts with; a guest reads it within the limits of its session. */
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

/** Changes what is given; what cannot be used becomes the default. */
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
