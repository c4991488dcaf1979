import { Link } from '@tanstack/react-router'
import { ChevronRight, EyeOff, MinusCircle } from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { ClientStats } from '../../api/client-queries.ts'
import { Address } from '../../components/address.tsx'
import { DeviceIcon } from '../../components/clients/device-icon.tsx'
import type { Column } from '../../components/data-list.tsx'
import { Composition, Figure, Named, Time } from '../../components/figures.tsx'
import { byteAmount, countText, percentValue, rateAmount } from '../../format/numbers.ts'
import { agoText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { NamePencil } from '../../components/clients/client-controls.tsx'
import type { Counting } from '../../app/clients/counting.ts'
import type { ClientRow } from '../../app/clients/tree.ts'

export interface ClientsContext {
  now: Date
  /** Current bytes per second, by address. */
  speeds: ReadonlyMap<string, number>
  /** Indents names to align with groups, which have a mark in front. */
  hasGroups: boolean
  /** Bytes of the largest row, for bars that compare amounts. */
  most: number
  /** Bytes over the range, by address. */
  lines: Readonly<Record<string, readonly number[]>>
}

const icons = { exclude: MinusCircle, hide: EyeOff }

/** Marks a client that is not counted; renders nothing for others. */
export function CountingMark({ counting }: { counting: Counting }) {
  if (counting === 'counted') return null
  const Icon = icons[counting]
  return (
    <span className="inline-flex items-center gap-1 text-dim">
      <Icon size={12} />
      {t(`counting.mode.${counting}`)}
    </span>
  )
}

const GroupName = ({ row }: { row: ClientRow }) => (
  <span className="flex items-center gap-2">
    <ChevronRight
      size={16}

      className={clsx(
        'flex-none text-dim transition-transform',
        row.isOpen === true && 'rotate-90',
      )}
    />
    <span className="min-w-0">
      <Named name={row.name} note={tn('count.addresses', row.group?.memberIps.length ?? 0)} />
    </span>
  </span>
)

function Name({ row, hasGroups }: { row: ClientRow; hasGroups: boolean }) {
  if (row.isGroup) return <GroupName row={row} />
  const note = row.name === row.ip ? null : row.ip
  return (
    <span
      className={clsx(
        'block min-w-0 py-1.5',
        row.isMember
          ? 'ml-[7px] border-l border-line pl-[17px] max-sm:pl-2'
          : hasGroups && 'sm:pl-6',
      )}
    >
      <span className="flex items-center gap-1.5">
        <DeviceIcon ip={row.ip} className={clsx(row.isMember && 'max-sm:hidden')} />
        <Link
          to="/clients/$ip"
          params={{ ip: row.ip }}
          tabIndex={-1}
          className={clsx('line-clamp-2 min-w-0 leading-[17px]', !row.isMember && 'font-medium')}
          title={row.name}
        >
          <Address text={row.name} />
        </Link>
        {!row.isMember && (
          <span className="max-sm:hidden">
            <NamePencil ip={row.ip} />
          </span>
        )}
      </span>
      {(note !== null || row.counting !== 'counted') && (
        <span className="flex gap-2 truncate text-small text-dim">
          {note}
          <CountingMark counting={row.counting} />
        </span>
      )}
    </span>
  )
}

function speedOf(row: ClientRow, speeds: ClientsContext['speeds']): number {
  const ips = row.isGroup ? (row.group?.memberIps ?? []) : [row.ip]
  return ips.reduce((sum, ip) => sum + (speeds.get(ip) ?? 0), 0)
}

/** When it was last seen; its speed while it downloads. */
function Activity({ row, context }: { row: ClientRow; context: ClientsContext }) {
  const speed = speedOf(row, context.speeds)
  if (speed > 0)
    return <Figure amount={rateAmount(speed)} className="live-figure font-medium text-cache" />
  if (row.stats === null) return <span className="text-dim">–</span>
  return (
    <Time
      at={row.stats.lastActivityUtc}
      now={context.now}
      text={agoText}
      className="whitespace-nowrap text-dim"
    />
  )
}

const figure = (
  shape: Omit<Column<ClientRow>, 'cell' | 'align'>,
  value: (stats: ClientStats) => ReactNode,
): Column<ClientRow> => ({
  ...shape,
  align: 'end',
  cell: ({ stats }) => (stats === null ? <span className="text-dim">–</span> : value(stats)),
})

const amounts = (): Column<ClientRow>[] => [
  figure(
    {
      header: t('clients.downloads'),
      width: '86px',
      from: 'md',
      sorts: ['sessions', 'sessions-least'],
    },
    (stats) => <span className="figure">{countText(stats.totalDownloads)}</span>,
  ),
  figure(
    { header: t('clients.hit'), width: '86px', from: 'lg', sorts: ['hit', 'hit-least'] },
    (stats) => <Figure amount={byteAmount(stats.totalCacheHitBytes)} />,
  ),
  figure(
    {
      header: t('clients.miss'),
      width: '86px',
      from: 'lg',
      sorts: ['miss', 'miss-least'],
    },
    (stats) => <Figure amount={byteAmount(stats.totalCacheMissBytes)} />,
  ),
]

/** Columns of the list; numbers are right-aligned, narrow windows omit some columns. */
export function clientColumns(context: ClientsContext): Column<ClientRow>[] {
  return [
    {
      header: t('column.client'),
      width: 'minmax(0,1.6fr)',
      sorts: ['name', 'name-last'],
      cell: (row) => <Name row={row} hasGroups={context.hasGroups} />,
    },
    {
      header: t('column.share'),
      width: 'minmax(60px,1fr)',
      from: 'xl',
      cell: ({ stats }) =>
        stats === null ? null : (
          <Composition
            cached={stats.totalCacheHitBytes}
            fetched={stats.totalCacheMissBytes}
            whole={context.most}
          />
        ),
    },
    {
      header: t('clients.line'),
      width: '112px',
      from: 'md',
      cell: ({ ip, group, isGroup }) => (
        <ClientLine bytes={togetherOf(context.lines, isGroup ? (group?.memberIps ?? []) : [ip])} />
      ),
    },
    ...amounts(),
    figure(
      {
        header: t('clients.rate'),
        width: '78px',
        from: 'sm',
        sorts: ['efficiency', 'efficiency-low'],
      },
      (stats) => <Figure amount={{ value: percentValue(stats.cacheHitPercent), unit: '%' }} />,
    ),
    figure(
      { header: t('column.bytes'), width: 'clamp(66px,18vw,84px)', sorts: ['largest', 'smallest'] },
      (stats) => <Figure amount={byteAmount(stats.totalBytes)} className="font-medium" />,
    ),
    {
      header: t('clients.seen'),
      width: 'clamp(70px,20vw,88px)',
      align: 'end',
      sorts: ['latest', 'oldest'],
      cell: (row) => <Activity row={row} context={context} />,
    },
  ]
}

const [width, height] = [96, 24]

/** Bytes over the range as a small line; the figures stand beside it. */
export function ClientLine({ bytes }: { bytes: readonly number[] }) {
  const most = Math.max(...bytes)
  if (bytes.length < 2 || most <= 0) return null
  const step = width / (bytes.length - 1)
  const points = bytes
    .map((value, index) => {
      const y = height - 2 - (value / most) * (height - 4)
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
  return (
    <svg
      role="img"
      aria-label={t('clients.line')}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-6 w-full"
    >
      <polyline
        points={points}
        fill="none"
        className="stroke-cache"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      <polygon
        points={`0,${height} ${points} ${width},${height}`}
        className="fill-cache opacity-15"
      />
    </svg>
  )
}

/** Lines of several addresses as one, for a group; all lines of a range have the same length. */
export const togetherOf = (
  lines: Readonly<Record<string, readonly number[]>>,
  ips: readonly string[],
): number[] =>
  ips.reduce<number[]>(
    (sums, ip) => lines[ip]?.map((bytes, at) => bytes + (sums[at] ?? 0)) ?? sums,
    [],
  )
