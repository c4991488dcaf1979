import { CalendarRange, X } from 'lucide-react'
import { useEvents } from '../api/event-queries.ts'
import { Waiting } from '../components/notice.tsx'
import { t } from '../locales/translate.ts'
import { HueDot } from '../components/events/hue.tsx'
import { orderEvents } from './events/state.ts'
import { spanText } from './events/times.ts'
import type { Range } from './range.ts'
import { useNow } from './use-now.ts'

interface EventFilterProps {
  value: Range
  onChange: (range: Range) => void
}

/** More than fit into the panel; older ones are on their own page. */
const shownMax = 50

const seconds = (text: string) => Math.floor(new Date(text).getTime() / 1000)

/** Part of the range panel: only an event's downloads, or its span of time. */
export function EventFilter({ value, onChange }: EventFilterProps) {
  const now = useNow(60_000)
  const { data } = useEvents()
  const events = orderEvents(data ?? [], now).slice(0, shownMax)
  const { event: chosen, ...rest } = value
  return (
    <section aria-label={t('filter.event')} className="mt-1.5 border-t border-line p-2 pt-3">
      <h3 className="mb-1 flex h-6 items-center text-small text-dim">
        {t('filter.event')}
        {chosen !== undefined && (
          <button
            type="button"
            className="ml-auto flex items-center gap-1 hover:text-text"
            onClick={() => onChange('span' in rest && rest.span === 'all' ? { span: '24h' } : rest)}
          >
            <X size={13} />
            {t('filter.clear')}
          </button>
        )}
      </h3>
      {data === undefined && <Waiting rows={2} />}
      {data !== undefined && events.length === 0 && (
        <p className="text-small text-dim">{t('filter.noEvents')}</p>
      )}
      <ul className="-mx-1 max-h-[150px] overflow-y-auto">
        {events.map((event) => (
          <li key={event.id} className="flex items-center gap-0.5">
            <button
              type="button"
              aria-pressed={event.id === chosen}
              className="flex min-w-0 flex-1 items-center gap-2.5 rounded-control px-2 py-1.5 text-left text-[13px] hover:bg-raise aria-[pressed=true]:bg-raise aria-[pressed=true]:font-semibold"
              onClick={() => onChange({ span: 'all', event: event.id })}
            >
              <HueDot index={event.colorIndex} />
              <span className="truncate">{event.name}</span>
            </button>
            <button
              type="button"
              title={`${t('filter.eventTime')}: ${spanText(event, now)}`}
              aria-label={`${t('filter.eventTime')}: ${event.name}`}
              className="rounded-control p-2 text-dim hover:bg-raise hover:text-text"
              onClick={() =>
                onChange({ from: seconds(event.startTimeUtc), to: seconds(event.endTimeUtc) })
              }
            >
              <CalendarRange size={14} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
