import type { RefreshRate, TimeFormat } from '../../app/preferences.ts'
import type { Key } from '../../locales/translate.ts'

export const rateLabels: Record<RefreshRate, Key> = {
  LIVE: 'rate.live',
  ULTRA: 'rate.ultra',
  REALTIME: 'rate.realtime',
  STANDARD: 'rate.standard',
  RELAXED: 'rate.relaxed',
  SLOW: 'rate.slow',
}

export const formatLabels: Record<TimeFormat, Key> = {
  'server-24h': 'clock.server24',
  'server-12h': 'clock.server12',
  'local-24h': 'clock.local24',
  'local-12h': 'clock.local12',
  utc: 'clock.utc',
}
