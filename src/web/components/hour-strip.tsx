import { clsx } from 'clsx'
import { byteText } from '../format/numbers.ts'
import { hourText, isHalfDay, timeText } from '../format/times.ts'
import { t } from '../locales/translate.ts'

export interface HourBytes {
  /** 0 to 23. */
  hour: number
  bytes: number
}

const axis = [0, 6, 12, 18, 23]

/** The day as 24 fields: the more was served in an hour, the stronger its colour. */
export function HourStrip({ hours }: { hours: readonly HourBytes[] }) {
  const most = Math.max(0, ...hours.map(({ bytes }) => bytes))
  return (
    <>
      <ol className="grid grid-cols-24 gap-[3px]">
        {hours.map(({ hour, bytes }) => {
          const strength = Math.round(12 + 88 * Math.sqrt(bytes / Math.max(1, most)))
          const label = t('hours.field', { time: timeText(`${hour}:00`), bytes: byteText(bytes) })
          const background = `color-mix(in oklab, var(--cache) ${strength}%, var(--panel))`
          return (
            <li
              key={hour}
              title={label}
              className={clsx('h-8 rounded-[4px]', bytes === 0 && 'bg-raise')}
              style={bytes === 0 ? {} : { background }}
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
            {isHalfDay() ? hourText(hour) : hour}
          </span>
        ))}
      </div>
    </>
  )
}
