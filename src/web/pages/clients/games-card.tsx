import { Link } from '@tanstack/react-router'
import { useGames } from '../../api/queries.ts'
import { writeRange, type Range } from '../../app/range.ts'
import { Card } from '../../components/card.tsx'
import { Notice, Pending } from '../../components/notice.tsx'
import { RankedList } from '../../components/ranking.tsx'
import { t } from '../../locales/translate.ts'
import { gameRow } from '../../app/game-shares.ts'

const shownMax = 6

/** The games of this client, by bytes. */
export function GamesCard({ ip, range }: { ip: string; range: Range }) {
  const query = { Client: ip, Sort: 'largest', Page: 1, PageSize: shownMax } as const
  const { data, error } = useGames(query, range)
  const all = (
    <Link
      to="/downloads"
      search={{ ...writeRange(range), client: ip, group: 'game', sort: 'largest' }}
      className="hover:text-text"
    >
      {t('games.all')} ›
    </Link>
  )
  return (
    <Card
      title={t('client.games')}
      note={t('client.gamesNote')}
      action={data !== undefined && data.totalItems > shownMax ? all : undefined}
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {data?.items.length === 0 && <Notice title={t('client.gamesNone')} />}
      <RankedList rows={(data?.items ?? []).map((row) => gameRow(row, range))} />
    </Card>
  )
}
