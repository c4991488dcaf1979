import { Link } from '@tanstack/react-router'
import { useClientNames, useIsAccount, type GameSpeed } from '../api/queries.ts'
import { ClientName } from './clients/device-icon.tsx'
import { Figure, fullName } from './figures.tsx'
import { Mark } from './artwork.tsx'
import { clientName, speedName } from '../format/services.ts'
import { rateAmount, share } from '../format/numbers.ts'
import { t, type Key } from '../locales/translate.ts'
import { gameOfDownload } from '../app/game-address.ts'

const originOf = (percent: number): Key =>
  percent >= 90 ? 'now.cached' : percent <= 10 ? 'now.fetched' : 'now.mixed'

interface NowRowsProps {
  /** Fastest first. */
  games: readonly GameSpeed[]
  shownMax: number
  className: string
}

/** Transfers as rows; bars are relative to the fastest. */
export function NowRows({ games, shownMax: most, className }: NowRowsProps) {
  const fastest = games[0]?.bytesPerSecond ?? 0
  return (
    <>
      <ul className={`live-figure ${className}`}>
        {games.slice(0, most).map((game) => (
          <NowRow
            key={`${game.service} ${game.clientIp} ${game.depotId} ${game.gameName}`}
            game={game}
            fastest={fastest}
          />
        ))}
      </ul>
      {games.length > most && (
        <p className="mt-2 text-small text-dim">{t('now.more', { count: games.length - most })}</p>
      )}
    </>
  )
}

function NowRow({ game, fastest }: { game: GameSpeed; fastest: number }) {
  const names = useClientNames()
  const isAccount = useIsAccount()
  const name = speedName(game.gameName, game.service)
  const client = clientName(game.clientIp, null, names)
  const width = share(game.bytesPerSecond, fastest)
  return (
    <li className="flex items-center gap-3 py-2">
      <Mark name={name} service={game.service} game={gameOfDownload(game)} />
      <div className="min-w-0 flex-1">
        <p className={fullName}>{name}</p>
        <p className="text-small text-dim">
          {isAccount ? (
            <Link to="/clients/$ip" params={{ ip: game.clientIp }} className="hover:text-text">
              <ClientName ip={game.clientIp} name={client} />
            </Link>
          ) : (
            <ClientName ip={game.clientIp} name={client} />
          )}
        </p>
        <div aria-hidden="true" className="mt-1 flex h-[3px] overflow-hidden rounded-bar bg-raise">
          <span
            className="bg-cache transition-[width] duration-500"
            style={{ width: `${(width * game.cacheHitPercent) / 100}%` }}
          />
          <span
            className="bg-fetched opacity-75 transition-[width] duration-500"
            style={{ width: `${(width * (100 - game.cacheHitPercent)) / 100}%` }}
          />
        </div>
      </div>
      <div className="text-right">
        <Figure amount={rateAmount(game.bytesPerSecond)} className="font-semibold" />
        <p className="text-small text-dim">{t(originOf(game.cacheHitPercent))}</p>
      </div>
    </li>
  )
}
