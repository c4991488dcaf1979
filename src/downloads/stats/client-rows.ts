import type { DownloadsParts } from '../parts.ts'
import { type GroupRecord, GroupStore } from '../../clients/contract.ts'
import { percent, utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { ClientRow, ClientSums } from '../reports/traffic.ts'
import type { ClientStats } from './model.ts'
import { clientSums } from './store.ts'

/** No address looks like this. */
const keyOf = (group: GroupRecord): string => `group ${group.id}`

export interface ClientQuery {
  limit: number
  /** Also clients that are hidden or left out of sums. */
  includeExcluded?: boolean | undefined
  /** False: every address has a row of its own, whatever its group says. */
  mergeGroups?: boolean | undefined
  /** Whether the reader may see host names. */
  hasNames: boolean
}

/** Everything about a row but who it is. */
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

/** A group as one row: its first address with traffic stands for it. */
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

/** Totals per client; members of a group are one row before the limit, unless it says otherwise. */
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
