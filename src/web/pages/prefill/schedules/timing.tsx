import { useState } from 'react'
import { Choice } from '../../../components/choice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Setting } from '../../../components/setting.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { CalendarInput } from '../../../components/calendar/calendar-editor.tsx'
import type { NamedSchedule } from '../../../api/prefill-schedules.ts'

interface TimingProps {
  held: NamedSchedule
  isBusy: boolean
  onChange: (part: Partial<NamedSchedule>) => void
}

const hours = [-1, 0, 6, 12, 24, 48, 72, 168]

function intervalText(interval: number): string {
  if (interval === 0) return t('prefill.paused')
  return interval < 0 ? t('prefill.atStart') : tn('prefill.everyHours', interval)
}

/** By interval, or by a calendar. */
export function Timing({ held, isBusy, onChange }: TimingProps) {
  const { customSchedule, intervalHours } = held
  const [way, setWay] = useState(customSchedule === null ? 'interval' : 'calendar')
  const shown = hours.includes(intervalHours) ? hours : [intervalHours, ...hours]
  return (
    <>
      <Setting
        id="prefill.when"
        {...(way === 'interval' && { value: intervalText(intervalHours) })}
      >
        <Segments
          value={way}
          disabled={isBusy}
          options={[
            { value: 'interval', label: t('prefill.byInterval') },
            { value: 'calendar', label: t('schedules.calendar') },
          ]}
          onChange={(next) => {
            setWay(next)
            if (next === 'interval' && customSchedule !== null) onChange({ customSchedule: null })
          }}
        />
        {way === 'interval' && (
          <Choice
            label={t('prefill.byInterval')}
            value={String(intervalHours)}
            disabled={isBusy}
            options={shown.map((hour) => ({ value: String(hour), label: intervalText(hour) }))}
            onChange={(value) => onChange({ intervalHours: Number(value) })}
          />
        )}
      </Setting>
      {way === 'calendar' && (
        <div className="border-b border-line py-3">
          <CalendarInput
            held={customSchedule}
            isBusy={isBusy}
            onSave={(next) => {
              if (next === null) setWay('interval')
              onChange({ customSchedule: next })
            }}
          />
        </div>
      )}
    </>
  )
}
