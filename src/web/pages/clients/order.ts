import type { ClientStats } from '../../api/wire.ts'

const orders = {
  name: (a: ClientStats, b: ClientStats) => a.clientIp.localeCompare(b.clientIp),
  largest: (a: ClientStats, b: ClientStats) => b.totalBytes - a.totalBytes,
  smallest: (a: ClientStats, b: ClientStats) => a.totalBytes - b.totalBytes,
  sessions: (a: ClientStats, b: ClientStats) => b.totalDownloads - a.totalDownloads,
  efficiency: (a: ClientStats, b: ClientStats) => b.cacheHitPercent - a.cacheHitPercent,
  'efficiency-low': (a: ClientStats, b: ClientStats) => a.cacheHitPercent - b.cacheHitPercent,
  latest: (a: ClientStats, b: ClientStats) => b.lastActivityUtc.localeCompare(a.lastActivityUtc),
  oldest: (a: ClientStats, b: ClientStats) => a.lastActivityUtc.localeCompare(b.lastActivityUtc),
}

/** The endpoint gives at most a thousand clients at once, so ordering and search happen here. */
export function orderClients(
  clients: readonly ClientStats[],
  sort: string,
  search: string,
  nameOf: (client: ClientStats) => string,
): ClientStats[] {
  const wanted = search.toLowerCase()
  const found = clients.filter((client) =>
    `${nameOf(client)} ${client.clientIp} ${client.groupMemberIps?.join(' ') ?? ''}`
      .toLowerCase()
      .includes(wanted),
  )
  const order = sort in orders ? orders[sort as keyof typeof orders] : orders.largest // just checked
  return found.sort(order)
}
