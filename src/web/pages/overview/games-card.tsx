import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useGames } from '../../api/queries.ts'
import type { ServiceStats } from '../../api/wire.ts'
import { writeRange, type Range } from '../../app/range.ts'
import { Card } from '../../components/card.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { Mark } from '../../components/mark.tsx'
import { Away, Notice, Trouble, Waiting } from '../../components/notice.tsx'
import { Segments } from '../../components/segments.tsx'
import { byteAmount, percentValue } from '../../format/numbers.ts'
import { serviceName, titleOf } from '../../format/services.ts'
import { t, tn } from '../../locales/translate.ts'
import { gameAddress } from '../games/address.ts'

const shownMax = 7
type View = 'games' | 'services'

interface GamesCardProps {
  range: Range
  services: ServiceStats[] | null | undefined
  isLoading: boolean
  className: string
}

interface Row {
  id: string
  name: string
  service: string
  note: string
  cached: number
  fetched: number
  /** Null: the row is the service itself. */
  gameId: string | null
}

/** Who took the bytes, by game or by service: amount and composition in one bar. */
export function GamesCard({ range, services, isLoading, className }: GamesCardProps) {
  const [view, setView] = useState<View>('games')
  const games = useGames({ Sort: 'largest', PageSize: shownMax }, range)
  const gameRows: Row[] = (games.data?.items ?? []).map((game) => ({
    id: game.id,
    name: titleOf(game.appName),
    service: game.service,
    note:
      titleOf(game.appName) === serviceName(game.service)
        ? t('downloads.untitled')
        : serviceName(game.service),
    cached: game.cacheHitBytes,
    fetched: game.cacheMissBytes,
    gameId: gameAddress(game).id,
  }))
  const serviceRows: Row[] = (services ?? []).slice(0, shownMax).map((service) => ({
    id: service.service,
    name: serviceName(service.service),
    service: service.service,
    note: tn('count.downloads', service.totalDownloads),
    cached: service.totalCacheHitBytes,
    fetched: service.totalCacheMissBytes,
    gameId: null,
  }))
  const rows = view === 'games' ? gameRows : serviceRows
  const isWaiting = view === 'games' ? games.isPending : isLoading
  const most = Math.max(0, ...rows.map(({ cached, fetched }) => cached + fetched))
  return (
    <Card
      title={t(view === 'games' ? 'games.title' : 'services.title')}
      note={t('games.note')}
      className={className}
      action={
        <Segments
          label={t('games.view')}
          value={view}
          options={[
            { value: 'games', label: t('games.title') },
            { value: 'services', label: t('services.title') },
          ]}
          onChange={setView}
        />
      }
    >
      {view === 'games' && games.error !== null && games.data === undefined ? (
        <Trouble error={games.error} />
      ) : isWaiting ? (
        <Waiting rows={5} />
      ) : view === 'services' && !services ? (
        <Away />
      ) : rows.length === 0 ? (
        <Notice title={t('games.none')}>{t('games.noneText')}</Notice>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <GameRow key={row.id} row={row} most={most} range={range} />
          ))}
        </ul>
      )}
      {view === 'games' && games.data !== undefined && games.data.totalItems > shownMax && (
        <p className="mt-auto pt-3 text-small text-dim">
          <Link to="/games" search={writeRange(range)} className="hover:text-text">
            {tn('games.all', games.data.totalItems)} ›
          </Link>
        </p>
      )}
    </Card>
  )
}

function GameRow({ row, most, range }: { row: Row; most: number; range: Range }) {
  const total = row.cached + row.fetched
  return (
    <li>
      <Link
        {...(row.gameId === null
          ? { to: '/services/$service', params: { service: row.service } }
          : { to: '/games/$service/$id', params: { service: row.service, id: row.gameId } })}
        search={writeRange(range)}
        className="-mx-2 grid grid-cols-[34px_minmax(0,1fr)_84px_44px] items-center gap-3 rounded-control px-2 py-[7px] hover:bg-raise sm:grid-cols-[34px_minmax(0,1.15fr)_minmax(0,1fr)_84px_44px]"
      >
        <Mark name={row.name} service={row.service} />
        <span className="min-w-0">
          <span className="block truncate font-medium">{row.name}</span>
          <span className="block truncate text-small text-dim">{row.note}</span>
        </span>
        <Composition
          cached={row.cached}
          fetched={row.fetched}
          whole={most}
          className="hidden sm:flex"
        />
        <Figure amount={byteAmount(total)} className="text-right" />
        <span className="figure text-right text-dim">
          {percentValue(total > 0 ? (row.cached / total) * 100 : 0)}
          <span className="text-[0.86em]">{'\u00A0%'}</span>
        </span>
      </Link>
    </li>
  )
}
