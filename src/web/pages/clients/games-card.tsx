import { Link } from '@tanstack/react-router'
import { useGames } from '../../api/queries.ts'
import type { DownloadRow } from '../../api/wire.ts'
import { writeRange, type Range } from '../../app/range.ts'
import { Card } from '../../components/card.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { Mark } from '../../components/mark.tsx'
import { Notice, Trouble, Waiting } from '../../components/notice.tsx'
import { byteAmount, percentText } from '../../format/numbers.ts'
import { serviceName, titleOf } from '../../format/services.ts'
import { t, tn } from '../../locales/translate.ts'
import { gameAddress } from '../games/address.ts'

const shownMax = 6

/** What this client plays, by bytes. */
export function GamesCard({ ip, range }: { ip: string; range: Range }) {
  const query = { Client: ip, Sort: 'largest', Page: 1, PageSize: shownMax } as const
  const { data, error } = useGames(query, range)
  const rows = data?.items ?? []
  const most = rows[0]?.totalBytes ?? 0
  return (
    <Card
      title={t('client.games')}
      note={t('client.gamesNote')}
      {...(data !== undefined && data.totalItems > shownMax
        ? {
            action: (
              <Link
                to="/downloads"
                search={{ ...writeRange(range), client: ip, group: 'game', sort: 'largest' }}
                className="hover:text-text"
              >
                {tn('games.all', data.totalItems)} ›
              </Link>
            ),
          }
        : {})}
    >
      {data === undefined && (error === null ? <Waiting rows={4} /> : <Trouble error={error} />)}
      {data !== undefined && rows.length === 0 && <Notice title={t('client.gamesNone')} />}
      {rows.length > 0 && (
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <Game key={row.id} row={row} most={most} range={range} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Game({ row, most, range }: { row: DownloadRow; most: number; range: Range }) {
  const name = titleOf(row.appName)
  return (
    <li>
      <Link
        to="/games/$service/$id"
        params={gameAddress(row)}
        search={writeRange(range)}
        className="-mx-2 grid grid-cols-[34px_minmax(0,1fr)_84px_52px] items-center gap-3 rounded-control px-2 py-[7px] hover:bg-raise sm:grid-cols-[34px_minmax(0,1.2fr)_minmax(0,1fr)_84px_52px]"
      >
        <Mark name={name} service={row.service} />
        <span className="min-w-0">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-small text-dim">{serviceName(row.service)}</span>
        </span>
        <Composition
          cached={row.cacheHitBytes}
          fetched={row.cacheMissBytes}
          whole={most}
          className="hidden sm:flex"
        />
        <Figure amount={byteAmount(row.totalBytes)} className="text-right" />
        <span className="figure text-right text-dim">{percentText(row.cacheHitPercent)}</span>
      </Link>
    </li>
  )
}
