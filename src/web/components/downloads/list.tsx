import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import {
  useDownloads,
  useClientNames,
  useIsAccount,
  type DownloadRow,
  type DownloadsQuery,
} from '../../api/queries.ts'
import { readRange, writeRange, type Range, periodOf } from '../../app/range.ts'
import {
  downloadsQuery,
  pageSizes,
  sorts,
  standardPageSize,
  type DownloadsSearch,
} from '../../app/search-state.ts'
import { useNow } from '../../app/use-now.ts'
import { DataList } from '../data-list.tsx'
import { Empty } from '../empty.tsx'
import { Pending } from '../card.tsx'
import { Pager } from '../pager.tsx'
import { Button } from '../form-controls.tsx'
import { useRefreshes } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { gameAddress } from '../../app/game-address.ts'
import { downloadColumns, sessionsLink, type DownloadColumn } from './columns.tsx'
import { Filters, isFiltered, noFilters, type Change } from './filters.tsx'
import { ExportMenu as Menu, type ExportFormat } from '../export-menu.tsx'
import { Columns3 } from 'lucide-react'
import { Popover } from '../popover.tsx'

interface DownloadsListProps {
  search: DownloadsSearch
  /** Filters set by the page itself; they are not offered. */
  fixed?: Pick<DownloadsSearch, 'client' | 'group' | 'service'>
  /** Identifier of one game; its rows differ by client. */
  game?: string
  /** Renders the rows in place of the table. */
  face?: (rows: readonly DownloadRow[]) => ReactNode
  /** Further tools next to the export. */
  extra?: ReactNode
  onChange: Change
}

/** Scrolled beyond this, the user is reading: rows must not move. */
const readingFromPx = 60

/** Refetches immediately if nothing visible would jump; otherwise reports new rows. */
function useNews(refetch: () => Promise<unknown>, isFirstPage: boolean) {
  const refreshes = useRefreshes()
  const [seen, setSeen] = useState(refreshes)
  const hasNews = refreshes !== seen
  const followsAtOnce = isFirstPage && scrollY < readingFromPx
  const read = async () => {
    await refetch()
    setSeen(refreshes)
  }
  useEffect(() => {
    if (hasNews && isFirstPage && scrollY < readingFromPx) {
      void refetch().then(() => setSeen(refreshes))
    }
  }, [hasNews, isFirstPage, refetch, refreshes])
  const show = () => {
    scrollTo({ top: 0 })
    void read()
  }
  // Otherwise the button would appear for a moment and move the rows.
  return { hasNews: hasNews && !followsAtOnce, show }
}

interface NoDownloadsProps extends Pick<DownloadsListProps, 'search' | 'onChange'> {
  isGames: boolean
}

/** Offers what brings rows: fewer filters, more time, or finding out why nothing arrives. */
function NoDownloads({ search, isGames, onChange }: NoDownloadsProps) {
  const isAccount = useIsAccount()
  if (isFiltered(search)) {
    const clear = <Button onClick={() => onChange(noFilters)}>{t('downloads.clearFilters')}</Button>
    return (
      <Empty picture="search" title={t('downloads.noMatch')} action={clear}>
        {t('downloads.noMatchText')}
      </Empty>
    )
  }
  const range = readRange(search)
  const isAll = 'span' in range && range.span === 'all'
  const action = !isAll ? (
    <Button onClick={() => onChange(writeRange({ span: 'all' }))}>{t('downloads.allTime')}</Button>
  ) : isAccount ? (
    <Link to="/settings/status-check" className="control">
      {t('downloads.check')}
    </Link>
  ) : undefined
  return (
    <Empty
      picture={isGames ? 'games' : 'downloads'}
      title={t(isAll ? 'downloads.none' : 'downloads.noneInRange')}
      action={action}
    >
      {t('downloads.noneText')}
    </Empty>
  )
}

/** The downloads list with its filters and tools; used by every page that lists downloads. */
export function DownloadsList(props: DownloadsListProps) {
  const { search, fixed = {}, game, face, extra, onChange } = props
  const navigate = useNavigate()
  const linksClients = useIsAccount()
  const isOneGame = game !== undefined
  const names = useClientNames()
  const now = useNow(60_000)
  const wanted = { ...search, ...fixed }
  const { group } = wanted
  const range = readRange(search)
  const query = { ...downloadsQuery(wanted), ...(game === undefined ? {} : { Game: game }) }
  const downloads = useDownloads(query, range)
  const { data, error, isPlaceholderData, refetch } = downloads
  const { hasNews, show } = useNews(refetch, (search.page ?? 1) === 1)
  const most = Math.max(0, ...(data?.items ?? []).map(({ totalBytes }) => totalBytes))
  const columns = downloadColumns({ names, now, linksClients, group, isOneGame, most }).filter(
    // Redundant where all rows have the same client, or show it beside the title.
    ({ id }) => id !== 'client' || (fixed.client === undefined && !isOneGame),
  )
  const { hidden, toggle } = useHiddenColumns()
  const size = search.size ?? standardPageSize
  const hides = Object.keys(fixed) as (keyof typeof fixed)[] // only the two names of its type
  return (
    <div className="space-y-3">
      <Filters search={search} range={range} hides={hides} onChange={onChange}>
        {face === undefined && <ColumnChoice columns={columns} hidden={hidden} onToggle={toggle} />}
        <ExportMenu query={query} range={range} />
        {extra}
      </Filters>
      {hasNews && (
        <Button onClick={show} className="sticky top-2 z-30 mx-auto flex">
          {t('downloads.news')}
        </Button>
      )}
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={8} />}
        {data?.items.length === 0 && (
          <NoDownloads search={search} isGames={group === 'game'} onChange={onChange} />
        )}
        {data !== undefined && data.items.length > 0 && (
          <>
            {face !== undefined && face(data.items)}
            {face === undefined && (
              <DataList
                label={t('nav.downloads')}
                columns={columns.filter(({ id }) => !hidden.includes(id))}
                rows={data.items}
                rowKey={({ id }) => id}
                offset={(data.currentPage - 1) * size}
                total={data.totalItems}
                sort={search.sort ?? 'latest'}
                onSort={(next) => onChange({ sort: sorts.find((known) => known === next) })}
                isOld={isPlaceholderData}
                onOpen={(row) => {
                  if (group === 'game') {
                    const params = gameAddress(row)
                    void navigate({ to: '/games/$service/$id', params })
                    return
                  }
                  void navigate(sessionsLink(row))
                }}
              />
            )}
            <Pager
              page={data.currentPage}
              pages={data.totalPages}
              size={size}
              total={data.totalItems}
              sizes={pageSizes}
              onSize={(next) => onChange({ size: next })}
              onPage={(page) => {
                onChange({ page })
                scrollTo({ top: 0 })
              }}
            />
          </>
        )}
      </div>
    </div>
  )
}

/** The filtered downloads as a file. */
export const ExportMenu = ({ query, range }: { query: DownloadsQuery; range: Range }) => (
  <Menu note={t('export.note')} addressOf={(format) => exportAddress(query, range, format)} />
)

/** URL of the whole filtered list as a file; the server writes it row by row. */
export function exportAddress(query: DownloadsQuery, range: Range, format: ExportFormat): string {
  const params = new URLSearchParams({ format })
  const { Page: _page, PageSize: _size, ...filters } = query
  const period = periodOf(range, new Date())
  const all = {
    ...filters,
    StartTime: period?.startTime,
    EndTime: period?.endTime,
    EventId: range.event,
  }
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) params.set(name, String(value))
  }
  return `/api/ext/downloads/export?${params.toString()}`
}

const storageKey = 'larder.downloads.hidden'
const hiddenAtFirst = ['datasource']
/** A row is meaningless without its title. */
const fixed = 'title'

function stored(): string[] {
  const text = localStorage.getItem(storageKey)
  return text === null ? hiddenAtFirst : text.split(',').filter(Boolean)
}

/** Hidden columns; stored in this browser. */
export function useHiddenColumns() {
  const [hidden, setHidden] = useState<readonly string[]>(stored)
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((known) => known !== id) : [...hidden, id]
    localStorage.setItem(storageKey, next.join(','))
    setHidden(next)
  }
  return { hidden, toggle }
}

interface ColumnChoiceProps {
  columns: readonly Pick<DownloadColumn, 'id' | 'header'>[]
  hidden: readonly string[]
  onToggle: (id: string) => void
}

export function ColumnChoice({ columns, hidden, onToggle }: ColumnChoiceProps) {
  return (
    <Popover
      label={t('downloads.columns')}
      face={<Columns3 size={15} />}
      buttonClass="control px-2.5 max-md:hidden"
      className="w-[210px]"
    >
      {() => (
        <fieldset className="p-2">
          <legend className="pb-1 text-small text-dim">{t('downloads.columns')}</legend>
          {columns
            .filter(({ id }) => id !== fixed)
            .map(({ id, header }) => (
              <label key={id} className="flex h-8 cursor-pointer items-center gap-2.5">
                <input
                  type="checkbox"
                  className="accent-cache"
                  checked={!hidden.includes(id)}
                  onChange={() => onToggle(id)}
                />
                {header}
              </label>
            ))}
        </fieldset>
      )}
    </Popover>
  )
}
