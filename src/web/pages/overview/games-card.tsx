import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCountedGames, type ServiceStats } from '../../api/queries.ts'
import type { Range } from '../../app/range.ts'
import { Card, Away, Nothing, Trouble, Waiting } from '../../components/card.tsx'
import { choices, Segments } from '../../components/form-controls.tsx'
import { RankedList } from '../../components/ranking.tsx'
import { t } from '../../locales/translate.ts'
import { gameRow, serviceRow } from '../../app/game-shares.ts'

const shownMax = 7
type View = 'games' | 'services'

interface GamesCardProps {
  range: Range
  services: ServiceStats[] | null | undefined
  isLoading: boolean
  className: string
}

/** Games or services by bytes: amount and composition in one bar. */
export function GamesCard({ range, services, isLoading, className }: GamesCardProps) {
  const [view, setView] = useState<View>('games')
  const games = useCountedGames(shownMax, range)
  const rows =
    view === 'services'
      ? (services ?? []).slice(0, shownMax).map(serviceRow)
      : (games.data?.items ?? []).map((game) => gameRow(game, range))
  const isWaiting = view === 'games' ? games.isPending : isLoading
  return (
    <Card
      title={t(view === 'games' ? 'games.title' : 'services.title')}
      note={t('games.note')}
      className={className}
      action={
        <Segments
          label={t('games.view')}
          value={view}
          options={choices({ games: 'games.title', services: 'services.title' })}
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
        <Nothing title={t('games.none')}>{t('games.noneText')}</Nothing>
      ) : (
        <RankedList rows={rows} />
      )}
      {view === 'games' && games.data !== undefined && games.data.totalItems > shownMax && (
        <p className="mt-auto pt-3 text-small text-dim">
          <Link to="/games" className="hover:text-text">
            {t('games.all')} ›
          </Link>
        </p>
      )}
    </Card>
  )
}
