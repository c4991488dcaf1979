import type { DownloadsParts } from '../parts.ts'
import { type GroupRecord, GroupStore } from '../../clients/contract.ts'
import { utc } from '../reports/numbers.ts'
import { bytesTotals } from '../reports/series.ts'
import type { ClientShare } from './model.ts'
import type { ClientGroupSums } from './store.ts'

type SharedSums = Pick<
  ClientGroupSums,
  'client' | 'hitBytes' | 'missBytes' | 'downloads' | 'lastAt'
>
type SharesDeps = Pick<DownloadsParts, 'state' | 'names'>

export const groupOf = ({ state }: Pick<DownloadsParts, 'state'>, ip: string): GroupRecord | null =>
  new GroupStore(state).all().find(({ memberIps }) => memberIps.includes(ip)) ?? null

/** Rows of clients with their names; looks up unknown names in the background. */
export function clientShares(
  { state, names }: SharesDeps,
  rows: readonly SharedSums[],
  hasNames: boolean,
): ClientShare[] {
  const groups = new GroupStore(state).all()
  const byIp = new Map(groups.flatMap((group) => group.memberIps.map((ip) => [ip, group])))
  if (hasNames) names.prepare(rows.map(({ client }) => client).filter((ip) => !byIp.has(ip)))
  return rows.map((row) => {
    const group = byIp.get(row.client)
    const host = group === undefined && hasNames ? names.labelOf(row.client) : null
    return {
      clientIp: row.client,
      displayName: group?.nickname ?? host,
      groupId: group?.id ?? null,
      ...bytesTotals(row),
      lastSeenUtc: utc(row.lastAt),
    }
  })
}
