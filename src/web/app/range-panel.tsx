import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { MomentField } from '../components/moment-field.tsx'
import { inputValue, momentOf } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { EventFilter } from './event-filter.tsx'
import { MonthGrid } from './month-grid.tsx'
import { periodOf, spanLabels, spans, type Range } from './range.ts'

interface RangePanelProps {
  value: Range
  onChange: (range: Range) => void
}

/** Choices of a range: spans that end now, two moments, an event. */
export function RangePanel({ value, onChange }: RangePanelProps) {
  const tagged = value.event === undefined ? {} : { event: value.event }
  return (
    <>
      <ul className="grid grid-cols-2 gap-0.5">
        {spans.map((span) => (
          <li key={span}>
            <button
              type="button"
              aria-current={'span' in value && value.span === span}
              className="w-full rounded-control px-3 py-2 text-left text-[13px] hover:bg-raise aria-[current=true]:bg-raise aria-[current=true]:font-semibold"
              onClick={() => onChange({ ...tagged, span })}
            >
              {t(spanLabels[span])}
            </button>
          </li>
        ))}
      </ul>
      <CustomRange
        key={JSON.stringify(value)}
        value={value}
        onChange={(range) => onChange({ ...range, ...tagged })}
      />
      <EventFilter value={value} onChange={onChange} />
    </>
  )
}

/** Initial field values: the current range; for all time the last day. */
function inputsOf(range: Range): { from: string; to: string } {
  const now = new Date()
  const period = periodOf(range, now) ?? periodOf({ span: '24h' }, now)
  const textOf = (seconds: number | undefined) =>
    inputValue(seconds === undefined ? now : new Date(seconds * 1000))
  return { from: textOf(period?.startTime), to: textOf(period?.endTime) }
}

/** Two moments in the user's time zone. */
function CustomRange({ value, onChange }: RangePanelProps) {
  const [first] = useState(() => inputsOf(value))
  const [from, setFrom] = useState(first.from)
  const [to, setTo] = useState(first.to)
  const start = momentOf(from).getTime() / 1000
  const stop = momentOf(to).getTime() / 1000
  const isValid = stop > start
  const submit = () => {
    if (isValid) onChange({ from: start, to: stop })
  }
  return (
    <Form onSubmit={submit} className="mt-1.5 space-y-2 border-t border-line p-2 pt-3">
      <MonthGrid first={from.slice(0, 10)} last={to.slice(0, 10)} onDays={onChange} />
      <MomentField label={t('range.from')} value={from} onChange={setFrom} />
      <MomentField label={t('range.to')} value={to} onChange={setTo} />
      <Button type="submit" disabled={!isValid} className="w-full justify-center">
        {isValid ? t('range.apply') : t('range.order')}
      </Button>
    </Form>
  )
}
