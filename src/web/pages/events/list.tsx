import { Link, useNavigate } from '@tanstack/react-router'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { useIsAccount } from '../../api/queries.ts'
import { DataList, type Column } from '../../components/data-list.tsx'
import { Dot, type Tone } from '../../components/figures.tsx'
import { NoticeCard } from '../../components/card.tsx'
import { agoText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { HueDot } from '../../components/events/hue.tsx'
import type { EventState } from '../../app/events/search.ts'
import { orderEvents, stateOf } from '../../app/events/state.ts'
import { lengthText, spanText } from '../../app/events/times.ts'

const tones: Record<EventState, Tone> = { active: 'good', upcoming: 'quiet', past: 'quiet' }

/** Whether an event is upcoming, running or past. */
export function StateMark({ event, now }: { event: CalendarEvent; now: Date }) {
  const state = stateOf(event, now)
  return (
    <span className="flex items-center gap-2">
      <Dot tone={tones[state]} pulsing={state === 'active'} />
      {t(`events.state.${state}`)}
    </span>
  )
}

function columnsOf(now: Date): Column<CalendarEvent>[] {
  return [
    {
      header: t('events.name'),
      width: 'minmax(0,1.5fr)',
      cell: (event) => (
        <span className="flex items-center gap-3">
          <HueDot index={event.colorIndex} />
          <span className="min-w-0">
            <Link
              to="/events/$id"
              params={{ id: String(event.id) }}
              tabIndex={-1}
              className="block truncate font-medium"
            >
              {event.name}
            </Link>
            <span className="block truncate text-small text-dim sm:hidden">
              {spanText(event, now)}
            </span>
            <span className="block truncate text-small text-dim max-sm:hidden">
              {event.description ?? ''}
            </span>
          </span>
        </span>
      ),
    },
    {
      header: t('events.state'),
      width: '104px',
      cell: (event) => <StateMark event={event} now={now} />,
    },
    {
      header: t('events.when'),
      width: 'minmax(0,1fr)',
      from: 'sm',
      cell: (event) => <span className="figure">{spanText(event, now)}</span>,
    },
    {
      header: t('events.length'),
      width: '100px',
      align: 'end',
      from: 'md',
      cell: (event) => <span className="figure">{lengthText(event)}</span>,
    },
    {
      header: t('events.changed'),
      width: '96px',
      align: 'end',
      from: 'lg',
      cell: ({ updatedAtUtc, createdAtUtc }) => (
        <span className="text-dim">{agoText(new Date(updatedAtUtc ?? createdAtUtc), now)}</span>
      ),
    },
  ]
}

interface EventListProps {
  events: readonly CalendarEvent[]
  state: EventState | undefined
  now: Date
}

export function EventList({ events, state, now }: EventListProps) {
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const rows = orderEvents(events, now).filter(
    (event) => state === undefined || stateOf(event, now) === state,
  )
  if (rows.length === 0) {
    return (
      <NoticeCard
        title={t('events.none')}
        action={
          isAccount && (
            <Link to="/events" search={{ view: 'list', open: 'new' }} className="control">
              {t('events.new')}
            </Link>
          )
        }
      >
        {t('events.noneText')}
      </NoticeCard>
    )
  }
  return (
    <div className="card">
      <DataList
        label={t('nav.events')}
        columns={columnsOf(now)}
        rows={rows}
        rowKey={({ id }) => String(id)}
        onOpen={({ id }) => void navigate({ to: '/events/$id', params: { id: String(id) } })}
      />
    </div>
  )
}
