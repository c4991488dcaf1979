import { clsx } from 'clsx'
import { useState } from 'react'
import { isHalfDay, parseTime, timeText } from '../format/times.ts'
import { t } from '../locales/translate.ts'

interface TimeFieldProps {
  label: string
  /** HH:mm. */
  value: string
  onChange: (time: string) => void
  className?: string
}

/**
 * A time of day, typed as the pages show it: a native field follows the browser, not the clock that
 * the reader chose.
 */
export function TimeField({
  label,
  value,
  onChange,
  className = 'input h-[34px]',
}: TimeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const take = (text: string | null) => {
    const time = text === null ? null : parseTime(text)
    if (time !== null && time !== value) onChange(time)
  }
  const finish = () => {
    take(typed)
    setTyped(null)
  }
  return (
    <input
      aria-label={label}
      title={label}
      className={clsx(className, 'w-auto')}
      size={isHalfDay() ? 8 : 5}
      maxLength={12}
      autoComplete="off"
      inputMode={isHalfDay() ? 'text' : 'numeric'}
      aria-invalid={typed !== null && parseTime(typed) === null}
      value={typed ?? timeText(value)}
      onChange={({ target }) => {
        setTyped(target.value)
        // Hours alone may still become another time.
        if (/\d\d\D*$/.test(target.value)) take(target.value)
      }}
      onKeyDown={({ key }) => key === 'Enter' && finish()}
      onBlur={finish}
    />
  )
}

interface TimeSpanProps {
  /** HH:mm. */
  start: string
  end: string
  labels: { start: string; end: string }
  onChange: (span: { start?: string; end?: string }) => void
}

/** Two times of day, from and until. */
export const TimeSpan = ({ start, end, labels, onChange }: TimeSpanProps) => (
  <>
    <TimeField label={labels.start} value={start} onChange={(time) => onChange({ start: time })} />
    <span aria-hidden="true">–</span>
    <TimeField label={labels.end} value={end} onChange={(time) => onChange({ end: time })} />
  </>
)

interface MomentFieldProps {
  label: string
  /** `YYYY-MM-DDTHH:mm` in the user's zone. */
  value: string
  onChange: (value: string) => void
  /** Why the value was refused. */
  problem?: string | undefined
}

/** A day and a time of day. */
export function MomentField({ label, value, onChange, problem }: MomentFieldProps) {
  const [day = '', time = ''] = value.split('T')
  return (
    <div role="group" aria-label={label}>
      <p className="mb-1.5 text-small font-medium">{label}</p>
      <div className="flex gap-2">
        <input
          type="date"
          aria-label={t('time.dayOf', { label })}
          className="input h-[34px] min-w-0 flex-1 text-[13px]"
          required
          aria-invalid={problem !== undefined}
          value={day}
          onChange={({ target }) => onChange(`${target.value}T${time}`)}
        />
        <TimeField
          label={t('time.timeOf', { label })}
          value={time}
          onChange={(next) => onChange(`${day}T${next}`)}
          className="input h-[34px] text-[13px]"
        />
      </div>
      {problem !== undefined && <p className="mt-1.5 text-small text-bad">{problem}</p>}
    </div>
  )
}
