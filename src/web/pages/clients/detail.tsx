import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useClients, useClientNames } from '../../api/queries.ts'
import type { ClientStats } from '../../api/wire.ts'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { Composition, Figure } from '../../components/figures.tsx'
import { clientName } from '../../format/clients.ts'
import { byteAmount, percentText, rateAmount } from '../../format/numbers.ts'
import { useSpeeds } from '../../live/store.ts'
import { t, tn } from '../../locales/translate.ts'
import { DownloadsList } from '../downloads/list.tsx'

const route = getRouteApi('/clients/$ip')

/** One client: its totals, what it takes right now, its downloads. */
export function ClientPage() {
  const { ip } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const range = readRange(search)
  const names = useClientNames()
  const stats = useClients(range).data?.find(
    ({ clientIp, groupMemberIps }) => clientIp === ip || (groupMemberIps?.includes(ip) ?? false),
  )
  const name = clientName(ip, stats?.displayName, names)
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '/clients/$ip', params: { ip }, search: next, resetScroll: false })
    },
    [navigate, search, ip],
  )
  return (
    <Page
      title={name}
      before={
        <Link to="/clients" className="text-small text-dim hover:text-text">
          ‹ {t('nav.clients')}
        </Link>
      }
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      <Totals ip={ip} stats={stats} />
      <DownloadsList search={search} fixed={{ client: ip }} onChange={change} />
    </Page>
  )
}

function Totals({ ip, stats }: { ip: string; stats: ClientStats | undefined }) {
  const speed = useSpeeds()?.clientSpeeds.find(({ clientIp }) => clientIp === ip)
  const members = stats?.groupMemberIps?.length ?? 0
  return (
    <section
      aria-label={t('client.totals')}
      className="card mb-3 flex flex-wrap items-center gap-x-10 gap-y-3 px-5 py-4"
    >
      <div>
        <p className="text-small text-dim">
          {members > 1 ? t('client.group') : t('client.address')}
        </p>
        <p className="figure">{members > 1 ? tn('count.addresses', members) : ip}</p>
      </div>
      <div>
        <p className="text-small text-dim">{t('column.bytes')}</p>
        <Figure amount={byteAmount(stats?.totalBytes ?? 0)} className="font-semibold" />
      </div>
      <div>
        <p className="text-small text-dim">{t('lead.now')}</p>
        <Figure amount={rateAmount(speed?.bytesPerSecond ?? 0)} className="font-semibold" />
      </div>
      {stats !== undefined && (
        <div className="min-w-[180px] flex-1">
          <p className="mb-1.5 text-small text-dim">
            {t('download.fromCache', { percent: percentText(stats.cacheHitPercent) })}
          </p>
          <Composition cached={stats.totalCacheHitBytes} fetched={stats.totalCacheMissBytes} />
        </div>
      )}
    </section>
  )
}
