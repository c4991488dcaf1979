import { useNavigate } from '@tanstack/react-router'
import { Eraser } from 'lucide-react'
import { useState } from 'react'
import { useDetection, useEvictedTotal, useEvictionSettings } from '../../../api/cache-queries.ts'
import { keys, api, unwrap } from '../../../api/client.ts'
import { Mark } from '../../../components/artwork.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Figure } from '../../../components/figures.tsx'
import { StartButton } from '../../../components/start-button.tsx'
import { Notice, Pending } from '../../../components/card.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { byteAmount, byteText, countText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { useAwayChoice } from '../away/choice.tsx'
import { entriesOf, reportOf, shownEntries, type Entry, titleOfEntry } from '../games/entries.ts'
import { cacheGamesSearch, type CacheSort } from '../search.ts'
import type { WhenAway } from '../../../../cache/away/away.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** Evicted games and services with their downloads; their records can be deleted. */
export function EvictedList({ isBarred }: { isBarred: boolean }) {
  const { data: detection, error } = useDetection()
  const mode = useEvictionSettings().data?.evictedDataMode
  const navigate = useNavigate()
  const [sort, setSort] = useState<CacheSort>('evicted')
  const saving = useSave({ stale: [keys.cache, keys.operations] })
  const away = useAwayChoice()
  const all = detection === undefined ? [] : entriesOf(detection)
  const rows = shownEntries(all, { show: 'evicted', sort })
  const downloads = rows.reduce((sum, row) => sum + row.evictedDownloads, 0)
  const bytes = rows.reduce((sum, row) => sum + row.evictedBytes, 0)
  // More than the list shows: hidden games, and services without a name of their own.
  const { data: total } = useEvictedTotal()
  const unlisted = Math.max(0, (total ?? downloads) - downloads)
  const isHidden = mode === 'hide' || mode === 'remove'
  const forget = (entry: Entry) =>
    saving.save({
      run: () => forgetOne(entry, away.query),
      done: t('evicted.forgetStarted', { name: titleOfEntry(entry) }),
    })
  return (
    <div className="card">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-[18px] py-3">
        <h2 className="text-card font-semibold">{t('evicted.list')}</h2>
        {rows.length > 0 && (
          <p
            className="figure text-small text-dim"
            title={t('cache.exactly', { bytes: countText(bytes) })}
          >
            {tn('count.downloads', downloads)} · {byteText(bytes)}
          </p>
        )}
        <div className="ml-auto flex flex-wrap justify-end gap-2">
          <Action
            label={t('evicted.forgetAll')}
            consequence={[
              t('evicted.forgetAllText', {
                downloads: tn('count.downloads', downloads + unlisted),
              }),
              ...(unlisted > 0 ? [tn('evicted.unlisted', unlisted)] : []),
            ].join(' ')}
            run={() => forgetAll(away.query)}
            done={t('evicted.forgetAllStarted')}
            saving={saving}
            disabled={isBarred || (rows.length === 0 && !isHidden)}
          />
        </div>
      </div>
      {away.control !== null && <div className="px-[18px] pb-3">{away.control}</div>}
      {detection === undefined && <Pending isList error={error} rows={4} />}
      {detection !== undefined && isHidden && (
        <p className="border-b border-line px-[18px] py-2.5 text-[13px] text-dim">
          {t('evicted.hiddenHere')}
        </p>
      )}
      {detection !== undefined && rows.length === 0 && (
        <Notice
          title={t('evicted.none')}
          action={<StartButton job="cache-evicted" label="palette.scanEvicted" />}
          className="py-12"
        >
          {t('evicted.noneText')}
        </Notice>
      )}
      {rows.length > 0 && (
        <DataList
          label={t('evicted.list')}
          columns={columnsOf({ forget, isBarred: isBarred || saving.isBusy })}
          rows={rows}
          rowKey={({ key }) => key}
          sort={sort}
          onSort={(next) => setSort(cacheGamesSearch({ sort: next }).sort ?? 'largest')}
          onOpen={({ key }) => void navigate({ to: '/cache/games', search: { open: key } })}
        />
      )}
    </div>
  )
}

interface RowContext {
  forget: (entry: Entry) => void
  isBarred: boolean
}

function columnsOf({ forget, isBarred }: RowContext): Column<Entry>[] {
  return [
    {
      header: t('column.title'),
      width: 'minmax(0,1.7fr)',
      sorts: ['name', 'name-last'],
      cell: (entry) => (
        <span className="flex items-center gap-3">
          <Mark name={titleOfEntry(entry)} service={entry.service} game={reportOf(entry)} />
          <span className="min-w-0">
            <span className="block truncate font-medium">{titleOfEntry(entry)}</span>
            <span className="block truncate text-small text-dim">
              {entry.kind === 'service' ? t('downloads.untitled') : serviceName(entry.service)}
              {' · '}
              {entry.isEvicted
                ? t('downloads.evicted')
                : t('evicted.partly', { bytes: byteText(entry.bytes) })}
            </span>
          </span>
        </span>
      ),
    },
    {
      header: t('nav.downloads'),
      width: '98px',
      align: 'end',
      from: 'sm',
      sorts: ['evicted', 'evicted-least'],
      cell: ({ evictedDownloads }) => (
        <span className="figure text-dim">{countText(evictedDownloads)}</span>
      ),
    },
    {
      header: t('column.bytes'),
      width: '84px',
      align: 'end',
      cell: ({ evictedBytes }) => <Figure amount={byteAmount(evictedBytes)} />,
    },
    {
      id: 'forget',
      header: '',
      width: '34px',
      align: 'end',
      cell: (entry) => (
        <Button
          className="h-[34px] px-[9px] text-dim"
          aria-label={t('evicted.forgetOf', { name: titleOfEntry(entry) })}
          title={t('evicted.forget')}
          disabled={isBarred}
          // Enter would open the row.
          onKeyDown={(event) => event.stopPropagation()}
          onClick={() => forget(entry)}
        >
          <Eraser size={15} />
        </Button>
      ),
    },
  ]
}

interface Query {
  whenAway?: WhenAway
}

/** Starts deleting all records of one evicted game or service. */
async function forgetOne(entry: Pick<Entry, 'kind' | 'id' | 'service' | 'name'>, away: Query) {
  const { kind, id, service, name } = entry
  if (kind === 'named') {
    await unwrap(
      api.cache.evicted.named({ service })({ gameName: name }).delete({}, { query: away }),
    )
    return
  }
  const query = { ...away, key: kind === 'service' ? service : (id ?? '') }
  await unwrap(api.cache.evicted({ scope: kind }).delete({}, { query }))
}

async function forgetAll(query: Query): Promise<void> {
  await unwrap(api.cache.evicted.delete({}, { query }))
}
