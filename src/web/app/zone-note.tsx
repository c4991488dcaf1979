import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePreferences, type UserPreferences } from '../api/access-queries.ts'
import { api, unwrap, keys } from '../api/client.ts'
import { useConfig, useStatus } from '../api/queries.ts'
import { t } from '../locales/translate.ts'
import { readStored } from './appearance.ts'
import { mergePreferences, timeFormatOf } from './preferences.ts'
import { firstClock, foreignZone } from './zone.ts'

const clockKey = 'larder.clockOf'

/**
 * Gives a new session of an account this browser's clock, once; later choices are remembered for
 * the next session. Guests keep the clock that was set for them.
 */
function useFirstClock(preferences: UserPreferences | undefined): void {
  const status = useStatus().data
  const sessionId = status?.sessionType === 'guest' ? null : status?.sessionId
  const queries = useQueryClient()
  useEffect(() => {
    if (preferences === undefined || sessionId === null || sessionId === undefined) return
    const [known, last = null] = readStored(clockKey)?.split(' ') ?? []
    const first = known === sessionId ? null : firstClock(preferences, last)
    const format = timeFormatOf(first ?? preferences)
    localStorage.setItem(clockKey, `${sessionId} ${format}`)
    if (first === null) return
    queries.setQueryData<UserPreferences>([...keys.preferences, sessionId], (held) =>
      mergePreferences(held, first),
    )
    void unwrap(api['user-preferences'].clock.patch(first)).catch(() => {})
  }, [preferences, sessionId, queries])
}

/** Chooses the zone of a new session, and names the zone when it is not the server's. */
export function ZoneNote() {
  const preferences = usePreferences().data
  useFirstClock(preferences)
  const serverZone = useConfig().data?.timeZone || null
  const zone = preferences === undefined ? null : foreignZone(preferences, serverZone)
  if (zone === null) return null
  return (
    <p
      className="px-2.5 pb-2 text-tiny text-dim"
      title={t('shell.zoneHint', { zone: serverZone ?? '' })}
    >
      {t('shell.zone', { zone: zone.replaceAll('_', ' ') })}
    </p>
  )
}
