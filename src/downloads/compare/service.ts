import type { DownloadsParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { CalendarEvent } from '../events/model.ts'
import { findEvent } from '../events/store.ts'
import { ratio } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { bucketMinutesOf, filledBuckets } from '../reports/series.ts'
import type { ComparedEvent, EventComparison } from './model.ts'
import { elapsedBuckets, eventTotals } from './store.ts'

const eventsMin = 2
const eventsMax = 6
const idPattern = /^[1-9]\d{0,14}$/

/** Parses two to six different ids; throws `invalid` with the reason. */
export function comparedIds(text: string): number[] {
  const parts = text.split(',').map((part) => part.trim())
  if (!parts.every((part) => idPattern.test(part))) {
    throw new AppError('invalid', 'ids must be a list of event ids separated by commas')
  }
  const ids = [...new Set(parts.map(Number))]
  if (ids.length !== parts.length) throw new AppError('invalid', 'ids contains an event twice')
  if (ids.length < eventsMin || ids.length > eventsMax) {
    throw new AppError('invalid', `Between ${eventsMin} and ${eventsMax} events can be compared`)
  }
  return ids
}

const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)

const durationOf = (event: CalendarEvent): number =>
  Math.max(0, seconds(event.endTimeUtc) - seconds(event.startTimeUtc))

/** Overlays events by the time since each began. */
export function createComparison({ clock }: Pick<DownloadsParts, 'clock'>, reports: Reports) {
  const { read } = reports

  async function eventOf(id: number): Promise<CalendarEvent> {
    const event = await read((sql) => findEvent(sql, id))
    if (event === null) throw new AppError('notFound', `Event ${id} not found`)
    return event
  }

  async function compared(
    event: CalendarEvent,
    asked: Scope,
    bucketMinutes: number,
  ): Promise<ComparedEvent> {
    const scope = { ...asked, eventId: event.id }
    const width = bucketMinutes * 60
    const [startsAt, endsAt] = [seconds(event.startTimeUtc), seconds(event.endTimeUtc)]
    const [{ topGames, ...totals }, points] = await Promise.all([
      read((sql) => eventTotals(sql, scope)),
      read((sql) => elapsedBuckets(sql, scope, { startsAt, endsAt, seconds: width })),
    ])
    const reached = Math.min(endsAt, Math.floor(clock.now().getTime() / 1000)) - startsAt
    const last = Math.max(Math.floor(reached / width) * width, points.at(-1)?.at ?? -1)
    const { id, name, colorIndex, startTimeUtc, endTimeUtc } = event
    const servedBytes = totals.hitBytes + totals.missBytes
    return {
      id,
      name,
      colorIndex,
      startTimeUtc,
      endTimeUtc,
      durationSeconds: durationOf(event),
      totals: { ...totals, servedBytes, cacheHitRatio: ratio(totals.hitBytes, servedBytes) },
      topGames,
      series: filledBuckets(points, { first: 0, last, seconds: width }).map(
        ({ at, hitBytes, missBytes }) => ({
          elapsedSeconds: at,
          hitBytes,
          missBytes,
          servedBytes: hitBytes + missBytes,
        }),
      ),
    }
  }

  return async (
    ids: readonly number[],
    asked: Scope,
    bucketMinutes?: number,
  ): Promise<EventComparison> => {
    const events = await Promise.all(ids.map(eventOf))
    const minutes = bucketMinutesOf(bucketMinutes, Math.max(...events.map(durationOf)))
    const scope = reports.counted(asked)
    // The events are part of the key, so that a change shows immediately.
    const name = `compare ${minutes} ${JSON.stringify(events)}`
    const compute = () => Promise.all(events.map((event) => compared(event, scope, minutes)))
    return { bucketMinutes: minutes, events: await reports.cached(name, scope, compute) }
  }
}
