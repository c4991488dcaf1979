import { firstFreeId } from '../../shipper/contract.ts'
import { noTitle, type Title } from '../../titles/titles.ts'
import type { IngestConfig } from '../ingest-config.ts'
import type { NoteLimit } from '../limits.ts'
import { dayOf, DayNames, isOfDay, otherTag, type DayStore } from './day-names.ts'
import { nothingSince, type Gathered } from './gathered.ts'
import { HostTitleRecorder } from './host-titles.ts'
import { cacheHit, cacheMiss, escapeHex, isServed, type Escape, type Line } from '../lines/line.ts'
import type { LineReader } from '../lines/line-reader.ts'
import {
  addToSample,
  droppedHash,
  maxObjectKeys,
  objectKey,
  shownUrl,
  targetText,
  type SampledKey,
} from '../lines/object-keys.ts'
import {
  backfillSuffix,
  gapSeconds,
  sessionKey,
  type Group,
  type Lane,
  type Session,
  type TrafficPart,
} from './session.ts'
import { isOfRun } from './prefill-runs.ts'
import { ReuseSamplers } from '../reuse/samplers.ts'
import type { LogStore } from '../store.ts'
import type { SpeedWindow } from './speed-window.ts'

const bucketSeconds = 300
/** Limit of open downloads; beyond it the longest silent ones are closed. */
export const maxOpenDownloads = 20_000
/** Limit for the sampled keys of open downloads, in characters; beyond it the same happens. */
const maxSampledCharacters = 16_000_000
/** Cached combinations of client, tag and title, over all lanes. */
const maxGroups = 20_000
/** Share that stays open when the limit is exceeded. */
const keptShare = 0.9
/** Log time between two checks for ended downloads. */
const sweepSeconds = 60

export interface AccumulatorParts {
  store: DayStore & Pick<LogStore, 'lastDownloadId' | 'openSessions' | 'reuseSamples'>
  speeds: SpeedWindow
  config: IngestConfig
  note: NoteLimit
}

/** A sampled object whose key is built at the end of the chunk, if still wanted. */
interface UnreadKey {
  session: Session
  entry: SampledKey
  firstByte: number
  from: number
  to: number
  escape: Escape
}

/**
 * Sums parsed lines in memory between two commits. If a commit fails, the whole object is discarded
 * and rebuilt from the store, so memory never runs ahead of the disk.
 */
export class Accumulator {
  readonly #hostTitles = new HostTitleRecorder()
  readonly #lanes = new Map<string, Lane>()
  /** The group of each client's last line: most clients download one thing at a time. */
  #recent: (Group | undefined)[] = []
  readonly #speeds: SpeedWindow
  readonly reuse: ReuseSamplers
  readonly #dayNames: DayNames
  readonly #note: NoteLimit
  readonly #slot: number
  #gathered: Gathered
  #touched: Session[] = []
  #unread: UnreadKey[] = []
  #chunk = 1
  #openCount = 0
  #groupCount = 0
  #sampledCharacters = 0

  constructor({ store, speeds, config, note }: AccumulatorParts) {
    this.#speeds = speeds
    this.reuse = new ReuseSamplers(store, config)
    this.#dayNames = new DayNames(store, note)
    this.#note = note
    this.#slot = config.slot ?? 0
    this.#gathered = nothingSince(store.lastDownloadId())
    for (const session of store.openSessions()) {
      const lane = this.lane(session.lane, session.datasource)
      const { client, tag, titleKey, isPrefill } = session
      lane.sessions.set(sessionKey(client, tag, titleKey, isPrefill), session)
      this.#openCount++
      this.#sampledCharacters += charactersOf(session)
    }
  }

  /** Rows that the next commit would write. */
  get changedCount(): number {
    return this.#gathered.sessions.length + this.#gathered.traffic.length
  }

  lane(name: string, datasource: string): Lane {
    return this.#lanes.getOrInsertComputed(name, () => {
      const empty = { sessions: new Map(), groups: new Map(), lastS: 0, sweptS: 0 }
      const reuse = name.endsWith(backfillSuffix) ? null : this.reuse.of(datasource)
      return { name, datasource, reuse, ...empty }
    })
  }

  /** Adds one parsed line. False: ignored (heartbeat, health check, own probe). */
  add(lane: Lane, line: Line, buffer: Uint8Array): boolean {
    if (line.isHealthCheck) {
      line.runs?.readMark(buffer, line.target, line.client.address)
      return false
    }
    if (line.isProbe) return false
    const group = this.#groupOf(lane, line)
    const { timeS } = line
    lane.lastS = timeS
    let part = group.traffic
    // Comparing is cheaper than a remainder for every line, here and of the day.
    if (part === null || timeS < part.bucketAt || timeS >= part.bucketAt + bucketSeconds) {
      part = this.#part(group, timeS - (timeS % bucketSeconds))
    }
    if (!isServed(line)) {
      part.failedRequests++
      return true
    }
    const hit = line.cache === cacheHit ? line.bytes : 0
    const miss = line.cache === cacheMiss ? line.bytes : 0
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
      session = this.#begin(group, timeS)
      part.downloads++
    }
    if (timeS > session.endedAt) session.endedAt = timeS
    else if (timeS < session.startedAt) session.startedAt = timeS
    session.hitBytes += hit
    session.missBytes += miss
    session.requests++
    this.#touch(session, line)
    if (hit + miss > 0) {
      const { tag, title } = group
      if (hit > 0) part.hits++
      else part.misses++
      if (tag.platform === 'delta' && title.key !== '') {
        this.#hostTitles.note(line, buffer, title)
      }
      // Its objects are sampled under their own tags.
      if (tag !== otherTag) this.#sample(session, line)
      this.#speeds.add(group, timeS, hit, miss)
      lane.reuse?.note(line, buffer, group.isPrefill)
    }
    return true
  }

  /** Call before the read buffer is reused: copies the texts still needed from it. */
  endChunk(buffer: Uint8Array): void {
    for (const session of this.#touched) {
      const { urlFrom: from, urlTo: to, urlEscape: escape } = session
      session.lastUrl = shownUrl(targetText({ target: { from, to }, escape }, buffer))
    }
    for (const { session, entry, firstByte, from, to, escape } of this.#unread) {
      if (entry[0] === droppedHash) continue
      entry[1] = objectKey(buffer, { target: { from, to }, escape }, firstByte)
      if (!session.isClosed) this.#sampledCharacters += entry[1].length
    }
    this.#touched = []
    this.#unread = []
    this.#chunk++
  }

  /** Closes ended downloads and returns everything that changed. Call between chunks. */
  gather(): Gathered {
    for (const lane of this.#lanes.values()) {
      if (Math.abs(lane.lastS - lane.sweptS) >= sweepSeconds) this.#sweep(lane)
    }
    if (this.#isHoldingTooMuch(1)) {
      this.#note('openDownloads', maxOpenDownloads, '')
      this.#closeOldest()
    }
    const gathered = this.#gathered
    gathered.hostTitles = this.#hostTitles.take()
    gathered.dayNames = this.#dayNames.take()
    this.#gathered = nothingSince(gathered.lastId)
    for (const { group, part } of gathered.traffic) {
      group.traffic = null
      if (!group.isPrefill && part.hits + part.misses > 0) countReuse(group.lane, part)
    }
    for (const session of gathered.sessions) session.isDirty = false
    if (this.#groupCount > maxGroups) this.#dropGroups()
    return gathered
  }

  /** Clears the interned names. Call between batches. */
  forgetNames(reader: LineReader): void {
    this.#dropGroups()
    reader.forget()
  }

  #groupOf(lane: Lane, line: Line): Group {
    const { client, timeS } = line
    const tag = isOfDay(line.tag, timeS) ? line.tag : this.#dayNames.tag(line.tag, dayOf(timeS))
    const isPrefill =
      line.isPrefill ||
      client.isPrefill ||
      (client.runs !== null && isOfRun(client.runs, tag, timeS))
    // Of a service beyond the day's limit, titles do not count.
    const named = tag.platform === null ? noTitle : line.title
    const title = isOfDay(named, timeS) ? named : this.#dayNames.title(named, dayOf(timeS))
    const recent = this.#recent[client.index]
    if (
      recent !== undefined &&
      recent.client === client &&
      recent.title === title &&
      recent.tag === tag &&
      recent.lane === lane &&
      recent.isPrefill === isPrefill
    ) {
      return recent
    }
    const titles = lane.groups.getOrInsertComputed(client, () => new Map<Title, Group[]>())
    const groups = titles.getOrInsertComputed(title, () => [])
    let group = groups.find((one) => one.tag === tag && one.isPrefill === isPrefill)
    if (group === undefined) {
      group = { lane, client, tag, title, isPrefill, session: null, traffic: null }
      const key = sessionKey(client.address, tag.text, title.key, isPrefill)
      const session = lane.sessions.get(key) ?? null
      if (session !== null) session.group = group
      group.session = session
      groups.push(group)
      this.#groupCount++
    }
    this.#recent[client.index] = group
    return group
  }

  #part(group: Group, bucketAt: number): TrafficPart {
    const counts = { hitBytes: 0, missBytes: 0, requests: 0, failedRequests: 0, downloads: 0 }
    const served = { hits: 0, misses: 0 }
    // Failed requests leave the bounds as they are here: no served one is outside of its bucket.
    const part = {
      bucketAt,
      ...counts,
      ...served,
      firstAt: bucketAt + bucketSeconds,
      lastAt: bucketAt,
    }
    group.traffic = part
    this.#gathered.traffic.push({ group, part })
    return part
  }

  #begin(group: Group, timeS: number): Session {
    const { lane, client, tag, title, isPrefill } = group
    const key = sessionKey(client.address, tag.text, title.key, isPrefill)
    // Another group of the same key may have opened one after the names were cleared.
    const before = lane.sessions.get(key)
    if (before !== undefined) this.#close(lane, key, before)
    const id = firstFreeId(this.#gathered.lastId, Date.now(), this.#slot)
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
      chunk: 0,
      urlFrom: 0,
      urlTo: 0,
      urlEscape: escapeHex,
      group,
    }
    lane.sessions.set(key, session)
    group.session = session
    this.#openCount++
    return session
  }

  #touch(session: Session, line: Line): void {
    session.urlFrom = line.target.from
    session.urlTo = line.target.to
    session.urlEscape = line.escape
    if (session.chunk === this.#chunk) return
    session.chunk = this.#chunk
    this.#touched.push(session)
    if (!session.isDirty) session.revision++
    this.#markDirty(session)
  }

  #markDirty(session: Session): void {
    if (session.isDirty) return
    session.isDirty = true
    this.#gathered.sessions.push(session)
  }

  #sample(session: Session, line: Line): void {
    const { sample } = session
    const { objectHash: hash, firstByte } = line
    if (sample.length === maxObjectKeys && hash >= (sample[maxObjectKeys - 1]?.[0] ?? 0)) return
    const added = addToSample(sample, hash)
    if (added === null) return
    const { entry, displaced } = added
    if (displaced !== null) {
      displaced[0] = droppedHash
      this.#sampledCharacters -= displaced[1].length
    }
    const { from, to } = line.target
    this.#unread.push({ session, entry, firstByte, from, to, escape: line.escape })
  }

  #isHoldingTooMuch(share: number): boolean {
    return (
      this.#openCount > maxOpenDownloads * share ||
      this.#sampledCharacters > maxSampledCharacters * share
    )
  }

  #close(lane: Lane, key: string, session: Session): void {
    lane.sessions.delete(key)
    session.isClosed = true
    // A group far outlives its downloads: it must not keep their samples.
    if (session.group?.session === session) session.group.session = null
    session.group = null
    this.#sampledCharacters -= charactersOf(session)
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
    for (const { lane, key, session } of all) {
      if (!this.#isHoldingTooMuch(keptShare)) return
      this.#close(lane, key, session)
    }
  }

  #dropGroups(): void {
    for (const lane of this.#lanes.values()) {
      for (const session of lane.sessions.values()) session.group = null
      lane.groups = new Map()
    }
    this.#recent = []
    this.#groupCount = 0
  }
}

function countReuse({ reuse }: Lane, { hitBytes, missBytes, hits, misses, firstAt }: TrafficPart) {
  reuse?.count(firstAt, { bytes: hitBytes + missBytes, requests: hits + misses, hitBytes, hits })
}

const charactersOf = ({ sample }: Session): number =>
  sample.reduce((sum, [, key]) => sum + key.length, 0)
