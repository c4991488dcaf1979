import { useNow } from '../../../app/clock.ts'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { byteText, countText, byteAmount, percentText, share } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { cacheGamesSearch, standardCacheSort } from '../search.ts'
import { useAddress } from './filters.tsx'
import { sumOf, type Entry, reportOf, titleOfEntry } from './entries.ts'
import { clsx } from 'clsx'
import { Artwork } from '../../../components/artwork.tsx'
import { Figure, Time } from '../../../components/figures.tsx'
import { Tick } from '../../../components/form-controls.tsx'
import { serviceName } from '../../../format/services.ts'
import { agoText } from '../../../format/times.ts'

interface EntryListProps {
  rows: readonly Entry[]
  selected: ReadonlySet<string>
  onSelect: (key: string) => void
  onOpen: (entry: Entry) => void
}

/** The shared list with the cache's columns and a total of the shown entries. */
export function EntryList(props: EntryListProps) {
  const { rows, selected, onSelect, onOpen } = props
  const { search, change } = useAddress()
  const now = useNow(60_000)
  const { bytes, files } = sumOf(rows)
  const sources = new Set(rows.flatMap(({ datasources }) => datasources))
  const columns = cacheColumns({
    now,
    most: Math.max(0, ...rows.map((row) => row.bytes)),
    whole: bytes,
    hasSources: sources.size > 1,
    selected,
    onSelect,
  })
  return (
    <div className="card">
      <DataList
        label={t('cache.tabGames')}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        sort={search.sort ?? standardCacheSort}
        onSort={(sort) => change({ sort: cacheGamesSearch({ sort }).sort })}
        onOpen={onOpen}
      />
      <p
        className="figure border-t border-line px-4 py-3 text-[13px] text-dim"
        title={t('cache.exactly', { bytes: countText(bytes) })}
      >
        {tn('count.entries', rows.length)} · {tn('count.files', files)} · {byteText(bytes)}
      </p>
    </div>
  )
}

interface ColumnsContext {
  now: Date
  /** Bytes of the largest entry, for bars, and of all entries. */
  most: number
  whole: number
  hasSources: boolean
  selected: ReadonlySet<string>
  onSelect: (key: string) => void
}

/** The line below the name. */
function noteOf(entry: Entry): string {
  const parts = [
    entry.kind === 'service' ? t('downloads.untitled') : serviceName(entry.service),
    entry.unnamedDepot === null ? null : t('downloads.untitled'),
    entry.files === 0 ? t('downloads.evicted') : null,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

const whatColumns = ({ selected, onSelect }: ColumnsContext): Column<Entry>[] => [
  {
    id: 'select',
    header: '',
    width: '20px',
    cell: (entry) => (
      <Tick
        label={t('cache.select', { name: titleOfEntry(entry) })}
        state={selected.has(entry.key)}
        disabled={entry.files === 0}
        onToggle={() => onSelect(entry.key)}
      />
    ),
  },
  {
    header: t('column.title'),
    width: 'minmax(0,1.7fr)',
    sorts: ['name', 'name-last'],
    cell: (entry) => (
      <span className="flex items-center gap-3">
        <Artwork
          name={titleOfEntry(entry)}
          service={entry.service}
          game={reportOf(entry)}
          className={clsx('size-[34px] flex-none rounded-mark', entry.files === 0 && 'grayscale')}
        />
        <span className="min-w-0">
          <span className={clsx('block truncate font-medium', entry.files === 0 && 'text-dim')}>
            {titleOfEntry(entry)}
          </span>
          <span className="block truncate text-small text-dim">{noteOf(entry)}</span>
        </span>
      </span>
    ),
  },
]

const shareColumns = ({ most, whole, hasSources }: ColumnsContext): Column<Entry>[] => [
  {
    header: t('cache.share'),
    width: 'minmax(60px,1fr)',
    from: 'lg',
    cell: ({ bytes }) => (
      <span
        role="img"
        aria-label={t('cache.shareOf', { percent: percentText(share(bytes, whole)) })}
        title={t('cache.shareOf', { percent: percentText(share(bytes, whole)) })}
        className="flex h-1.5 overflow-hidden rounded-bar"
      >
        <span className="rounded-bar bg-cache" style={{ width: `${share(bytes, most)}%` }} />
      </span>
    ),
  },
  ...(hasSources
    ? [
        {
          header: t('cache.source'),
          width: '104px',
          from: 'xl' as const,
          cell: ({ datasources }: Entry) => (
            <span className="text-dim">{datasources.join(', ')}</span>
          ),
        },
      ]
    : []),
]

const amountColumns = ({ now }: ColumnsContext): Column<Entry>[] => [
  {
    header: t('cache.evicted'),
    width: '112px',
    align: 'end',
    from: 'lg',
    sorts: ['evicted', 'evicted-least'],
    cell: ({ evictedDownloads, evictedBytes }) =>
      evictedDownloads === 0 ? (
        <span className="text-dim">–</span>
      ) : (
        <span
          className="figure text-dim"
          title={`${tn('count.downloads', evictedDownloads)}, ${byteText(evictedBytes)}`}
        >
          {countText(evictedDownloads)}
        </span>
      ),
  },
  {
    header: t('cache.files'),
    width: '72px',
    align: 'end',
    from: 'md',
    sorts: ['files', 'files-least'],
    cell: ({ files }) => <span className="figure text-dim">{countText(files)}</span>,
  },
  {
    header: t('cache.lastStored'),
    width: '112px',
    align: 'end',
    from: 'md',
    sorts: ['latest', 'oldest'],
    cell: ({ lastStoredAt }) =>
      lastStoredAt === null ? (
        <span className="text-dim">–</span>
      ) : (
        <Time at={lastStoredAt} now={now} text={agoText} className="text-dim" />
      ),
  },
  {
    header: t('column.bytes'),
    width: '84px',
    align: 'end',
    sorts: ['largest', 'smallest'],
    cell: ({ bytes }) => <Figure amount={byteAmount(bytes)} className="font-medium" />,
  },
]

/** Columns of the list; narrow windows omit some. */
const cacheColumns = (context: ColumnsContext): Column<Entry>[] => [
  ...whatColumns(context),
  ...shareColumns(context),
  ...amountColumns(context),
]
