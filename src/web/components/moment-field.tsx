import { clsx } from 'clsx'
import { Calendar } from 'lucide-react'
import { useRef, useState } from 'react'
import { isHalfDay, timeText } from '../format/times.ts'
import { dayInputText, parseDay, parseTime } from '../format/typed-times.ts'
import { t } from '../locales/translate.ts'

interface TypedFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** What the field shows for a value. */
  textOf: (value: string) => string
  /** The value of a typed text; null when it is none. */
  parse: (text: string) => string | null
  /** Texts that may still become another value are taken when the field is left. */
  isWhole: RegExp
  size: number
  inputMode: 'numeric' | 'text'
  className: string
}

/** A value that is typed as the pages show it: native fields follow the browser instead. */
function TypedField(props: TypedFieldProps) {
  const { label, value, onChange, textOf, parse, isWhole, className, ...input } = props
  const [typed, setTyped] = useState<string | null>(null)
  const take = (text: string) => {
    const next = parse(text)
    if (next !== null && next !== value) onChange(next)
  }
  const finish = () => {
    if (typed !== null) take(typed)
    setTyped(null)
  }
  return (
    <input
      {...input}
      aria-label={label}
      title={label}
      className={className}
      maxLength={12}
      autoComplete="off"
      aria-invalid={typed !== null && parse(typed) === null}
      value={typed ?? textOf(value)}
      onChange={({ target }) => {
        setTyped(target.value)
        if (isWhole.test(target.value)) take(target.value)
      }}
      onKeyDown={({ key }) => key === 'Enter' && finish()}
      onBlur={finish}
    />
  )
}

interface FieldProps {
  label: string
  /** HH:mm, or YYYY-MM-DD. */
  value: string
  onChange: (value: string) => void
  className?: string
}

/** A time of day, on the chosen clock. */
export const TimeField = ({ className = 'input h-[34px]', ...field }: FieldProps) => (
  <TypedField
    {...field}
    textOf={timeText}
    parse={parseTime}
    isWhole={/\d\d\D*$/}
    size={isHalfDay() ? 8 : 5}
    inputMode={isHalfDay() ? 'text' : 'numeric'}
    className={clsx(className, 'w-auto')}
  />
)

/** A day in the order of the region, typed or chosen in the browser's calendar. */
function DayField({ label, value, onChange }: FieldProps) {
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <span className="relative flex min-w-0 flex-1">
      <input
        ref={calendar}
        type="date"
        tabIndex={-1}
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 opacity-0"
        value={value}
        onChange={({ target }) => target.value !== '' && onChange(target.value)}
      />
      <TypedField
        label={label}
        value={value}
        onChange={onChange}
        textOf={dayInputText}
        parse={parseDay}
        isWhole={/\d{4}$|^\d{4}\D\d\d\D\d\d$/}
        size={10}
        inputMode="text"
        className="input h-[34px] w-full pr-9 text-[13px]"
      />
      <button
        type="button"
        data-in-field
        aria-label={t('time.choose', { label })}
        className="absolute inset-y-1 right-1 rounded-control px-1.5 text-dim hover:text-text"
        onClick={() => calendar.current?.showPicker()}
      >
        <Calendar size={14} />
      </button>
    </span>
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

interface MomentInputProps {
  label: string
  /** `YYYY-MM-DDTHH:mm` in the user's zone. */
  value: string
  onChange: (value: string) => void
}

/** A day and a time of day, where the label is shown beside them. */
export function MomentInput({ label, value, onChange }: MomentInputProps) {
  const [day = '', time = ''] = value.split('T')
  return (
    <div role="group" aria-label={label} className="flex gap-2">
      <DayField
        label={t('time.dayOf', { label })}
        value={day}
        onChange={(next) => onChange(`${next}T${time}`)}
      />
      <TimeField
        label={t('time.timeOf', { label })}
        value={time}
        onChange={(next) => onChange(`${day}T${next}`)}
        className="input h-[34px] text-[13px]"
      />
    </div>
  )
}

interface MomentFieldProps extends MomentInputProps {
  /** Why the value was refused. */
  problem?: string | undefined
}

/** The same below its label. */
export const MomentField = ({ problem, ...input }: MomentFieldProps) => (
  <div>
    <p className="mb-1.5 text-small font-medium">{input.label}</p>
    <MomentInput {...input} />
    {problem !== undefined && <p className="mt-1.5 text-small text-bad">{problem}</p>}
  </div>
)
