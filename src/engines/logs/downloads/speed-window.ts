import { gammaSharedName } from '../../titles/gamma/title.ts'
import { describeTitle, type TitleDescription } from '../../titles/titles.ts'
import type { Group } from './session.ts'
import type { ClientSpeed, GameSpeed, SpeedSnapshot } from '../wire.ts'
import { serviceLabel } from '../lines/service-label.ts'

const shortestS = 2
const longestS = 15
const rememberedGaps = 4
/** Older lines are being imported; they are not current traffic. */
const maxAgeS = 60
/** Groups of clients and titles per second; any others are left out of the live view. */
const maxGroupsPerSecond = 2000
/** Rows per snapshot; beyond it the slowest are left out. */
const maxRows = 500

interface Cell {
  hit: number
  miss: number
  requests: number
}

interface Row {
  speed: GameSpeed
  /** Bytes per depot, to show an app's busiest one. */
  depots: Map<number, number>
  /** Bytes per name, to show the largest game of a platform's row. */
  names: Map<string, number>
}

interface Delivery {
  atMs: number
  gapsS: number[]
}

/** The last seconds of traffic, by log time. */
export class SpeedWindow {
  readonly #seconds = new Map<number, Map<Group, Cell>>()
  readonly #deliveries = new Map<string, Delivery>()
  #floorS = 0
  #ceilingS = 0
  #describe = describeTitle

  /** Names titles by more than their keys: by the catalogue. */
  describeWith(describe: typeof describeTitle): void {
    this.#describe = describe
  }

  /** Call before adding a batch of lines: older lines are never added. */
  prepare(nowMs: number): void {
    this.#floorS = Math.floor(nowMs / 1000) - maxAgeS
    this.#ceilingS = Math.floor(nowMs / 1000) + maxAgeS
  }

  add(group: Group, timeS: number, hit: number, miss: number): void {
    if (timeS < this.#floorS || timeS > this.#ceilingS) return
    let cells = this.#seconds.get(timeS)
    if (cells === undefined) {
      cells = new Map()
      this.#seconds.set(timeS, cells)
    }
    const cell = cells.get(group)
    if (cell === undefined) {
      if (cells.size >= maxGroupsPerSecond) return
      cells.set(group, { hit, miss, requests: 1 })
      return
    }
    cell.hit += hit
    cell.miss += miss
    cell.requests++
  }

  /** New lines of a series arrived; buffered logs arrive in bursts and widen the window. */
  delivered(lane: string, nowMs: number): void {
    const known = this.#deliveries.get(lane)
    if (known === undefined) {
      this.#deliveries.set(lane, { atMs: nowMs, gapsS: [] })
      return
    }
    const gapS = (nowMs - known.atMs) / 1000
    known.atMs = nowMs
    // A longer gap is silence, not buffering.
    if (gapS > longestS) return
    known.gapsS.push(gapS)
    if (known.gapsS.length > rememberedGaps) known.gapsS.shift()
  }

  windowSeconds(nowMs: number): number {
    let windowS = shortestS
    for (const { atMs, gapsS } of this.#deliveries.values()) {
      const gapS = Math.max(0, ...gapsS)
      const isPresent = nowMs - atMs <= 2 * longestS * 1000
      if (isPresent && gapS > shortestS) windowS = Math.max(windowS, Math.ceil(gapS + shortestS))
    }
    return Math.min(windowS, longestS)
  }

  snapshot(nowMs: number): SpeedSnapshot {
    const windowS = this.windowSeconds(nowMs)
    const startS = nowMs / 1000 - windowS
    const rows = new Map<string, Row>()
    // Once per snapshot and title: a description is a query.
    const known = new Map<string, TitleDescription>()
    const describe = (key: string, service: string) => {
      let about = known.get(`${service} ${key}`)
      if (about === undefined)
        known.set(`${service} ${key}`, (about = this.#describe(key, service)))
      return about
    }
    let newestS = 0
    for (const [second, cells] of this.#seconds) {
      const nowS = Math.floor(nowMs / 1000)
      // Far in the future: logged before the clock was set back, and shown until it catches up.
      if (second < nowS - longestS || second > nowS + maxAgeS) {
        this.#seconds.delete(second)
        continue
      }
      // A line of second s was written between s and s + 1.
      if (second + 1 <= startS) continue
      newestS = Math.max(newestS, second + 1)
      for (const [group, cell] of cells) {
        addTo(rows, group, cell, describe(group.title.key, group.tag.service))
      }
    }
    const coveredS = Math.min(windowS, Math.max(shortestS, newestS - startS))
    return build([...rows.values()], coveredS, { nowMs, windowS })
  }
}

/** Which requests share a row: see the platforms' rules in `describeTitle`. */
function rowKey(group: Group, appId: number | null): string {
  const { client, tag, title } = group
  if (tag.platform === 'alpha' && appId !== null) return `${client.address} app ${appId}`
  if (tag.platform === 'gamma') return `${client.address} gamma`
  return `${client.address} ${title.key === '' ? tag.service : title.key}`
}

function addTo(rows: Map<string, Row>, group: Group, cell: Cell, about: TitleDescription): void {
  const { client, tag, title } = group
  const key = rowKey(group, about.gameAppId)
  let row = rows.get(key)
  if (row === undefined) {
    row = { speed: emptyRow(client.address, tag.service), depots: new Map(), names: new Map() }
    row.speed.gameAppId = about.gameAppId
    row.speed.betaAppId = about.betaAppId
    rows.set(key, row)
  }
  const { speed, depots, names } = row
  const bytes = cell.hit + cell.miss
  speed.cacheHitBytes += cell.hit
  speed.cacheMissBytes += cell.miss
  speed.totalBytes += bytes
  speed.requestCount += cell.requests
  if (about.depotId !== null) depots.set(about.depotId, (depots.get(about.depotId) ?? 0) + bytes)
  const label = about.gameName ?? (title.key === '' ? serviceLabel(tag.service) : null)
  if (label !== null) names.set(label, (names.get(label) ?? 0) + bytes)
}

const emptyRow = (clientIp: string, service: string): GameSpeed => ({
  depotId: 0,
  gameName: null,
  gameAppId: null,
  betaAppId: null,
  service,
  clientIp,
  bytesPerSecond: 0,
  totalBytes: 0,
  requestCount: 0,
  cacheHitBytes: 0,
  cacheMissBytes: 0,
  cacheHitPercent: 0,
  isEvicted: false,
})

/** The entry with the largest value; ties go to the smaller key. */
function largest<K extends number | string>(counts: Map<K, number>): K | null {
  let best: K | null = null
  for (const [key, count] of counts) {
    const bestCount = best === null ? -1 : (counts.get(best) ?? 0)
    if (count > bestCount || (count === bestCount && best !== null && key < best)) best = key
  }
  return best
}

function build(
  rows: Row[],
  coveredS: number,
  { nowMs, windowS }: { nowMs: number; windowS: number },
): SpeedSnapshot {
  const clients = new Map<string, ClientSpeed>()
  let entriesInWindow = 0
  let totalBytes = 0
  for (const { speed, depots, names } of rows) {
    speed.depotId = largest(depots) ?? 0
    // Content that all games share names the row only when there is no game.
    if (names.size > 1) names.delete(gammaSharedName)
    speed.gameName = largest(names)
    speed.bytesPerSecond = speed.totalBytes / coveredS
    speed.cacheHitPercent = (speed.cacheHitBytes / speed.totalBytes) * 100
    entriesInWindow += speed.requestCount
    totalBytes += speed.totalBytes
    addClient(clients, speed, coveredS)
  }
  const fastestFirst = (a: { bytesPerSecond: number }, b: { bytesPerSecond: number }) =>
    b.bytesPerSecond - a.bytesPerSecond
  return {
    timestampUtc: new Date(nowMs).toISOString(),
    totalBytesPerSecond: totalBytes / coveredS,
    gameSpeeds: rows
      .map(({ speed }) => speed)
      .sort(fastestFirst)
      .slice(0, maxRows),
    clientSpeeds: [...clients.values()].sort(fastestFirst).slice(0, maxRows),
    windowSeconds: windowS,
    entriesInWindow,
    hasActiveDownloads: entriesInWindow > 0,
  }
}

function addClient(clients: Map<string, ClientSpeed>, speed: GameSpeed, coveredS: number): void {
  const { clientIp } = speed
  const none = { bytesPerSecond: 0, totalBytes: 0, activeGames: 0 }
  const client = clients.get(clientIp) ?? { clientIp, ...none, cacheHitBytes: 0, cacheMissBytes: 0 }
  client.totalBytes += speed.totalBytes
  client.bytesPerSecond = client.totalBytes / coveredS
  client.activeGames++
  client.cacheHitBytes += speed.cacheHitBytes
  client.cacheMissBytes += speed.cacheMissBytes
  clients.set(clientIp, client)
}
