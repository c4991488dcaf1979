import type { Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError, type Refusal } from '../../core/http/errors.ts'
import { isHidden } from '../sessions/visibility.ts'
import { UserPreferences, type ClockBody } from './model.ts'
import { defaultPreferences, guardedKeys, isRefreshRateLocked, normalClock } from './rules.ts'

type Key = keyof UserPreferences

const keys = Object.keys(UserPreferences.properties) as Key[]
const guarded: ReadonlySet<string> = new Set(guardedKeys)
const isWhole = TypeCompiler.Compile(UserPreferences)

/** Preference calls report refusals with `success` and `message`, like successes. */
const refusal = (kind: Refusal, message: string) =>
  new AppError(kind, message, { extra: { success: false, message } })

function withoutGuarded(preferences: UserPreferences): Partial<UserPreferences> {
  const entries = Object.entries(preferences).filter(([key]) => !guarded.has(key))
  // Still members of the same type, only fewer.
  return Object.fromEntries(entries) as Partial<UserPreferences>
}

function write(
  deps: AccessParts,
  caller: Caller,
  { sessionId, wanted }: { sessionId: string; wanted: UserPreferences },
): void {
  const stored = deps.control.preferences.write(sessionId, wanted)
  const preferences = caller.role === 'guest' ? withoutGuarded(stored) : stored
  const data = { sessionId, preferences }
  deps.control.sessions.publishAbout(sessionId, 'UserPreferencesUpdated', data)
}

function ownSession(caller: Caller): string {
  if (caller.sessionId === null) throw refusal('invalid', 'There is no session to store this for')
  return caller.sessionId
}

export const ownPreferences = ({ control }: AccessParts, caller: Caller): UserPreferences =>
  caller.sessionId === null ? { ...defaultPreferences } : control.preferences.read(caller.sessionId)

/** Replaces the caller's preferences; members that a guest may not write stay unchanged. */
export function replaceOwn(
  deps: AccessParts,
  caller: Caller,
  body: Partial<UserPreferences>,
): void {
  const sessionId = ownSession(caller)
  const wanted: Record<Key, unknown> = { ...defaultPreferences, ...body }
  if (caller.role === 'guest') {
    const held = deps.control.preferences.read(sessionId)
    for (const key of guardedKeys) wanted[key] = held[key]
    if (isRefreshRateLocked(deps, held)) wanted.refreshRate = held.refreshRate
  }
  // The defaults and the validated body together have every member.
  write(deps, caller, { sessionId, wanted: wanted as UserPreferences })
}

function keyOf(text: string): Key {
  const key = keys.find((one) => one.toLowerCase() === text.toLowerCase())
  if (key === undefined) throw refusal('invalid', 'This preference is not known')
  return key
}

/** Stores one preference. Enabling local time disables UTC. */
export function changeOwn(
  deps: AccessParts,
  caller: Caller,
  { name, value }: { name: string; value: unknown },
): void {
  const key = keyOf(name)
  if (caller.role === 'guest' && guarded.has(key)) throw new AppError('forbidden')
  const sessionId = ownSession(caller)
  const held = deps.control.preferences.read(sessionId)
  if (caller.role === 'guest' && key === 'refreshRate' && isRefreshRateLocked(deps, held)) {
    throw refusal('refused', 'The refresh rate of guests is locked')
  }
  const wanted: unknown = { ...held, [key]: value }
  if (!isWhole.Check(wanted)) {
    throw refusal('invalid', `The value of ${key} does not have the right type`)
  }
  if (key === 'useLocalTimezone' && wanted.useLocalTimezone) wanted.useUtcTimezone = false
  write(deps, caller, { sessionId, wanted })
}

export function changeClock(
  deps: AccessParts,
  caller: Caller,
  clock: Static<typeof ClockBody>,
): void {
  const sessionId = ownSession(caller)
  const held = deps.control.preferences.read(sessionId)
  write(deps, caller, { sessionId, wanted: { ...held, ...normalClock(clock) } })
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id, if it is valid and its session is not hidden; the session need not exist. */
function reachable({ control }: AccessParts, caller: Caller, sessionId: string) {
  if (!uuid.test(sessionId)) throw refusal('invalid', 'This is not the id of a session')
  const found = control.sessions.store.byId(sessionId.toLowerCase())
  if (found !== null && isHidden(caller, found)) throw refusal('notFound', 'Session not found')
  return found
}

export function preferencesOf(deps: AccessParts, caller: Caller, sessionId: string) {
  const found = reachable(deps, caller, sessionId)
  return found === null ? { ...defaultPreferences } : deps.control.preferences.read(found.id)
}

export function replaceFor(
  deps: AccessParts,
  caller: Caller,
  { sessionId, body }: { sessionId: string; body: Partial<UserPreferences> },
): void {
  const found = reachable(deps, caller, sessionId)
  if (found === null) throw refusal('notFound', 'Session not found')
  write(deps, caller, { sessionId: found.id, wanted: { ...defaultPreferences, ...body } })
}
