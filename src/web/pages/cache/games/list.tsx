import { useNow } from '../../../app/use-now.ts'
import { DataList } from '../../../components/data-list.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { standardCacheSort, type CacheSort } from '../search.ts'
import { cacheColumns } from './columns.tsx'
import { sumOf, type Entry } from './entries.ts'

interface EntryListProps {
  rows: readonly Entry[]
  sort: CacheSort | undefined
  selected: ReadonlySet<string>
  onSelect: (key: string) => void
  onSort: (sort: string) => void
  onOpen: (entry: Entry) => void
}

/** The shared list with the cache's columns and a total of the shown entries. */
export function EntryList(props: EntryListProps) {
  const { rows, sort = standardCacheSort, selected, onSelect, onSort, onOpen } = props
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
        sort={sort}
        onSort={onSort}
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
