import { Link, linkOptions } from '@tanstack/react-router'
import type { DownloadRow } from '../../api/queries.ts'
import { sessionsMax, type DownloadsSearch } from '../../app/search-state.ts'
import { Composition, Figure, fullName, Time } from '../figures.tsx'
import { ClientName } from '../clients/device-icon.tsx'
import type { Column } from '../data-list.tsx'
import { Mark } from '../mark.tsx'
import { TitlePencil } from '../name-title.tsx'
import { clientName } from '../../format/clients.ts'
import { byteAmount, countText, percentValue, rateAmount } from '../../format/numbers.ts'
import { isUntitled, serviceNote, titleOf } from '../../format/services.ts'
import { agoText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { gameAddress, gameOfDownload } from '../../app/game-address.ts'

/** A column that can be hidden. */
export type DownloadColumn = Column<DownloadRow> & { id: string }

export interface ColumnContext {
  names: Record<string, string>
  now: Date
  /** Account holders get links to client pages. */
  linksClients: boolean
  /** Rows that are games link to their pages too. */
  group: DownloadsSearch['group']
  /** All rows are of one game, distinguished by their clients, on phones too. */
  isOneGame: boolean
  /** Bytes of the largest row, for bars that compare amounts. */
  most: number
}

function Title({ row, context }: { row: DownloadRow; context: ColumnContext }) {
  const name = titleOf(row.appName)
  const isService = context.group === 'service'
  const isUnnamed = !isService && isUntitled(row.appName, row.service)
  const service = isService
    ? tn('count.downloads', row.requestCount)
    : serviceNote(row.appName, row.service)
  const client = clientName(row.clientIp, null, context.names)
  const note = context.isOneGame ? client : service
  const { appName: gameName, alphaAppId: gameAppId, betaAppId } = row
  const game = gameOfDownload({ service: row.service, gameName, gameAppId, betaAppId })
  return (
    <span className="flex items-center gap-3">
      <Mark name={name} service={row.service} game={game} />
      <span className="min-w-0">
        <span className="flex items-center gap-1">
          {context.group === 'game' ? (
            <Link
              to="/games/$service/$id"
              params={gameAddress(row)}
              tabIndex={-1}
              className={fullName}
            >
              {name}
            </Link>
          ) : (
            <Link {...sessionsLink(row)} tabIndex={-1} className={fullName}>
              {name}
            </Link>
          )}
          {isUnnamed && <TitlePencil titleKey={row.titleKey} />}
        </span>
        <span className="block truncate text-small text-dim">
          {note}
          {row.isEvicted && ` · ${t('downloads.evicted')}`}
          {/* Narrow windows have no column for it. */}
          {!context.isOneGame && row.clientIps.length === 1 && (
            <span className="md:hidden"> · {client}</span>
          )}
        </span>
      </span>
    </span>
  )
}

/** A row's page: its sessions, or its only download. */
export function sessionsLink({ downloadIds, requestCount: total }: DownloadRow) {
  if (downloadIds.length === 1) {
    return linkOptions({ to: '/downloads/$id', params: { id: String(downloadIds[0]) } })
  }
  const of = downloadIds.slice(0, sessionsMax).join(',')
  return linkOptions({ to: '/downloads/sessions', search: { of, total } })
}

function Client({ row, context }: { row: DownloadRow; context: ColumnContext }) {
  const others = row.clientIps.length - 1
  if (others > 0) return <span>{tn('count.clients', others + 1)}</span>
  const name = clientName(row.clientIp, null, context.names)
  return context.linksClients ? (
    <Link
      to="/clients/$ip"
      params={{ ip: row.clientIp }}
      tabIndex={-1}
      className="hover:text-text hover:underline"
    >
      <ClientName ip={row.clientIp} name={name} />
    </Link>
  ) : (
    <ClientName ip={row.clientIp} name={name} />
  )
}

/** All columns of the list; users can hide some, narrow windows omit the dim ones. */
export function downloadColumns(context: ColumnContext): DownloadColumn[] {
  return [
    {
      id: 'title',
      header: t('column.title'),
      width: 'minmax(0,2.2fr)',
      cell: (row) => <Title row={row} context={context} />,
      sorts: ['alphabetical'],
    },
    {
      id: 'client',
      header: t('column.client'),
      width: 'minmax(112px,1fr)',
      from: 'md',
      cell: (row) => <Client row={row} context={context} />,
    },
    {
      id: 'share',
      header: t('column.share'),
      width: 'minmax(60px,0.8fr)',
      from: 'lg',
      cell: (row) => (
        <Composition cached={row.cacheHitBytes} fetched={row.cacheMissBytes} whole={context.most} />
      ),
    },
    {
      id: 'percent',
      header: t('column.percent'),
      width: '78px',
      align: 'end',
      from: 'lg',
      sorts: ['efficiency', 'efficiency-low'],
      cell: (row) => (
        <span className="figure">
          {percentValue(row.cacheHitPercent)}
          <span className="text-[0.86em] text-dim">{'\u00A0%'}</span>
        </span>
      ),
    },
    {
      id: 'bytes',
      header: t('column.bytes'),
      width: '84px',
      align: 'end',
      sorts: ['largest', 'smallest'],
      cell: (row) => (
        <>
          <Figure amount={byteAmount(row.totalBytes)} />
          <span className="figure block text-small text-dim sm:hidden">
            {row.isActive ? t('time.now') : agoText(new Date(row.endTimeUtc), context.now)}
          </span>
        </>
      ),
    },
    {
      id: 'speed',
      header: t('column.speed'),
      width: '92px',
      align: 'end',
      from: 'xl',
      // A download with a single request has no duration and thus no speed.
      cell: (row) =>
        row.averageBytesPerSecond > 0 ? (
          <Figure amount={rateAmount(row.averageBytesPerSecond)} />
        ) : (
          <span className="text-dim">–</span>
        ),
    },
    {
      id: 'sessions',
      header: t('column.sessions'),
      width: '72px',
      align: 'end',
      from: 'lg',
      sorts: ['sessions'],
      cell: (row) => <span className="figure">{countText(row.requestCount)}</span>,
    },
    {
      id: 'time',
      header: t('column.time'),
      width: '104px',
      align: 'end',
      from: 'sm',
      sorts: ['latest', 'oldest'],
      cell: (row) => (
        <Time at={row.endTimeUtc} now={context.now} className="figure text-dim">
          {row.isActive ? t('time.now') : undefined}
        </Time>
      ),
    },
    {
      id: 'datasource',
      header: t('column.datasource'),
      width: '96px',
      from: 'xl',
      cell: (row) => <span className="text-dim">{row.datasource}</span>,
    },
  ]
}
