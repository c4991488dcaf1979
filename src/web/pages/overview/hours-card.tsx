import { clsx } from 'clsx'
import type { HourlyActivity } from '../../api/wire.ts'
import { Card } from '../../components/card.tsx'
import { Away, Notice, Waiting } from '../../components/notice.tsx'
import { byteText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'

interface HoursCardProps {
  activity: HourlyActivity | null | undefined
  isLoading: boolean
  className: string
}

const axis = [0, 6, 12, 18, 23]

/** The day as 24 fields: the stronger, the more was served in that hour (mean of the range). */
export function HoursCard({ activity, isLoading, className }: HoursCardProps) {
  const hours = activity?.hours ?? []
  const most = Math.max(0, ...hours.map(({ avgBytesServed }) => avgBytesServed))
  const zone = activity?.timeZone
  // The server counts in its own zone; readers elsewhere are told.
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
        <Notice title={t('hours.none')} className="py-3" />
      ) : (
        <>
          <ol className="grid grid-cols-24 gap-[3px]">
            {hours.map(({ hour, avgBytesServed }) => {
              const strength = Math.round(12 + 88 * Math.sqrt(avgBytesServed / most))
              const label = t('hours.field', { hour, bytes: byteText(avgBytesServed) })
              return (
                <li
                  key={hour}
                  title={label}
                  className={clsx('h-8 rounded-[4px]', avgBytesServed === 0 && 'bg-raise')}
                  style={
                    avgBytesServed === 0
                      ? {}
                      : {
                          background: `color-mix(in oklab, var(--cache) ${strength}%, var(--panel))`,
                        }
                  }
                >
                  <span className="sr-only">{label}</span>
                </li>
              )
            })}
          </ol>
          <div aria-hidden="true" className="figure relative mt-1.5 h-4 text-tiny text-dim">
            {axis.map((hour) => (
              <span
                key={hour}
                className="absolute -translate-x-1/2"
                style={{ left: `${((hour + 0.5) / 24) * 100}%` }}
              >
                {hour}
              </span>
            ))}
          </div>
          {peak !== undefined && (
            <p className="mt-2 text-small text-dim">
              {t('hours.peak', {
                from: peak.hour,
                to: (peak.hour + 1) % 24,
                bytes: byteText(peak.avgBytesServed),
              })}
            </p>
          )}
        </>
      )}
    </Card>
  )
}
