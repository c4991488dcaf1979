import type { Title } from '../../platforms/titles.ts'
import { TitleReader } from '../../platforms/titles.ts'
import {
  cacheHit,
  cacheMiss,
  firstByteOf,
  isHealthCheck,
  type Client,
  type Line,
  type Tag,
} from './line.ts'
import {
  addToSample,
  hashObject,
  maxObjectKeys,
  normalisedPath,
  shownUrl,
  targetText,
} from './object-keys.ts'
import { firstFreeId, gapSeconds, sessionKey, type Session, type TrafficPart } from './session.ts'
import type { SpeedWindow } from './speed-window.ts'

const bucketSeconds = 300
/** Downloads kept open at most; beyond it the ones that were silent longest are closed. */
const maxOpenDownloads = 20_000
/** Remembered combinations of client, tag and title, per lane. */
const maxGroups = 50_000
/** Log time between two looks for downloads that ended. */
const sweepSeconds = 60

/** Everything with the same client, tag, title and prefill mark in one lane. */
export interface Group {
  readonly client: Client
  readonly tag: Tag
  readonly title: Title
  readonly isPrefill: boolean
  session: Session | null
  traffic: TrafficPart | null
}

/** One log series read in one direction of time; downloads never cross lanes. */
export interface Lane {
  readonly name: string
  readonly datasource: string
  readonly sessions: Map<string, Session>
  groups: Map<Client, Group[]>
  groupCount: number
  lastS: number
  sweptS: number
}

/** What a commit writes besides positions. */
export interface Gathered {
  lastId: number
  sessions: Session[]
  traffic: { lane: Lane; group: Group; part: TrafficPart }[]
}

/**
 * Sums parsed lines in memory between two commits. If a commit fails, the whole object is thrown
 * away and made again from the store, so memory never runs ahead of the disk.
 */
export class Accumulator {
  readonly titles = new TitleReader()
  readonly #lanes = new Map<string, Lane>()
  readonly #speeds: SpeedWindow
  #gathered: Gathered
  #touched: Session[] = []
  #chunk = 1
  #openCount = 0

  constructor(lastId: number, sessions: Session[], speeds: SpeedWindow) {
    this.#speeds = speeds
    this.#gathered = { lastId, sessions: [], traffic: [] }
    for (const session of sessions) {
      const lane = this.lane(session.lane, session.datasource)
      const { client, tag, titleKey, isPrefill } = session
      lane.sessions.set(sessionKey(client, tag, titleKey, isPrefill), session)
      this.#openCount++
    }
  }

  get openCount(): number {
    return this.#openCount
  }

  lane(name: string, datasource: string): Lane {
    const known = this.#lanes.get(name)
    if (known !== undefined) return known
    const sessions = new Map<string, Session>()
    const empty = { groups: new Map(), groupCount: 0, lastS: 0, sweptS: 0 }
    const lane = { name, datasource, sessions, ...empty }
    this.#lanes.set(name, lane)
    return lane
  }

  /** Adds one parsed line. False: ignored (heartbeat, health check, own probe). */
  add(lane: Lane, line: Line, buffer: Uint8Array): boolean {
    if (line.isProbe || isHealthCheck(buffer, line.target)) return false
    const group = this.#groupOf(lane, line, buffer)
    const timeS = line.timeS
    const isCounted = line.status === 200 || line.status === 206
    const hit = isCounted && line.cache === cacheHit ? line.bytes : 0
    const miss = isCounted && line.cache === cacheMiss ? line.bytes : 0
    lane.lastS = timeS
    const bucketAt = timeS - (timeS % bucketSeconds)
    let part = group.traffic
    if (part === null || part.bucketAt !== bucketAt) part = this.#part(lane, group, bucketAt)
    part.hitBytes += hit
    part.missBytes += miss
    part.requests++
    if (timeS < part.firstAt) part.firstAt = timeS
    if (timeS > part.lastAt) part.lastAt = timeS
    let session = group.session
    if (
      session === null ||
      session.isClosed ||
      timeS > session.endedAt + gapSeconds ||
      timeS < session.startedAt - gapSeconds
    ) {
      session = this.#begin(lane, group, timeS)
      part.downloads++
    }
    if (timeS > session.endedAt) session.endedAt = timeS
    else if (timeS < session.startedAt) session.startedAt = timeS
    session.hitBytes += hit
    session.missBytes += miss
    session.requests++
    this.#touch(session, line)
    if (hit + miss > 0) {
      this.#sample(session, line, buffer)
      this.#speeds.add(group, timeS, hit, miss)
    }
    return true
  }

  /** The read buffer is about to be used again: keeps the last URL of each download it touched. */
  endChunk(line: Line, buffer: Uint8Array): void {
    for (const session of this.#touched) {
      line.target.from = session.urlFrom
      line.target.to = session.urlTo
      session.lastUrl = shownUrl(targetText(line, buffer))
    }
    this.#touched = []
    this.#chunk++
  }

  /** Closes what is over and hands out everything that changed. Call with no chunk under way. */
  gather(): Gathered {
    for (const lane of this.#lanes.values()) {
      if (Math.abs(lane.lastS - lane.sweptS) >= sweepSeconds) this.#sweep(lane)
    }
    if (this.#openCount > maxOpenDownloads) this.#closeOldest()
    const gathered = this.#gathered
    this.#gathered = { lastId: gathered.lastId, sessions: [], traffic: [] }
    for (const { group } of gathered.traffic) group.traffic = null
    for (const session of gathered.sessions) session.isDirty = false
    for (const lane of this.#lanes.values()) if (lane.groupCount > maxGroups) dropGroups(lane)
    return gathered
  }

  /** Open downloads whose newest state is not in the outbox; they are written by the next commit. */
  queueWaiting(isDue: (session: Session) => boolean): boolean {
    for (const lane of this.#lanes.values()) {
      for (const session of lane.sessions.values()) {
        if (session.isUnqueued && isDue(session)) this.#markDirty(session)
      }
    }
    return this.#gathered.sessions.length > 0
  }

  /** Frees the interned names. Nothing may be under way. */
  forgetNames(line: Line): void {
    for (const lane of this.#lanes.values()) dropGroups(lane)
    line.forget()
    this.titles.forget()
  }

  #groupOf(lane: Lane, line: Line, buffer: Uint8Array): Group {
    const { client, tag, isPrefill } = line
    const title =
      tag.platform === null
        ? this.titles.none
        : this.titles.read(tag.platform, buffer, line.target, line.host)
    let groups = lane.groups.get(client)
    if (groups === undefined) {
      groups = []
      lane.groups.set(client, groups)
    }
    for (let at = groups.length - 1; at >= 0; at--) {
      const group = groups[at] as Group
      if (group.title !== title || group.tag !== tag || group.isPrefill !== isPrefill) continue
      // The one in use moves towards the end, where the search begins.
      if (at < groups.length - 1) {
        groups[at] = groups[at + 1] as Group
        groups[at + 1] = group
      }
      return group
    }
    const key = sessionKey(client.address, tag.text, title.key, isPrefill)
    const session = lane.sessions.get(key) ?? null
    const group = { client, tag, title, isPrefill, session, traffic: null }
    groups.push(group)
    lane.groupCount++
    return group
  }

  #part(lane: Lane, group: Group, bucketAt: number): TrafficPart {
    const counts = { hitBytes: 0, missBytes: 0, requests: 0, downloads: 0 }
    const part = { bucketAt, ...counts, firstAt: Infinity, lastAt: 0 }
    group.traffic = part
    this.#gathered.traffic.push({ lane, group, part })
    return part
  }

  #begin(lane: Lane, group: Group, timeS: number): Session {
    const { client, tag, title, isPrefill } = group
    const key = sessionKey(client.address, tag.text, title.key, isPrefill)
    // Another group of the same key may have begun one after the names were forgotten.
    const before = lane.sessions.get(key)
    if (before !== undefined) this.#close(lane, key, before)
    const id = firstFreeId(this.#gathered.lastId, Date.now())
    this.#gathered.lastId = id
    const session: Session = {
      id,
      lane: lane.name,
      datasource: lane.datasource,
      service: tag.service,
      tag: tag.text,
      client: client.address,
      titleKey: title.key,
      isPrefill,
      startedAt: timeS,
      endedAt: timeS,
      hitBytes: 0,
      missBytes: 0,
      requests: 0,
      lastUrl: '',
      sample: [],
      revision: 0,
      isDirty: false,
      isClosed: false,
      queuedAtMs: 0,
      isUnqueued: true,
      chunk: 0,
      urlFrom: 0,
      urlTo: 0,
    }
    lane.sessions.set(key, session)
    group.session = session
    this.#openCount++
    return session
  }

  #touch(session: Session, line: Line): void {
    session.urlFrom = line.target.from
    session.urlTo = line.target.to
    session.isUnqueued = true
    if (session.chunk === this.#chunk) return
    session.chunk = this.#chunk
    this.#touched.push(session)
    this.#markDirty(session)
  }

  #markDirty(session: Session): void {
    if (session.isDirty) return
    session.isDirty = true
    this.#gathered.sessions.push(session)
  }

  #sample(session: Session, line: Line, buffer: Uint8Array): void {
    const { sample } = session
    const firstByte = firstByteOf(buffer, line.range)
    const hash = hashObject(buffer, line.target, firstByte)
    if (sample.length === maxObjectKeys && hash >= (sample[maxObjectKeys - 1]?.[0] ?? 0)) return
    addToSample(sample, hash, () => `${firstByte} ${normalisedPath(targetText(line, buffer))}`)
  }

  #close(lane: Lane, key: string, session: Session): void {
    lane.sessions.delete(key)
    session.isClosed = true
    this.#openCount--
    this.#markDirty(session)
  }

  #sweep(lane: Lane): void {
    lane.sweptS = lane.lastS
    for (const [key, session] of lane.sessions) {
      const { startedAt, endedAt } = session
      // Twice the gap: lines of several writers are slightly out of order.
      const isOver = lane.lastS > endedAt + 2 * gapSeconds
      if (isOver || lane.lastS < startedAt - 2 * gapSeconds) this.#close(lane, key, session)
    }
  }

  #closeOldest(): void {
    const all = [...this.#lanes.values()].flatMap((lane) =>
      [...lane.sessions].map(([key, session]) => ({ lane, key, session })),
    )
    all.sort((a, b) => a.session.endedAt - b.session.endedAt)
    const surplus = this.#openCount - Math.floor(maxOpenDownloads * 0.9)
    for (const { lane, key, session } of all.slice(0, surplus)) this.#close(lane, key, session)
  }
}

function dropGroups(lane: Lane): void {
  lane.groups = new Map()
  lane.groupCount = 0
}
