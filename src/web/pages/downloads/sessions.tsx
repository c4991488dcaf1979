import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useClientNames, type Download } from '../../api/queries.ts'
import { useSessionsOf } from '../../api/report-queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { useNow } from '../../app/clock.ts'
import { ClientName } from '../../components/clients/device-icon.tsx'
import { DataList, type Column } from '../../components/data-list.tsx'
import { Composition, Figure, Time } from '../../components/figures.tsx'
import { Notice, Pending } from '../../components/card.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { clientName, serviceName } from '../../format/services.ts'
import { byteAmount, countText, percentText, rateAmount } from '../../format/numbers.ts'
import { durationText, lengthOf } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'

const route = getRouteApi('/downloads/sessions')

/** All sessions of one row of the list. */
export function Page() {
  const { of = '', total } = route.useSearch()
  const navigate = useNavigate()
  const names = useClientNames()
  const { data, error } = useSessionsOf(of)
  const rows = data?.items ?? []
  const now = useNow(rows.some(({ isActive }) => isActive) ? 1000 : 60_000)
  const [first] = rows
  const sum = (key: 'cacheHitBytes' | 'cacheMissBytes') =>
    rows.reduce((all, row) => all + row[key], 0)
  const most = Math.max(0, ...rows.map(({ totalBytes }) => totalBytes))
  const clients = new Set(rows.map(({ clientIp }) => clientIp))
  return (
    <PageFrame
      title={
        first === undefined ? t('nav.downloads') : (first.gameName ?? serviceName(first.service))
      }
      back={{
        to: '/downloads',
        label: t('nav.downloads'),
      }}
    >
      {rows.length > 0 && (
        <Totals
          label={t('sessions.head')}
          cached={sum('cacheHitBytes')}
          fetched={sum('cacheMissBytes')}
          downloads={rows.length}
        >
          <Total name={t('nav.clients')}>
            {clients.size === 1 && first !== undefined
              ? clientName(first.clientIp, null, names)
              : countText(clients.size)}
          </Total>
        </Totals>
      )}
      {total !== undefined && rows.length > 0 && (
        <p className="mb-3 text-small text-dim">
          {total > rows.length
            ? t('sessions.newest', { count: countText(rows.length), total: countText(total) })
            : tn('sessions.listed', total)}
        </p>
      )}
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={6} />}
        {data !== undefined && rows.length === 0 && (
          <Notice title={t('download.gone')} className="py-16">
            {t('download.goneText')}
          </Notice>
        )}
        {rows.length > 0 && (
          <DataList
            label={t('download.steps')}
            columns={sessionColumns(names, now, most)}
            rows={rows}
            rowKey={({ id }) => String(id)}
            onOpen={({ id }) =>
              void navigate({
                to: '/downloads/$id',
                params: { id: String(id) },
                search: { of },
              })
            }
          />
        )}
      </div>
    </PageFrame>
  )
}

/** `most`: bytes of the largest session, for bars that compare amounts. */
const sessionColumns = (
  names: Record<string, string>,
  now: Date,
  most: number,
): Column<Download>[] => [
  {
    header: t('download.start'),
    width: 'minmax(0,1fr)',
    cell: (row) => (
      <>
        <Time at={row.startTimeUtc} now={now} className="figure" />
        {row.isActive && <span className="text-small text-dim"> – {t('time.now')}</span>}
      </>
    ),
  },
  {
    header: t('column.client'),
    width: 'minmax(0,1fr)',
    cell: ({ clientIp }) => <ClientName ip={clientIp} name={clientName(clientIp, null, names)} />,
  },
  {
    header: t('column.share'),
    width: 'minmax(60px,1fr)',
    from: 'md',
    cell: (row) => (
      <Composition cached={row.cacheHitBytes} fetched={row.cacheMissBytes} whole={most} />
    ),
  },
  {
    header: t('column.percent'),
    width: '86px',
    align: 'end',
    from: 'sm',
    cell: ({ cacheHitPercent }) => <span className="figure">{percentText(cacheHitPercent)}</span>,
  },
  {
    header: t('column.bytes'),
    width: '84px',
    align: 'end',
    cell: ({ totalBytes }) => <Figure amount={byteAmount(totalBytes)} />,
  },
  {
    header: t('download.duration'),
    width: '110px',
    align: 'end',
    from: 'md',
    cell: (row) => <span className="figure">{durationText(lengthOf(row, now))}</span>,
  },
  {
    header: t('column.speed'),
    width: '104px',
    align: 'end',
    from: 'lg',
    cell: ({ averageBytesPerSecond }) =>
      averageBytesPerSecond > 0 ? <Figure amount={rateAmount(averageBytesPerSecond)} /> : '–',
  },
]
