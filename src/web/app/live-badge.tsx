import { Dot, type Tone } from '../components/figures.tsx'
import type { Connection } from '../live/hub.ts'
import { durationText } from '../format/times.ts'
import { useConnection, useSilentSeconds } from '../live/store.ts'
import { t, type Key } from '../locales/translate.ts'

const faces: Record<Connection, { tone: Tone; label: Key; hint: Key }> = {
  connecting: { tone: 'quiet', label: 'live.connecting', hint: 'live.connectingHint' },
  live: { tone: 'good', label: 'live.live', hint: 'live.liveHint' },
  reconnecting: { tone: 'quiet', label: 'live.reconnecting', hint: 'live.reconnectingHint' },
  offline: { tone: 'bad', label: 'live.offline', hint: 'live.offlineHint' },
}

/** State of the live connection. */
export function LiveBadge() {
  const connection = useConnection()
  const silent = useSilentSeconds()
  if (connection === 'live' && silent > 0) {
    return (
      <p role="status" title={t('live.staleHint')} className="control px-2.5 sm:px-3">
        <Dot tone="quiet" />
        <span className="sr-only">{t('live.staleHint')}</span>
        <span aria-hidden="true">{t('live.stale', { time: durationText(silent) })}</span>
      </p>
    )
  }
  const { tone, label, hint } = faces[connection]
  return (
    <p role="status" title={t(hint)} className="control px-2.5 text-dim hover:bg-panel sm:px-3">
      <Dot tone={tone} pulsing={connection === 'reconnecting' || connection === 'connecting'} />
      {/* The usual states take the same space, so that a loading page does not move. */}
      <span
        className={connection === 'live' || connection === 'connecting' ? 'max-sm:sr-only' : ''}
      >
        {t(label)}
      </span>
    </p>
  )
}
