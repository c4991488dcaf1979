import type { DownloadsParts } from '../parts.ts'
import { type GroupRecord, GroupStore } from '../../clients/contract.ts'
import { failedOf, failedSums, type FailedSum } from '../reports/failed.ts'
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

/** Everything about a row but who it is. */
function figures(row: ClientSums, failed: readonly FailedSum[], ips: readonly string[]) {
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
    failedRequests: failedOf(failed, (ip) => ips.includes(ip)),
    lastActivityUtc: utc(row.lastAt),
  }
}

/** A group as one row: its first address with traffic stands for it. */
function groupStats(
  row: ClientSums,
  group: GroupRecord,
  { failed, without }: { failed: readonly FailedSum[]; without: readonly string[] },
): ClientStats {
  const groupMemberIps = group.memberIps.filter((ip) => !without.includes(ip))
  const active = groupMemberIps.find((ip) => row.members.includes(ip))
  return {
    clientIp: active ?? row.members[0] ?? '',
    displayName: group.nickname,
    groupId: group.id,
    isGrouped: true,
    groupMemberIps,
    ...figures(row, failed, groupMemberIps),
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
    const scope =
      includeExcluded === true ? { ...reports.counted(asked), without: [] } : reports.counted(asked)
    const groups = store.all()
    const merged: ClientRow[] = groups
      .filter((group) => mergeGroups && !group.separateMemberRows && group.memberIps.length > 0)
      .map((group) => ({ key: keyOf(group), ips: group.memberIps }))
    const name = `clients ${limit} ${Bun.hash(JSON.stringify(merged))}`
    const [rows, failed] = await Promise.all([
      reports.cached(name, scope, () =>
        reports.sums(scope, (sql, of) => clientSums(sql, of, { limit, merged })),
      ),
      reports.cached('failed clients', scope, () =>
        reports.read((sql) => failedSums(sql, scope, 'client')),
      ),
    ])
    const byKey = new Map(groups.map((group) => [keyOf(group), group]))
    const byIp = new Map(groups.flatMap((group) => group.memberIps.map((ip) => [ip, group])))
    const shown = rows.map((row): ClientStats => {
      const whole = byKey.get(row.name)
      if (whole !== undefined) return groupStats(row, whole, { failed, without: scope.without })
      const group = byIp.get(row.name)
      const host = group === undefined && hasNames ? names.labelOf(row.name) : null
      return {
        clientIp: row.name,
        displayName: group?.nickname ?? host,
        groupId: group?.id ?? null,
        isGrouped: false,
        groupMemberIps: null,
        ...figures(row, failed, [row.name]),
      }
    })
    if (hasNames) names.prepare(rows.filter(({ name: ip }) => !byIp.has(ip)).map((row) => row.name))
    return { rows: shown, clients: rows[0]?.clients ?? 0 }
  }
}
