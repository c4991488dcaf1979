import type { CalendarEvent } from '../../api/event-queries.ts'
import { HueDot } from './hue.tsx'
import { spanText } from '../../app/events/times.ts'

/** An event in a selection list: colour, name and time. */
export function EventLabel({ event, now }: { event: CalendarEvent; now: Date }) {
  return (
    <>
      <HueDot index={event.colorIndex} />
      <span className="min-w-0">
        <span className="block truncate">{event.name}</span>
        <span className="figure block truncate text-tiny text-dim">{spanText(event, now)}</span>
      </span>
    </>
  )
}
