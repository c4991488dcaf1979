import type { CalendarEvent } from '../../api/event-queries.ts'
import { HueDot } from './hue.tsx'
import { spanText } from '../../app/events/times.ts'

/** An event in a selection list: colour, name and time. */
export const EventLabel = ({ event, now }: { event: CalendarEvent; now: Date }) => (
  <>
    <HueDot index={event.colorIndex} />
    <span className="min-w-0">
      <span className="block truncate">{event.name}</span>
      <span className="figure block truncate text-tiny text-dim">{spanText(event, now)}</span>
    </span>
  </>
)
