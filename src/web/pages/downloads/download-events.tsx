import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { api, unwrap, keys } from '../../api/client.ts'
import { useEvents } from '../../api/event-queries.ts'
import { useIsAccount, type DownloadDetail } from '../../api/queries.ts'
import { useNow } from '../../app/clock.ts'
import { Popover } from '../../components/popover.tsx'
import { t } from '../../locales/translate.ts'
import { EventLabel } from '../../components/events/event-label.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { orderEvents } from '../../app/events/state.ts'
import { useSave } from '../../app/use-save.ts'

interface DownloadEventsProps {
  downloadId: number
  events: DownloadDetail['events']
}

/** Events tagged on a download; account holders add and remove tags. */
export function DownloadEvents({ downloadId, events }: DownloadEventsProps) {
  const isAccount = useIsAccount()
  const now = useNow(60_000)
  const known = orderEvents(useEvents().data ?? [], now)
  const { save, isBusy } = useSave({
    stale: [keys.events, keys.download, keys.downloads, keys.batch, keys.games],
  })
  const others = known.filter(({ id }) => !events.some((event) => event.id === id))
  const place = (id: number) => api.events({ id }).downloads({ downloadId })
  const tag = (id: number, name: string, isTagged: boolean) => {
    const add = () => unwrap(place(id).post())
    const remove = () => unwrap(place(id).delete())
    save({
      run: isTagged ? remove : add,
      undo: isTagged ? add : remove,
      done: t(isTagged ? 'download.untagged' : 'download.tagged', { name }),
    })
  }
  return (
    <span className="flex flex-wrap items-center gap-1.5 pt-1">
      {events.length === 0 && <span className="text-dim">{t('download.noEvents')}</span>}
      {events.map(({ id, name, colorIndex }) => (
        <span
          key={id}
          data-hue={colorIndex}
          className="hue inline-flex max-w-full items-center gap-2 rounded-control bg-(--hue-soft) pr-1 pl-2.5 text-[13px]"
        >
          <HueDot index={colorIndex} />
          <Link
            to="/events/$id"
            params={{ id: String(id) }}
            className="truncate py-1 hover:underline"
            title={name}
          >
            {name}
          </Link>
          {isAccount && (
            <button
              type="button"
              aria-label={t('download.untag', { name })}
              disabled={isBusy}
              className="rounded p-1.5 hover:bg-(--hue-mid)"
              onClick={() => tag(id, name, true)}
            >
              <X size={13} />
            </button>
          )}
        </span>
      ))}
      {isAccount && others.length > 0 && (
        <Popover
          label={t('download.tag')}
          face={<Plus size={14} />}
          buttonClass="control h-[26px] px-1.5"
          className="w-[280px]"
          align="start"
        >
          {(close) => (
            <ul className="max-h-[40dvh] overflow-y-auto">
              {others.map((event) => (
                <li key={event.id}>
                  <button
                    type="button"
                    className="flex w-full items-center gap-2.5 rounded-control px-2.5 py-1.5 text-left text-[13px] hover:bg-raise"
                    onClick={() => {
                      close()
                      tag(event.id, event.name, false)
                    }}
                  >
                    <EventLabel event={event} now={now} />
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Popover>
      )}
    </span>
  )
}
