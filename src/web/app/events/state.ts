import type { CalendarEvent } from '../../api/event-queries.ts'
import type { EventState } from './search.ts'

type Timed = Pick<CalendarEvent, 'startTimeUtc' | 'endTimeUtc'>

export function stateOf({ startTimeUtc, endTimeUtc }: Timed, now: Date): EventState {
  if (new Date(startTimeUtc) > now) return 'upcoming'
  return new Date(endTimeUtc) < now ? 'past' : 'active'
}

const ranks: Record<EventState, number> = { active: 0, upcoming: 1, past: 2 }

/** Running events, then upcoming ones, then past ones. */
export const orderEvents = <Event extends Timed>(events: readonly Event[], now: Date): Event[] =>
  events.toSorted((a, b) => {
    const [stateA, stateB] = [stateOf(a, now), stateOf(b, now)]
    if (stateA !== stateB) return ranks[stateA] - ranks[stateB]
    const order = a.startTimeUtc.localeCompare(b.startTimeUtc)
    return stateA === 'past' ? -order : order
  })
