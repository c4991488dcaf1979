import type { Fragment, Sql } from 'postgres'
import { excludedClients } from '../../clients/contract.ts'
import { clientSums, commonTables } from '../downloads/retro-groups.ts'
import { isPartlyKept, withNearEnds } from '../downloads/retro-period.ts'
import type { RetroParameters } from '../downloads/model.ts'
import { retroQueryOf, type RetroQuery } from '../downloads/retro-query.ts'
import { gameKeyColumn, gameServiceColumn, keptRule } from '../downloads/retro-rows.ts'
import { askedRules } from '../downloads/retro-rules.ts'
import { hidesEvicted } from '../reports/evicted-mode.ts'
import { titlesOfGame } from '../reports/games.ts'
import { utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import { bytesTotals } from '../reports/series.ts'
import type { DownloadsParts } from '../parts.ts'
import type { DownloadsSummary } from './model.ts'
import { clientShares } from './client-shares.ts'
import { topMax, type ReportDeps } from './service.ts'

/** One client, game or title, or everything; places are by bytes, most first. */
interface SummaryRow {
  part: 'all' | 'client' | 'game' | 'title'
  /** Rows of this part, the named ones among them. */
  rows: number
  named: number
  key: string | null
  service: string
  gameName: string | null
  depotId: number | null
  hitBytes: number
  missBytes: number
  downloads: number
  lastAt: number
}

/** True when clients are summed without titles: both are few, their pairs are many. */
const isApart = (query: RetroQuery): boolean =>
  query.client === null &&
  query.titles === null &&
  query.search === null &&
  query.eventId === null &&
  query.hitMiss === 'all' &&
  !query.hideUnknown &&
  !query.hidesEvicted &&
  !isPartlyKept(query)

/** Sums by client in place of those of groups, which have none. */
const clientRows = (sql: Sql, query: RetroQuery): Fragment => sql`
  HAVING grouping(client, game, title_key) <> 3
  UNION ALL
  SELECT 'client', client, NULL, NULL, NULL, downloads, hit_bytes, miss_bytes,
    CASE WHEN row_number() OVER (ORDER BY hit_bytes + miss_bytes DESC, client) <= ${topMax} THEN (
      SELECT ended_at FROM downloads
      WHERE client = c.client AND ended_at <= c.last_at ${askedRules(sql, query)}
      ORDER BY ended_at DESC LIMIT 1
    ) END
  FROM (${clientSums(sql, query)}) AS c`

export function selectSums(sql: Sql, asked: RetroQuery): Promise<SummaryRow[]> {
  const query = { ...asked, isOfAllClients: isApart(asked) }
  return sql<SummaryRow[]>`
    ${commonTables(sql, query)}, chosen AS (
      SELECT kept.*, ${gameKeyColumn(sql)} AS game, ${gameServiceColumn(sql)} AS game_service
      FROM kept ${keptRule(sql, query)}
    ), sums AS (
      SELECT CASE grouping(client, game, title_key)
          WHEN 3 THEN 'client' WHEN 5 THEN 'game' WHEN 6 THEN 'title' ELSE 'all' END AS part,
        coalesce(client, game, title_key) AS key, min(game_service) AS service,
        min(game_name) AS game_name, min(depot_id) AS depot_id,
        sum(downloads) AS downloads, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
        max(last_at) AS last_at
      FROM chosen GROUP BY GROUPING SETS ((), (client), (game), (title_key))
      ${query.isOfAllClients ? clientRows(sql, asked) : sql``}
    ), placed AS (
      SELECT *, count(*) OVER (PARTITION BY part) AS rows,
        count(*) FILTER (WHERE key NOT LIKE '%-unknown') OVER (PARTITION BY part) AS named,
        row_number() OVER (PARTITION BY part ORDER BY hit_bytes + miss_bytes DESC, key) AS place
      FROM sums
    )
    SELECT part, rows::float8 AS rows, named::float8 AS named, key, service,
      game_name AS "gameName", depot_id::float8 AS "depotId",
      coalesce(hit_bytes, 0)::float8 AS "hitBytes", coalesce(miss_bytes, 0)::float8 AS "missBytes",
      coalesce(downloads, 0)::float8 AS downloads,
      extract(epoch FROM last_at)::float8 AS "lastAt"
    FROM placed WHERE place <= ${topMax} ORDER BY part, place`
}

function listsOf(rows: readonly SummaryRow[]): Omit<DownloadsSummary, 'topClients'> {
  const of = (part: SummaryRow['part']) => rows.filter((row) => row.part === part)
  const none = { hitBytes: 0, missBytes: 0, downloads: 0 }
  return {
    totals: bytesTotals(of('all')[0] ?? none),
    clients: of('client')[0]?.rows ?? 0,
    games: of('game')[0]?.named ?? 0,
    depots: of('title')[0]?.rows ?? 0,
    topGames: of('game').map((row) => ({
      service: row.service,
      gameId: (row.key ?? '').slice(row.service.length + 1),
      gameName: row.gameName,
      ...bytesTotals(row),
      lastSeenUtc: utc(row.lastAt),
    })),
    topDepots: of('title').map((row) => ({
      titleKey: row.key ?? '',
      depotId: row.depotId,
      name: row.gameName,
      ...bytesTotals(row),
    })),
  }
}

/**
 * Sums over all downloads that a view of the downloads lists, whatever its page and grouping.
 * Clients excluded from sums count only when the view is of one client.
 */
export const createSummary =
  (deps: ReportDeps & Pick<DownloadsParts, 'settings'>, reports: Reports) =>
  async (parameters: RetroParameters, hasNames: boolean): Promise<DownloadsSummary> => {
    const asked = retroQueryOf({ ...parameters, GroupByGame: true, GroupByService: false })
    const { hidden, uncounted } = excludedClients(deps.state)
    await reports.checkEvent(asked.eventId)
    const titles = asked.game === null ? null : await titlesOfGame(reports, asked.game)
    const without = asked.client === null ? uncounted : hidden
    const view = {
      ...asked,
      titles,
      without,
      keptSince: deps.settings.get('history.keptSince'),
      hidesEvicted: hidesEvicted(deps.settings),
    }
    const rows = await reports.cached('summary', view, () =>
      reports.readList(async (sql) => selectSums(sql, await withNearEnds(sql, view))),
    )
    const clients = rows
      .filter(({ part }) => part === 'client')
      .map((row) => ({ ...row, client: row.key ?? '' }))
    return { ...listsOf(rows), topClients: clientShares(deps, clients, hasNames) }
  }

export type Summary = ReturnType<typeof createSummary>
