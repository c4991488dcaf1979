import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router'
import { Tag, TagX } from 'lucide-react'
import type { Download } from '../../../downloads/downloads/model.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useEventDownloads, type CalendarEvent } from '../../api/event-queries.ts'
import { useClientNames, useIsAccount } from '../../api/queries.ts'
import { Button, choices, Segments } from '../../components/form-controls.tsx'
import { ClientName } from '../../components/clients/device-icon.tsx'
import { DataList, type Column } from '../../components/data-list.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { Mark } from '../../components/artwork.tsx'
import { Notice, Pending } from '../../components/card.tsx'
import { Pager } from '../../components/pager.tsx'
import { clientName, serviceName, titleOf } from '../../format/services.ts'
import { byteAmount } from '../../format/numbers.ts'
import { momentText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { gameOfDownload } from '../../app/game-address.ts'
import { eventSearch } from '../../app/events/search.ts'
import { writeRange } from '../../app/range.ts'
import { useSave } from '../../app/use-save.ts'
import { listedText } from './listed-text.ts'

const route = getRouteApi('/events/$id')
const pageSize = 50

/** A download's page, with the event as the filter of the pages behind it. */
const downloadLink = (id: number, event: number) =>
  linkOptions({
    to: '/downloads/$id',
    params: { id: String(id) },
    search: writeRange({ span: 'all', event }),
  })

interface Context {
  eventId: number
  names: Record<string, string>
  now: Date
  tagged: ReadonlySet<number>
  /** Bytes of the largest download, for bars that compare amounts. */
  most: number
  /** Null for guests. */
  onTag: ((download: Download, isTagged: boolean) => void) | null
}

const titleOfDownload = ({ gameName, service }: Download): string =>
  titleOf(gameName ?? serviceName(service))

function columnsOf({ eventId, names, now, tagged, most, onTag }: Context): Column<Download>[] {
  const columns: Column<Download>[] = [
    {
      header: t('column.title'),
      width: 'minmax(0,2fr)',
      cell: (download) => (
        <span className="flex items-center gap-3">
          <Mark
            name={titleOfDownload(download)}
            service={download.service}
            game={gameOfDownload(download)}
          />
          <span className="min-w-0">
            <Link
              {...downloadLink(download.id, eventId)}
              tabIndex={-1}
              className="block truncate font-medium"
            >
              {titleOfDownload(download)}
            </Link>
            <span className="block truncate text-small text-dim">
              <ClientName
                ip={download.clientIp}
                name={clientName(download.clientIp, null, names)}
              />
            </span>
          </span>
        </span>
      ),
    },
    {
      header: t('column.share'),
      width: 'minmax(60px,0.8fr)',
      from: 'md',
      cell: (download) => (
        <Composition
          cached={download.cacheHitBytes}
          fetched={download.cacheMissBytes}
          whole={most}
        />
      ),
    },
    {
      header: t('column.bytes'),
      width: '84px',
      align: 'end',
      cell: (download) => <Figure amount={byteAmount(download.totalBytes)} />,
    },
    {
      header: t('events.began'),
      width: '124px',
      align: 'end',
      from: 'sm',
      cell: ({ startTimeUtc }) => (
        <time dateTime={startTimeUtc} className="figure text-dim">
          {momentText(new Date(startTimeUtc), now)}
        </time>
      ),
    },
  ]
  if (onTag !== null) {
    columns.push({
      header: t('events.tag'),
      isHeadHidden: true,
      width: '44px',
      align: 'end',
      cell: (download) => {
        const isTagged = tagged.has(download.id)
        const Icon = isTagged ? TagX : Tag
        const label = t(isTagged ? 'events.untag' : 'events.doTag')
        return (
          <button
            type="button"
            title={label}
            aria-label={`${label}: ${titleOfDownload(download)}`}
            className="rounded-control p-2 text-dim hover:bg-line hover:text-text"
            onClick={() => onTag(download, isTagged)}
          >
            <Icon size={15} />
          </button>
        )
      },
    })
  }
  return columns
}

/** Downloads with the event's tag, and those that began inside it and could be tagged. */
export function EventDownloads({ event, now }: { event: CalendarEvent; now: Date }) {
  const navigate = useNavigate()
  const names = useClientNames()
  const isAccount = useIsAccount()
  const { shown = 'tagged', page = 1 } = route.useSearch()
  const tagged = useEventDownloads(event.id, true)
  const inside = useEventDownloads(shown === 'inside' ? event.id : 0, false)
  const { data: all, error } = shown === 'tagged' ? tagged : inside
  const pages = Math.max(1, Math.ceil((all?.length ?? 0) / pageSize))
  const offset = (Math.min(page, pages) - 1) * pageSize
  const rows = all?.slice(offset, offset + pageSize)
  const change = (next: { shown?: 'inside' | undefined; page?: number }) =>
    void navigate({ to: '.', search: eventSearch(next), resetScroll: false })
  const { save } = useSave({ stale: [keys.events, keys.batch, keys.games, keys.downloads] })
  const onTag = ({ id, ...download }: Download, isTagged: boolean) => {
    const place = api.events({ id: event.id }).downloads({ downloadId: id })
    const tag = () => unwrap(place.post())
    const untag = () => unwrap(place.delete())
    const title = titleOfDownload({ id, ...download })
    save({
      run: isTagged ? untag : tag,
      undo: isTagged ? tag : untag,
      done: t(isTagged ? 'events.wasUntagged' : 'events.wasTagged', { title }),
    })
  }
  const context: Context = {
    eventId: event.id,
    names,
    now,
    tagged: new Set(tagged.data?.map(({ id }) => id) ?? []),
    most: Math.max(0, ...(all ?? []).map(({ totalBytes }) => totalBytes)),
    onTag: isAccount ? onTag : null,
  }
  return (
    <section aria-label={t('nav.downloads')}>
      <div className="mb-2.5 flex flex-wrap items-center gap-3">
        <h2 className="text-card font-semibold">{t('nav.downloads')}</h2>
        {all !== undefined && <p className="text-small text-dim">{listedText(all.length)}</p>}
        <div className="ml-auto">
          <Segments
            label={t('events.which')}
            value={shown}
            options={choices({ tagged: 'events.tagged', inside: 'events.inside' })}
            onChange={(next) => change({ shown: next === 'inside' ? next : undefined })}
          />
        </div>
      </div>
      <div className="card">
        {rows === undefined && <Pending isList error={error} rows={4} />}
        {rows?.length === 0 && (
          <Notice
            title={t('events.noDownloads')}
            action={
              shown === 'tagged' && (
                <Button onClick={() => change({ shown: 'inside' })}>{t('events.inside')}</Button>
              )
            }
            className="py-12"
          >
            {t(shown === 'tagged' ? 'events.noTagged' : 'events.noInside')}
          </Notice>
        )}
        {all !== undefined && rows !== undefined && rows.length > 0 && (
          <>
            <DataList
              label={t('nav.downloads')}
              columns={columnsOf(context)}
              rows={rows}
              rowKey={({ id }) => String(id)}
              offset={offset}
              total={all.length}
              onOpen={({ id }) => void navigate(downloadLink(id, event.id))}
            />
            {pages > 1 && (
              <Pager
                page={Math.min(page, pages)}
                pages={pages}
                size={pageSize}
                total={all.length}
                onPage={(next) =>
                  change({ shown: shown === 'inside' ? shown : undefined, page: next })
                }
              />
            )}
          </>
        )}
      </div>
    </section>
  )
}
