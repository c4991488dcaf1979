import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import {
  useGuestRate,
  usePreferences,
  useSystemRate,
  type UserPreferences,
} from '../api/access-queries.ts'
import { api, unwrap, keys } from '../api/client.ts'
import { useConfig, useStatus } from '../api/queries.ts'
import { setReportsEvery } from '../live/events.ts'
import { adoptClock } from './clock.ts'
import { isBuiltIn, storedTheme } from './appearance.ts'
import { clockOf, effectiveRate, refreshRates } from './preferences.ts'
import {
  adoptShape,
  adoptTheme,
  chosenTheme,
  onThemeChosen,
  serverThemeId,
  themeOfServer,
} from './theme.ts'

/** Applies the session's theme; a missing or broken one changes nothing. */
async function adoptServerTheme(id: string | null): Promise<void> {
  const theme = themeOfServer(id)
  if (theme === chosenTheme() && (isBuiltIn(theme) || storedTheme()?.id === theme)) return
  if (theme === 'system' || isBuiltIn(theme)) {
    if (theme !== chosenTheme()) adoptTheme(theme)
    return
  }
  const { loadTheme } = await import('../themes/load-theme.ts')
  const loaded = await loadTheme(theme)
  if (loaded !== null) adoptTheme(theme, loaded)
}

/** Stores one of this session's preferences, as bare JSON; the response is ignored. */
export const storePreference = <K extends keyof UserPreferences>(
  key: K,
  value: UserPreferences[K],
): Promise<unknown> => unwrap(api['user-preferences']({ key }).patch(value as object))

function useTheme(preferences: UserPreferences | undefined): void {
  const queries = useQueryClient()
  const { data: status } = useStatus()
  const isKnown = useRef(false)
  const sessionId = status?.sessionId ?? ''
  const selected = preferences?.selectedTheme
  useEffect(() => {
    if (selected === undefined) return
    // A new session has no theme: it takes this browser's.
    const isUnchosen = !isKnown.current && selected === null
    isKnown.current = true
    if (!isUnchosen) void adoptServerTheme(selected).catch(() => {})
    else if (chosenTheme() !== 'system') {
      void storePreference('selectedTheme', serverThemeId(chosenTheme())).catch(() => {})
    }
  }, [selected])
  useEffect(
    () =>
      onThemeChosen((theme) => {
        const selectedTheme = serverThemeId(theme)
        queries.setQueryData<UserPreferences>([...keys.preferences, sessionId], (held) =>
          held === undefined ? undefined : { ...held, selectedTheme },
        )
        // Already applied; a failure only means that it is not stored with the session.
        void storePreference('selectedTheme', selectedTheme).catch(() => {})
      }),
    [queries, sessionId],
  )
}

/** Reports once per session the browser facts shown in the list of sessions. */
function useClientInfo(sessionId: string | null | undefined): void {
  useEffect(() => {
    if (sessionId === null || sessionId === undefined) return
    const { width, height } = screen
    const facts = {
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: navigator.language,
      screenResolution: `${width}x${height}`,
    }
    void unwrap(api.sessions.me['client-info'].post(facts)).catch(() => {})
  }, [sessionId])
}

/** Keeps this page in sync with its session's preferences, wherever they were changed. */
export function usePreferenceSync(): void {
  const { data: status } = useStatus()
  const { data: preferences } = usePreferences()
  const guest = useGuestRate().data ?? null
  const system = useSystemRate().data?.refreshRate ?? null
  const zone = useConfig().data?.timeZone ?? null
  const isGuest = status?.sessionType === 'guest'
  useTheme(preferences)
  useClientInfo(status?.sessionId)
  const { rate } = effectiveRate({ preferences: preferences ?? null, isGuest, system, guest })
  useEffect(() => setReportsEvery(refreshRates[rate]), [rate])
  useEffect(() => {
    if (preferences === undefined || zone === null) return
    adoptClock(clockOf(preferences, zone === '' ? null : zone))
  }, [preferences, zone])
  useEffect(() => {
    if (preferences === undefined) return
    const { sharpCorners, disableFocusOutlines, disableTooltips } = preferences
    adoptShape({ sharpCorners, hidesOutlines: disableFocusOutlines })
    setTooltips(disableTooltips)
  }, [preferences])
}

/** Removes an element's tooltip before the browser shows it; a reload restores them all. */
function hush({ target }: Event): void {
  const element = target instanceof Element ? target.closest('[title]') : null
  if (element === null) return
  const hint = element.getAttribute('title') ?? ''
  element.removeAttribute('title')
  const isNamed = element.hasAttribute('aria-label') || element.textContent.trim() !== ''
  if (!isNamed) element.setAttribute('aria-label', hint)
}

/** Turns tooltips off or on. */
function setTooltips(areOff: boolean): void {
  if (areOff) document.addEventListener('mouseover', hush, true)
  else document.removeEventListener('mouseover', hush, true)
}
