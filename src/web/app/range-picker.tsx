import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useState, type FormEvent } from 'react'
import { useEventName } from '../api/event-queries.ts'
import { Popover } from '../components/popover.tsx'
import { localInputValue, momentText } from '../format/times.ts'
import { loadTexts, t } from '../locales/translate.ts'
import { periodOf, spanLabels, spans, type Range } from './range.ts'

const EventFilter = lazy(async () => {
  const [{ EventFilter: Filter }] = await Promise.all([
    import('./event-filter.tsx'),
    loadTexts('reports'),
  ])
  return { default: Filter }
})

interface RangePickerProps {
  value: Range
  onChange: (range: Range) => void
}

function rangeLabel(range: Range): string {
  if ('span' in range) return t(spanLabels[range.span])
  const now = new Date()
  const from = momentText(new Date(range.from * 1000), now)
  return `${from} – ${momentText(new Date(range.to * 1000), now)}`
}

/** The span that a page talks about; it stands in the address, so a link shows the same. */
export function RangePicker({ value, onChange }: RangePickerProps) {
  const tagged = value.event === undefined ? {} : { event: value.event }
  const [wasOpened, setWasOpened] = useState(false)
  const event = useEventName(value.event)
  // All time is what an event is looked at over.
  const label = event !== '' && 'span' in value && value.span === 'all' ? event : null
  const face = (
    <>
      <span className="max-w-[38vw] truncate font-semibold md:max-w-[320px]">
        {label ?? [rangeLabel(value), event].filter(Boolean).join(' · ')}
      </span>
      <ChevronDown size={14} aria-hidden="true" className="text-dim" />
    </>
  )
  return (
    <Popover
      label={t('range.label')}
      face={face}
      className="max-h-[calc(100dvh-16px)] w-[310px] overflow-y-auto"
      onOpen={() => setWasOpened(true)}
    >
      {(close) => (
        <>
          <ul className="grid grid-cols-2 gap-0.5">
            {spans.map((span) => (
              <li key={span}>
                <button
                  type="button"
                  aria-current={'span' in value && value.span === span}
                  className="w-full rounded-control px-3 py-2 text-left text-[13px] hover:bg-raise aria-[current=true]:bg-raise aria-[current=true]:font-semibold"
                  onClick={() => {
                    onChange({ ...tagged, span })
                    close()
                  }}
                >
                  {t(spanLabels[span])}
                </button>
              </li>
            ))}
          </ul>
          <CustomRange
            key={JSON.stringify(value)}
            value={value}
            onChange={(range) => {
              onChange({ ...range, ...tagged })
              close()
            }}
          />
          {wasOpened && (
            <Suspense fallback={<div className="h-24" />}>
              <EventFilter
                value={value}
                onChange={(range) => {
                  onChange(range)
                  close()
                }}
              />
            </Suspense>
          )}
        </>
      )}
    </Popover>
  )
}

/** What the fields start with: the shown range, for all time the last day. */
function inputsOf(range: Range): { from: string; to: string } {
  const now = new Date()
  const period = periodOf(range, now) ?? periodOf({ span: '24h' }, now)
  const textOf = (seconds: number | undefined) =>
    localInputValue(seconds === undefined ? now : new Date(seconds * 1000))
  return { from: textOf(period?.startTime), to: textOf(period?.endTime) }
}

/** Two moments in the reader's own time zone. */
function CustomRange({ value, onChange }: RangePickerProps) {
  const [first] = useState(() => inputsOf(value))
  const [from, setFrom] = useState(first.from)
  const [to, setTo] = useState(first.to)
  const start = new Date(from).getTime() / 1000
  const stop = new Date(to).getTime() / 1000
  const isValid = stop > start
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) onChange({ from: start, to: stop })
  }
  return (
    <form onSubmit={submit} className="mt-1.5 space-y-2 border-t border-line p-2 pt-3">
      <label className="block text-small text-dim">
        {t('range.from')}
        <input
          type="datetime-local"
          className="input mt-1 h-[34px] text-[13px]"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
      </label>
      <label className="block text-small text-dim">
        {t('range.to')}
        <input
          type="datetime-local"
          className="input mt-1 h-[34px] text-[13px]"
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </label>
      <button type="submit" disabled={!isValid} className="control w-full justify-center">
        {isValid ? t('range.apply') : t('range.order')}
      </button>
    </form>
  )
}
