import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { usePendingDeletes } from './pending-delete.ts'
import { useNow } from '../../app/clock.ts'
import { momentText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { HueDot } from '../../components/events/hue.tsx'

/** Running events, as a line above the page. */
export function RunningEvents({ events }: { events: readonly CalendarEvent[] }) {
  const now = useNow(30_000)
  const deleted = usePendingDeletes()
  const running = events
    .filter(({ id, endTimeUtc }) => !deleted.includes(id) && new Date(endTimeUtc) > now)
    .toSorted((a, b) => a.endTimeUtc.localeCompare(b.endTimeUtc))
  const [first, ...others] = running
  const end = running.at(-1)?.endTimeUtc ?? ''
  // Until then the frame keeps the place free at the next visit.
  useEffect(() => {
    localStorage.setItem('larder.running', end)
    return () => localStorage.removeItem('larder.running')
  }, [end])
  if (first === undefined) return null
  return (
    <aside
      aria-label={t('events.running')}
      data-running
      data-hue={first.colorIndex}
      className="hue"
    >
      <p className="flex items-center justify-center gap-2 h-(--strip) bg-(--hue-soft) px-4 text-[13px]">
        <HueDot index={first.colorIndex} className="pulse" />
        <Link
          to="/events/$id"
          params={{ id: String(first.id) }}
          className="truncate leading-6 font-medium hover:underline"
        >
          {first.name}
        </Link>
        <span className="whitespace-nowrap">
          {t('events.until', { time: momentText(new Date(first.endTimeUtc), now) })}
        </span>
        {others.length > 0 && (
          <Link
            to="/events"
            search={{ view: 'list', state: 'active' }}
            className="min-w-6 text-center leading-6 hover:underline"
          >
            +{others.length}
          </Link>
        )}
      </p>
    </aside>
  )
}
