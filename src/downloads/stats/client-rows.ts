import type { DownloadsParts } from '../parts.ts'
import { type GroupRecord, GroupStore } from '../../clients/contract.ts'
import { percent, utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { ClientRow, ClientSums } from '../reports/traffic.ts'
import type { ClientStats } from './model.ts'
import { clientSums } from './store.ts'

/** Never equal to an address. */
const keyOf = (group: GroupRecord): string => `group ${group.id}`

export interface ClientQuery {
  limit: number
  /** Include hidden clients and those excluded from sums. */
  includeExcluded?: boolean | undefined
  /** False gives every address its own row, whatever its group's setting. */
  mergeGroups?: boolean | undefined
  /** Whether the reader may see host names. */
  hasNames: boolean
}

/** Everything in a row except its identity. */
function figures(row: ClientSums) {
  const totalBytes = row.hitBytes + row.missBytes
  const seconds = Math.max(0, row.lastAt - row.firstAt)
  return {
    totalCacheHitBytes: row.hitBytes,
    totalCacheMissBytes: row.missBytes,
    totalBytes,
    cacheHitPercent: percent(row.hitBytes, totalBytes),
    totalDownloads: row.downloads,
    totalDurationSeconds: seconds,
    averageBytesPerSecond: seconds === 0 ? 0 : totalBytes / seconds,
    lastActivityUtc: utc(row.lastAt),
  }
}

/** A group as one row, represented by its first address with traffic. */
function groupStats(row: ClientSums, group: GroupRecord, without: readonly string[]): ClientStats {
  const groupMemberIps = group.memberIps.filter((ip) => !without.includes(ip))
  const active = groupMemberIps.find((ip) => row.members.includes(ip))
  return {
    clientIp: active ?? row.members[0] ?? '',
    displayName: group.nickname,
    groupId: group.id,
    isGrouped: true,
    groupMemberIps,
    ...figures(row),
  }
}

/**
 * Totals per client; group members are merged into one row before the limit, unless configured
 * otherwise.
 */
export function clientRows(
  { state, names }: Pick<DownloadsParts, 'state' | 'names'>,
  reports: Reports,
) {
  const store = new GroupStore(state)

  return async (asked: Scope, query: ClientQuery) => {
    const { limit, includeExcluded, mergeGroups = true, hasNames } = query
    const scope = includeExcluded === true ? asked : reports.counted(asked)
    const groups = store.all()
    const merged: ClientRow[] = groups
      .filter((group) => mergeGroups && !group.separateMemberRows && group.memberIps.length > 0)
      .map((group) => ({ key: keyOf(group), ips: group.memberIps }))
    const name = `clients ${limit} ${Bun.hash(JSON.stringify(merged))}`
    const { rows, clients } = await reports.cached(name, scope, () =>
      reports.read((sql) => clientSums(sql, scope, { limit, merged })),
    )
    const byKey = new Map(groups.map((group) => [keyOf(group), group]))
    const byIp = new Map(groups.flatMap((group) => group.memberIps.map((ip) => [ip, group])))
    const shown = rows.map((row): ClientStats => {
      const whole = byKey.get(row.name)
      if (whole !== undefined) return groupStats(row, whole, scope.without)
      const group = byIp.get(row.name)
      const host = group === undefined && hasNames ? names.labelOf(row.name) : null
      return {
        clientIp: row.name,
        displayName: group?.nickname ?? host,
        groupId: group?.id ?? null,
        isGrouped: false,
        groupMemberIps: null,
        ...figures(row),
      }
    })
    if (hasNames) names.prepare(rows.filter(({ name: ip }) => !byIp.has(ip)).map((row) => row.name))
    return { rows: shown, clients }
  }
}
