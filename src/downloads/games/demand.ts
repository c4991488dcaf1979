import type { Sql } from 'postgres'
import { gameKey } from '../../catalogue/contract.ts'
import { listEvents } from '../events/store.ts'
import type { DownloadsParts } from '../parts.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf, type Scope } from '../reports/scope.ts'
import { clientRule, inPeriod, prefillRule, taggedRule } from '../reports/traffic.ts'
import { gameIdColumn, gameServiceColumn } from './store.ts'

/** Games of one answer. */
const gamesMax = 500
const hourMs = 3_600_000

interface DemandRow {
  service: string
  name: string
  appId: number | null
  betaAppId: string | null
  bytes: number
  clients: number
}

/** Games of the downloads of a scope, most clients first. */
const selectDemand = (sql: Sql, scope: Scope) => sql<DemandRow[]>`
  SELECT ${gameServiceColumn(sql)} AS service, ${gameIdColumn(sql)} AS "gameId",
    min(t.game_name) AS name, min(nullif(t.game_app_id, 0))::float8 AS "appId",
    min(t.beta_app_id) AS "betaAppId",
    sum(hit_bytes + miss_bytes)::float8 AS bytes, count(DISTINCT client)::float8 AS clients
  FROM (
    SELECT title_key, service, client, hit_bytes, miss_bytes FROM downloads
    WHERE hit_bytes + miss_bytes > 0 ${prefillRule(sql, false)} ${clientRule(sql, scope.without)}
      ${inPeriod(sql, 'ended_at', scope.period)} ${taggedRule(sql, scope.eventId)}
  ) AS rows JOIN titles t ON t.title_key = rows.title_key
  WHERE t.game_name IS NOT NULL
  GROUP BY 1, 2 ORDER BY clients DESC, bytes DESC LIMIT ${gamesMax}`

function demandOf({ service, name, appId, betaAppId, bytes, clients }: DemandRow) {
  const identity =
    appId !== null
      ? ({ kind: 'alpha', appId, name, depotId: null, isUnknown: false } as const)
      : betaAppId !== null
        ? ({ kind: 'beta', betaAppId, name } as const)
        : ({ kind: 'named', service, name } as const)
  return { key: gameKey(identity), name, bytes, clients }
}

/** Which games clients want. */
export function createDemand({ clock }: Pick<DownloadsParts, 'clock'>, reports: Reports) {
  async function games(asked: Partial<Scope>) {
    const scope = reports.counted({ ...scopeOf({}), ...asked })
    const rows = await reports.cached('demand', scope, () =>
      reports.read(async (sql) => [...(await selectDemand(sql, scope))]),
    )
    return rows.map(demandOf)
  }

  return {
    /** To the hour, so that answers can be kept. */
    usedSince: (since: Date) =>
      games({ period: { start: Math.floor(since.getTime() / hourMs) * 3600, end: null } }),
    /** An event, else the last one that has begun. */
    async ofEvent(eventId?: number) {
      const now = clock.now().toISOString()
      const events = await reports.read(listEvents)
      const event = events.find(({ id, startTimeUtc }) =>
        eventId === undefined ? startTimeUtc <= now : id === eventId,
      )
      if (event === undefined) return null
      return { name: event.name, games: await games({ eventId: event.id }) }
    },
  }
}
