import type { ClientGroup, ClientStats } from '../../api/client-queries.ts'
import type { ClientSort } from './search.ts'
import { isName } from './draft.ts'
import type { Counting } from './counting.ts'

/** One line of the list: a client, a group of them, or a member below its group. */
export interface ClientRow {
  key: string
  /** The address; for a group the first one with traffic. */
  ip: string
  name: string
  group: ClientGroup | null
  isGroup: boolean
  isMember: boolean
  /** Whether a group is expanded; null without members to show. */
  isOpen: boolean | null
  counting: Counting
  /** Null without traffic in the range. */
  stats: ClientStats | null
}

type Order = (a: ClientRow, b: ClientRow) => number

const by =
  (value: (stats: ClientStats) => number): Order =>
  (a, b) =>
    (b.stats === null ? -1 : value(b.stats)) - (a.stats === null ? -1 : value(a.stats))
const reverse =
  (order: Order): Order =>
  (a, b) =>
    order(b, a)

const hits = by((stats) => stats.totalCacheHitBytes)
const misses = by((stats) => stats.totalCacheMissBytes)
const bytes = by((stats) => stats.totalBytes)
const downloads = by((stats) => stats.totalDownloads)
const percent = by((stats) => stats.cacheHitPercent)
const activity = by((stats) => Date.parse(stats.lastActivityUtc))
const names: Order = (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })

const orders: Record<ClientSort, Order> = {
  name: names,
  'name-last': reverse(names),
  largest: bytes,
  smallest: reverse(bytes),
  sessions: downloads,
  'sessions-least': reverse(downloads),
  hit: hits,
  'hit-least': reverse(hits),
  miss: misses,
  'miss-least': reverse(misses),
  efficiency: percent,
  'efficiency-low': reverse(percent),
  latest: activity,
  oldest: reverse(activity),
}

export interface TreeParts {
  /** Totals of counted clients and groups. */
  totals: readonly ClientStats[]
  /** Totals of every single address. */
  addresses: readonly ClientStats[]
  groups: readonly ClientGroup[]
  countings: ReadonlyMap<string, Counting>
  hostnames: Readonly<Record<string, string>>
}

export interface TreeChoice {
  sort: ClientSort
  search: string
  show: 'all' | 'groups' | 'left-out'
  /** Ids of expanded groups. */
  open: ReadonlySet<number>
}

/** The first label: on one network the rest is the same for all. */
export const shortName = (hostname: string | undefined): string | null =>
  hostname?.split('.')[0] || null

class Tree {
  readonly #parts: TreeParts
  readonly #byIp: ReadonlyMap<string, ClientStats>
  readonly #groups: ReadonlyMap<number, ClientGroup>

  constructor(parts: TreeParts) {
    this.#parts = parts
    this.#byIp = new Map(parts.addresses.map((stats) => [stats.clientIp, stats]))
    this.#groups = new Map(parts.groups.map((group) => [group.id, group]))
  }

  /** A row for one address; below its group it uses its own name. */
  client(ip: string, stats: ClientStats | null, isMember = false): ClientRow {
    const { countings, hostnames } = this.#parts
    const group = this.#groups.get(stats?.groupId ?? -1) ?? null
    const host = shortName(hostnames[ip])
    const name = isMember ? (host ?? ip) : (stats?.displayName ?? host ?? ip)
    const counting = countings.get(ip) ?? 'counted'
    const key = `${isMember ? 'member' : 'client'} ${ip}`
    return { key, ip, name, group, isGroup: false, isMember, isOpen: null, counting, stats }
  }

  members({ memberIps }: ClientGroup): ClientRow[] {
    return memberIps.map((ip) => this.client(ip, this.#byIp.get(ip) ?? null, true))
  }

  top(): ClientRow[] {
    return this.#parts.totals.map((stats) => {
      const row = this.client(stats.clientIp, stats)
      if (!stats.isGrouped || row.group === null || isName(row.group)) return row
      const { id, nickname } = row.group
      return { ...row, key: `group ${id}`, name: nickname, isGroup: true, counting: 'counted' }
    })
  }

  leftOut(): ClientRow[] {
    return [...this.#parts.countings.keys()].map((ip) =>
      this.client(ip, this.#byIp.get(ip) ?? null),
    )
  }
}

const contains = (row: ClientRow, wanted: string): boolean =>
  `${row.name} ${row.ip} ${row.group?.nickname ?? ''}`.toLowerCase().includes(wanted)

/** The list's rows in order; members follow their expanded group. */
export function clientRows(parts: TreeParts, choice: TreeChoice): ClientRow[] {
  const tree = new Tree(parts)
  const order = orders[choice.sort]
  const wanted = choice.search.trim().toLowerCase()
  if (choice.show === 'left-out') {
    return tree
      .leftOut()
      .filter((row) => contains(row, wanted))
      .sort(order)
  }
  const counted = tree.top()
  const shownGroups = new Set(counted.flatMap((row) => (row.isGroup ? [row.group?.id] : [])))
  // Listed but not counted; members of a group appear below it.
  const listed = tree.leftOut().filter(({ counting, stats, group }) => {
    const isBelow = group !== null && shownGroups.has(group.id)
    return counting === 'exclude' && stats !== null && !isBelow
  })
  const rows: ClientRow[] = []
  for (const row of [...counted, ...listed].sort(order)) {
    if (choice.show === 'groups' && !row.isGroup) continue
    if (!row.isGroup || row.group === null) {
      if (contains(row, wanted)) rows.push(row)
      continue
    }
    const members = tree.members(row.group)
    // A group's address is a member's, so the match may be the member.
    const isFound = row.name.toLowerCase().includes(wanted)
    const found = isFound ? members : members.filter((member) => contains(member, wanted))
    if (!isFound && found.length === 0) continue
    // Expands groups whose members match.
    const isOpen = choice.open.has(row.group.id) || !isFound
    rows.push({ ...row, isOpen }, ...(isOpen ? found.sort(order) : []))
  }
  return rows
}
