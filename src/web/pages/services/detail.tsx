import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useBatch } from '../../api/queries.ts'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { useNow } from '../../app/use-now.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { Figure } from '../../components/figures.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { rateAmount } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { agoText } from '../../format/times.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../downloads/list.tsx'

const route = getRouteApi('/services/$service')

/** One service: its totals, what it delivers right now, its games. */
export function ServicePage() {
  const { service } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const range = readRange(search)
  const now = useNow(15_000)
  const stats = useBatch(range).data?.services?.find((known) => known.service === service)
  const live = useSpeeds()?.gameSpeeds ?? []
  const rate = live
    .filter((game) => game.service === service)
    .reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0)
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      const params = { service }
      void navigate({ to: '/services/$service', params, search: next, resetScroll: false })
    },
    [navigate, search, service],
  )
  return (
    <Page
      title={serviceName(service)}
      before={
        <Link
          to="/games"
          search={writeRange(range)}
          className="text-small text-dim hover:text-text"
        >
          ‹ {t('nav.games')}
        </Link>
      }
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      {stats !== undefined && (
        <Totals
          label={t('service.totals')}
          cached={stats.totalCacheHitBytes}
          fetched={stats.totalCacheMissBytes}
          downloads={stats.totalDownloads}
        >
          <Total name={t('lead.now')}>
            <Figure amount={rateAmount(rate)} />
          </Total>
          <Total name={t('game.last')}>{agoText(new Date(stats.lastActivityUtc), now)}</Total>
        </Totals>
      )}
      <DownloadsList
        search={{ ...search, sort: search.sort ?? 'largest' }}
        fixed={{ service, group: 'game' }}
        onChange={change}
      />
    </Page>
  )
}
