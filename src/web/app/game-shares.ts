import { linkOptions } from '@tanstack/react-router'
import type { ClientShare, DownloadsSummary } from '../../downloads/games/model.ts'
import {
  useClientNames,
  useIsAccount,
  type ClientStats,
  type DownloadRow,
  type ServiceStats,
} from '../api/queries.ts'
import { writeRange, type Range } from './range.ts'
import type { RankedRow } from '../components/ranking.tsx'
import { clientName, serviceName, serviceNote, titleOf } from '../format/services.ts'
import { tn } from '../locales/translate.ts'
import { gameAddress } from './game-address.ts'

type Share = Pick<ClientShare, 'clientIp' | 'displayName' | 'downloads' | 'hitBytes' | 'missBytes'>

/** The same of a client of the overview. */
export const shareOf = ({ clientIp, displayName, ...sums }: ClientStats): Share => ({
  clientIp,
  displayName,
  downloads: sums.totalDownloads,
  hitBytes: sums.totalCacheHitBytes,
  missBytes: sums.totalCacheMissBytes,
})

/** Makes rows of clients; account holders get links to their pages, which show the range. */
export function useClientRow(range?: Range) {
  const names = useClientNames()
  const isAccount = useIsAccount()
  const search = range === undefined ? {} : writeRange(range)
  return ({ clientIp: ip, ...client }: Share): RankedRow => {
    const name = clientName(ip, client.displayName, names)
    const row: RankedRow = {
      key: `${ip} ${name}`,
      name,
      note: name === ip ? tn('count.downloads', client.downloads) : ip,
      cached: client.hitBytes,
      fetched: client.missBytes,
    }
    if (!isAccount) return row
    return { ...row, link: linkOptions({ to: '/clients/$ip', params: { ip }, search }) }
  }
}

/** A report's games as rows. */
export const gameRows = (
  games: DownloadsSummary['topGames'] | undefined,
): RankedRow[] | undefined =>
  games?.map((game) => ({
    key: `${game.service} ${game.gameId}`,
    name: game.gameName ?? serviceName(game.service),
    note: tn('count.downloads', game.downloads),
    service: game.service,
    game: { service: game.service, id: game.gameId },
    cached: game.hitBytes,
    fetched: game.missBytes,
    link: linkOptions({
      to: '/games/$service/$id',
      params: { service: game.service, id: game.gameId },
    }),
  }))

/** A game of the downloads list as a row. */
export const gameRow = (row: DownloadRow, range: Range): RankedRow => ({
  key: row.id,
  name: titleOf(row.appName),
  note: serviceNote(row.appName, row.service),
  service: row.service,
  game: gameAddress(row),
  cached: row.cacheHitBytes,
  fetched: row.cacheMissBytes,
  link: linkOptions({
    to: '/games/$service/$id',
    params: gameAddress(row),
    search: writeRange(range),
  }),
})

/** A service of the overview as a row. */
export const serviceRow = (row: ServiceStats): RankedRow => ({
  key: row.service,
  name: serviceName(row.service),
  service: row.service,
  note: tn('count.downloads', row.totalDownloads),
  cached: row.totalCacheHitBytes,
  fetched: row.totalCacheMissBytes,
  link: linkOptions({ to: '/services/$service', params: { service: row.service } }),
})
