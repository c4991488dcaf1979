import type { HourlyActivity } from '../../api/wire.ts'
import { Card } from '../../components/card.tsx'
import { HourStrip } from '../../components/hour-strip.tsx'
import { Away, Nothing, Waiting } from '../../components/notice.tsx'
import { byteText } from '../../format/numbers.ts'
import { timeText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

interface HoursCardProps {
  activity: HourlyActivity | null | undefined
  isLoading: boolean
  className: string
}

/**
 * The day as 24 fields: the more was served in an hour (mean of the range), the stronger its
 * colour.
 */
export function HoursCard({ activity, isLoading, className }: HoursCardProps) {
  const hours = activity?.hours ?? []
  const most = Math.max(0, ...hours.map(({ avgBytesServed }) => avgBytesServed))
  const zone = activity?.timeZone
  // The server uses its own time zone, which is named if different.
  const isForeign =
    zone !== undefined && zone !== new Intl.DateTimeFormat().resolvedOptions().timeZone
  const note = isForeign ? t('hours.noteZone', { zone }) : t('hours.note')
  const peak = hours.find(({ hour }) => hour === activity?.peakHour)
  return (
    <Card title={t('hours.title')} note={note} className={className}>
      {isLoading ? (
        <Waiting rows={1} />
      ) : !activity ? (
        <Away className="py-3" />
      ) : most === 0 ? (
        <Nothing title={t('hours.none')} className="py-3" />
      ) : (
        <>
          <HourStrip
            hours={hours.map(({ hour, avgBytesServed }) => ({ hour, bytes: avgBytesServed }))}
          />
          {peak !== undefined && (
            <p className="mt-2 text-small text-dim">
              {t('hours.peak', {
                from: timeText(`${peak.hour}:00`),
                to: timeText(`${(peak.hour + 1) % 24}:00`),
                bytes: byteText(peak.avgBytesServed),
              })}
            </p>
          )}
        </>
      )}
    </Card>
  )
}
