import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useBatch, useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { Dot, Figure } from '../../components/figures.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { countText, rateAmount } from '../../format/numbers.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from './list.tsx'
import { ViewsMenu } from './views-menu.tsx'

const route = getRouteApi('/downloads')

export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      // Every change other than paging returns to the first page.
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '/downloads', search: next, resetScroll: false })
    },
    [navigate, search],
  )
  return (
    <PageFrame
      title={t('nav.downloads')}
      tools={
        <RangePicker value={readRange(search)} onChange={(range) => change(writeRange(range))} />
      }
    >
      <Head range={readRange(search)} />
      <DownloadsList
        search={search}
        extra={isAccount && <ViewsMenu search={search} />}
        onChange={change}
      />
    </PageFrame>
  )
}

/** The range's unfiltered totals, and current transfers. */
function Head({ range }: { range: Range }) {
  const figures = useBatch(range).data?.dashboard
  const speeds = useSpeeds()
  const games = speeds?.gameSpeeds.length ?? 0
  if (!figures) return null
  const { period, uniqueClients } = figures
  return (
    <Totals
      label={t('downloads.head')}
      cached={period.bandwidthSaved}
      fetched={period.addedToCache}
      downloads={period.downloads}
      explained={{ range }}
    >
      <Total
        name={t('nav.clients')}
        explained={{ number: 'dashboard.uniqueClients', name: t('nav.clients'), range }}
      >
        {countText(uniqueClients)}
      </Total>
      {range.event === undefined && (
        <Total
          name={t('lead.now')}
          explained={{ number: 'speeds.totalBytesPerSecond', name: t('lead.now') }}
        >
          <span className="flex items-center gap-2">
            <Dot tone={games > 0 ? 'good' : 'quiet'} pulsing={games > 0} />
            {games > 0 ? (
              <Figure
                amount={rateAmount(speeds?.totalBytesPerSecond ?? 0)}
                className="live-figure"
              />
            ) : (
              t('downloads.idle')
            )}
          </span>
        </Total>
      )}
    </Totals>
  )
}
