import type { QueryClient } from '@tanstack/react-query'
import type { UserPreferences } from '../api/access-queries.ts'
import { keys } from '../api/keys.ts'
import type { AuthStatus } from '../api/wire.ts'
import { mergePreferences } from '../app/preferences.ts'

/** Events that make something about sessions or guests old, by the query that reads it. */
const stale: Readonly<Record<string, readonly (readonly string[])[]>> = {
  UserSessionCreated: [keys.sessions],
  UserSessionDeleted: [keys.sessions],
  UserSessionRevoked: [keys.sessions],
  UserSessionsCleared: [keys.sessions],
  SessionLastSeenUpdated: [],
  GuestPrefillPermissionChanged: [keys.sessions],
  UserPreferencesReset: [keys.preferences],
  GuestRefreshRateUpdated: [keys.preferences],
  DefaultGuestRefreshRateChanged: [keys.guests],
  GuestRefreshRateLockChanged: [keys.guests],
  DefaultGuestPreferencesChanged: [keys.guests],
  AllowedTimeFormatsChanged: [keys.guests],
  DefaultGuestThemeChanged: [keys.guests],
  GuestModeLockChanged: [keys.guests],
  GuestDurationUpdated: [keys.guests],
}

const sessionOf = (data: unknown): string | null =>
  typeof data === 'object' && data !== null && 'sessionId' in data
    ? String(data.sessionId).toLowerCase()
    : null

/** Takes note of an event about sessions, guests or preferences; false when it is none. */
export function noteAccessEvent(queries: QueryClient, event: string, data: unknown): boolean {
  const sessionId = sessionOf(data)
  if (event === 'UserPreferencesUpdated' && sessionId !== null) {
    // Our own server's frame; a guest's lacks the members that guests may not write.
    const { preferences } = data as { preferences: Partial<UserPreferences> }
    queries.setQueryData<UserPreferences>([...keys.preferences, sessionId], (held) =>
      mergePreferences(held, preferences),
    )
    return true
  }
  const queryKeys = event.endsWith('GuestPrefillConfigChanged') ? [keys.guests] : stale[event]
  if (queryKeys === undefined) return false
  for (const queryKey of queryKeys) void queries.invalidateQueries({ queryKey })
  const own = queries.getQueryData<AuthStatus>(keys.status)?.sessionId?.toLowerCase()
  const isOwn = sessionId !== null && sessionId === own
  // What it may do has changed. The end of a session comes with the end of its connection.
  if (isOwn && event === 'GuestPrefillPermissionChanged') {
    void queries.invalidateQueries({ queryKey: keys.status })
  }
  return true
}
