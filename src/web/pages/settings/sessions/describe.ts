import { parse } from 'bowser'
import { platforms, type Platform } from '../../../../platforms/platforms.ts'
import type { SessionDto } from '../../../api/access-queries.ts'
import { remainingSeconds } from '../../../app/remaining.ts'
import { t, type Key } from '../../../locales/translate.ts'

/** Longer user agents are truncated before parsing. */
const userAgentMax = 512

export interface Device {
  /** `Firefox 133`; empty when unknown. */
  browser: string
  system: string
  kind: 'desktop' | 'mobile' | 'tablet' | 'other'
}

const major = (version: string | undefined): string => version?.split('.')[0] ?? ''

/** Browser and system names from a user agent. */
export function deviceOf(userAgent: string): Device {
  if (userAgent.trim() === '') return { browser: '', system: '', kind: 'other' }
  const { browser, os, platform } = parse(userAgent.slice(0, userAgentMax))
  const kind = (['desktop', 'mobile', 'tablet'] as const).find((known) => known === platform.type)
  return {
    browser: `${browser.name ?? ''} ${major(browser.version)}`.trim(),
    system: `${os.name ?? ''} ${os.versionName ?? ''}`.trim(),
    kind: kind ?? 'other',
  }
}

export type Presence = 'here' | 'away' | 'idle'

const hereMs = 3 * 60_000
const awayMs = 30 * 60_000

/** Derived from the last request; a visible dashboard sends one every minute. */
export function presenceOf(lastSeenAt: string, now: Date): Presence {
  const age = now.getTime() - Date.parse(lastSeenAt)
  return age < hereMs ? 'here' : age < awayMs ? 'away' : 'idle'
}

export interface SessionFilter {
  type: SessionDto['sessionType'] | undefined
  search: string
}

/** Sessions of one kind that contain every typed word. */
export function filterSessions(
  sessions: readonly SessionDto[],
  { type, search }: SessionFilter,
): SessionDto[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return sessions.filter((session) => {
    if (type !== undefined && session.sessionType !== type) return false
    const { browser, system } = deviceOf(session.userAgent)
    const facts = [
      session.username,
      session.ipAddress,
      session.publicIpAddress,
      browser,
      system,
      session.city,
      session.countryName,
      session.timezone,
      session.id,
    ]
    const text = facts.join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export interface Grant {
  platform: Platform
  isGranted: boolean
  /** Null when it does not expire or was not granted. */
  secondsLeft: number | null
}

/** A session's current prefill grants. */
export function grantsOf(session: SessionDto, now: Date): Grant[] {
  return platforms.map((platform) => {
    const until = session[`${platform}PrefillExpiresAt`]
    const left = until === null ? null : remainingSeconds(until, now)
    const isGranted = session[`${platform}PrefillEnabled`] && left !== 0
    return { platform, isGranted, secondsLeft: isGranted ? left : null }
  })
}

export function deviceText({ browser, system }: Device): string {
  if (browser === '') return t('sessions.unknownDevice')
  return system === '' ? browser : t('sessions.device', { browser, system })
}

/** Why the session ended. */
export const endLabel = ({ isRevoked }: SessionDto): Key =>
  isRevoked ? 'sessions.revoked' : 'sessions.expired'
