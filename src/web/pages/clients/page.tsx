import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useClients, useClientNames, useIsAccount } from '../../api/queries.ts'
import type { ClientStats } from '../../api/wire.ts'
import { Page } from '../../app/page.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { useNow } from '../../app/use-now.ts'
import { DataList, type Column } from '../../components/data-list.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { Notice, Trouble, Waiting } from '../../components/notice.tsx'
import { clientName } from '../../format/clients.ts'
import { byteAmount, countText, percentText } from '../../format/numbers.ts'
import { agoText, fullMomentText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { orderClients } from './order.ts'

const route = getRouteApi('/clients')

function columnsOf(nameOf: (client: ClientStats) => string, now: Date): Column<ClientStats>[] {
  return [
    {
      id: 'name',
      header: t('column.client'),
      width: 'minmax(0,1.6fr)',
      cell: (client) => {
        const members = client.groupMemberIps?.length ?? 0
        return (
          <>
            <Link
              to="/clients/$ip"
              params={{ ip: client.clientIp }}
              tabIndex={-1}
              className="block truncate font-medium"
            >
              {nameOf(client)}
            </Link>
            <span className="block truncate text-small text-dim">
              {members > 1
                ? tn('count.addresses', members)
                : nameOf(client) === client.clientIp
                  ? tn('count.downloads', client.totalDownloads)
                  : client.clientIp}
            </span>
          </>
        )
      },
    },
    {
      id: 'share',
      header: t('column.share'),
      width: 'minmax(60px,1fr)',
      from: 'md',
      cell: (client) => (
        <Composition cached={client.totalCacheHitBytes} fetched={client.totalCacheMissBytes} />
      ),
    },
    {
      id: 'percent',
      header: t('column.percent'),
      width: '84px',
      align: 'end',
      from: 'sm',
      sorts: ['efficiency', 'efficiency-low'],
      cell: (client) => <span className="figure">{percentText(client.cacheHitPercent)}</span>,
    },
    {
      id: 'bytes',
      header: t('column.bytes'),
      width: '88px',
      align: 'end',
      sorts: ['largest', 'smallest'],
      cell: (client) => <Figure amount={byteAmount(client.totalBytes)} />,
    },
    {
      id: 'sessions',
      header: t('column.sessions'),
      width: '84px',
      align: 'end',
      from: 'lg',
      sorts: ['sessions'],
      cell: (client) => <span className="figure">{countText(client.totalDownloads)}</span>,
    },
    {
      id: 'time',
      header: t('column.seen'),
      width: '84px',
      align: 'end',
      sorts: ['latest', 'oldest'],
      cell: (client) => {
        const at = new Date(client.lastActivityUtc)
        return (
          <time dateTime={client.lastActivityUtc} title={fullMomentText(at)} className="text-dim">
            {agoText(at, now)}
          </time>
        )
      },
    },
  ]
}

export function ClientsPage() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const range = readRange(search)
  const { data, error, isPlaceholderData } = useClients(range)
  const names = useClientNames()
  const now = useNow(15_000)
  const nameOf = (client: ClientStats) => clientName(client.clientIp, client.displayName, names)
  const sort = search.sort ?? 'largest'
  const rows = orderClients(data ?? [], sort, search.search ?? '', nameOf)
  const change = (part: Partial<DownloadsSearch>) => {
    const next = downloadsSearch({ ...search, ...part })
    void navigate({ to: '/clients', search: next, resetScroll: false, replace: true })
  }
  return (
    <Page
      title={t('nav.clients')}
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      <label className="control mb-3 w-full max-w-[320px]">
        <span className="sr-only">{t('clients.search')}</span>
        <input
          type="search"
          className="flex-1 bg-transparent outline-none placeholder:text-dim"
          placeholder={t('clients.search')}
          value={search.search ?? ''}
          onChange={({ target }) => change({ search: target.value })}
        />
      </label>
      <div className="card">
        {!isAccount && (
          <Notice tone="attention" title={t('trouble.forbidden')} className="py-16">
            {t('trouble.forbiddenText')}
          </Notice>
        )}
        {isAccount && data === undefined && error !== null && (
          <Trouble error={error} className="py-16" />
        )}
        {isAccount && data === undefined && error === null && <Waiting rows={6} className="p-4" />}
        {data !== undefined && rows.length === 0 && (
          <Notice title={t('clients.none')} className="py-16">
            {t('clients.noneText')}
          </Notice>
        )}
        {rows.length > 0 && (
          <DataList
            label={t('nav.clients')}
            columns={columnsOf(nameOf, now)}
            rows={rows}
            rowKey={({ clientIp, displayName }) => `${clientIp} ${displayName}`}
            total={rows.length}
            sort={sort}
            onSort={(next) => change({ sort: downloadsSearch({ sort: next }).sort })}
            isOld={isPlaceholderData}
            onOpen={({ clientIp }) =>
              void navigate({ to: '/clients/$ip', params: { ip: clientIp } })
            }
          />
        )}
      </div>
    </Page>
  )
}
