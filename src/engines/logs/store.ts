import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { columnsOf } from '../../../db/columns.ts'
import { downloadOutbox, logMember, logSkipped, openDownload } from '../../../db/hot/schema.ts'
import type { Gathered } from './downloads/gathered.ts'
import { escapeHex } from './lines/line.ts'
import { otherService } from './lines/service-label.ts'
import { bytesPerHash, packHashes } from '../titles/object-titles.ts'
import type { DayName } from './downloads/day-names.ts'
import type { HostTitles } from './downloads/host-titles.ts'
import type { Member, Skipped } from './files/member.ts'
import type { StoredSample } from './reuse/sampler.ts'
import { lineCountNames, type LineCounts } from './lines/outcome.ts'
import type { SampledKey } from './lines/object-keys.ts'
import type { Session } from './downloads/session.ts'

export interface Commit {
  members: Iterable<Member>
  skipped: Iterable<Skipped>
  counts: { datasource: string; stem: string; counts: LineCounts }[]
  gathered: Gathered
  /** Time of day, stored with the rows. */
  nowMs: number
}

/** Objects in a row of their title, and rows that are kept; the oldest are dropped first. */
const objectsPerRow = 1024
const maxObjectRows = 1000
/** Services in an answer; the rest is merged. Forged host names can create any number of them. */
const maxServices = 2000

const sums = (names: readonly string[]) =>
  names.map((name) => `${name} = ${name} + excluded.${name}`)
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface Named {
  key: string
  name: string
  isFlag: boolean
}

const named = (columns: readonly Named[]) => columns.map(({ name }) => `"${name}"`)
const marks = (columns: readonly unknown[]) => columns.map(() => '?').join(', ')
export const selected = (columns: readonly Named[]) =>
  columns.map(({ key, name }) => `"${name}" AS ${key}`).join(', ')

/** Values of a row for the placeholders of its columns. */
const valuesOf = <Row>(row: Row, columns: readonly { key: keyof Row; isFlag: boolean }[]) =>
  // Property types match their columns; flags are numbers in SQLite.
  columns.map(({ key, isFlag }) => (isFlag ? Number(row[key]) : row[key]) as SQLQueryBindings)

const memberColumns = columnsOf(logMember, ['id'])
/** What changes of a member. */
const memberState = columnsOf(logMember, ['id', 'stem'])
const skippedColumns = columnsOf(logSkipped, ['id'])
/** Columns that an open download shares with its state in the outbox. */
const sessionColumns = columnsOf(downloadOutbox, ['objectKeys', 'batchId', 'queuedAtMs'])
const sessionNames = named(sessionColumns).join(', ')
const sessionMarks = marks(sessionColumns)
const sessionUpdates = [
  'started_at',
  'ended_at',
  'hit_bytes',
  'miss_bytes',
  'requests',
  'last_url',
  'revision',
].map((name) => `${name} = excluded.${name}`)
const queueInto = `INSERT INTO download_outbox
  (${sessionNames}, object_keys, batch_id, queued_at_ms)`
const replaceQueued = `ON CONFLICT (id) DO UPDATE SET ${sessionUpdates.join(', ')},
  object_keys = excluded.object_keys, batch_id = excluded.batch_id`
const countColumns = lineCountNames.map(snake)
/** Columns that identify a traffic row within its batch. */
export const trafficKey = 'bucket_at, datasource, service, client, title_key, is_prefill'
/** Columns of a waiting traffic row that later reads add to. */
export const trafficSums = ['hit_bytes', 'miss_bytes', 'requests', 'failed_requests', 'downloads']

const sql = {
  saveMember: `UPDATE log_member SET ${named(memberState)
    .map((name) => `${name} = ?`)
    .join(', ')} WHERE id = ?`,
  addMember: `INSERT INTO log_member (${named(memberColumns).join(', ')})
    VALUES (${marks(memberColumns)}) RETURNING id`,
  saveSkipped: `UPDATE log_skipped SET from_byte = ?, lines = ?, is_wanted = ?,
    is_inside_long_line = ? WHERE id = ?`,
  dropSkipped: 'DELETE FROM log_skipped WHERE id = ?',
  addSkipped: `INSERT INTO log_skipped (${named(skippedColumns).join(', ')})
    VALUES (${marks(skippedColumns)}) RETURNING id`,
  open: `INSERT INTO open_download (${sessionNames}, lane, sample) VALUES (${sessionMarks}, ?, ?)
    ON CONFLICT (id) DO UPDATE SET ${sessionUpdates.join(', ')}, sample = excluded.sample`,
  close: 'DELETE FROM open_download WHERE id = ?',
  // A state that was handed over is not sent again: the history may have deleted it on purpose.
  queue: `${queueInto} SELECT ${sessionMarks}, ?, '', ? WHERE NOT EXISTS
    (SELECT 1 FROM open_download WHERE id = ? AND queued_revision = ?) ${replaceQueued}`,
  traffic: `INSERT INTO traffic_outbox (batch_id, bucket_at, datasource, service, client,
    title_key, is_prefill, hit_bytes, miss_bytes, requests, failed_requests, downloads, first_at,
    last_at, queued_at_ms) VALUES ('', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ${sums(trafficSums).join(', ')},
      first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  takeObjects: `DELETE FROM object_title WHERE id =
    (SELECT max(id) FROM object_title WHERE title_key = ?) RETURNING object_hashes AS hashes`,
  addObjects: 'INSERT INTO object_title (title_key, object_hashes) VALUES (?, ?)',
  dropObjects: `DELETE FROM object_title WHERE id IN (SELECT id FROM object_title ORDER BY id
    LIMIT max(0, (SELECT count(*) FROM object_title) - ${maxObjectRows}))`,
  counter: `INSERT INTO counter (datasource, service, client, hit_bytes, miss_bytes, requests)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ${sums(['hit_bytes', 'miss_bytes', 'requests']).join(', ')}`,
  lines: `INSERT INTO log_counter (datasource, stem, ${countColumns.join(', ')})
    VALUES (?, ?, ${countColumns.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${sums(countColumns).join(', ')}`,
  dayName: 'INSERT OR IGNORE INTO day_name (day, kind, name) VALUES (?, ?, ?)',
  sample: `INSERT INTO reuse_sample (datasource, state) VALUES (?, ?)
    ON CONFLICT (datasource) DO UPDATE SET state = excluded.state`,
  sampleChanges: 'INSERT INTO reuse_change (datasource, changes) VALUES (?, ?)',
  dropSampleChanges: 'DELETE FROM reuse_change WHERE datasource = ?',
  meta: `INSERT INTO meta (key, value) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
} as const

/** Open downloads that changed since their last state in the outbox, the first `max`. */
const unsent = (max: number) => `
  SELECT change.id FROM position_change change JOIN open_download kept ON kept.id = change.id
  WHERE change.kind = 'open' AND kept.revision <> kept.queued_revision
  ORDER BY change.id LIMIT ${max}`

/** Statements that put their states into a batch. Parameters of the first: the batch, the time. */
export const queueOpen = (max: number) => ({
  states: `${queueInto}
    SELECT ${sessionNames}, (SELECT json_group_array(json(value -> 1)) FROM json_each(sample)), ?, ?
    FROM open_download WHERE id IN (${unsent(max)}) ${replaceQueued}`,
  mark: `UPDATE open_download SET queued_revision = revision WHERE id IN (${unsent(max)})`,
})

const lastIdKey = 'last_download_id'

/** The log engine's rows of `hot.sqlite`. Everything is synchronous. */
export class LogStore {
  readonly database: Database
  readonly #statements

  constructor(database: Database) {
    this.database = database
    this.#statements = Object.fromEntries(
      Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]),
    ) as Record<keyof typeof sql, ReturnType<Database['prepare']>>
  }

  /** Positions and everything read up to them, in one transaction. */
  commit(commit: Commit): void {
    this.database.transaction(() => this.#write(commit))()
  }

  #write({ members, skipped, counts, gathered, nowMs }: Commit): void {
    const statements = this.#statements
    for (const member of members) this.saveMember(member)
    for (const range of skipped) this.saveSkipped(range)
    for (const { datasource, stem, counts: lines } of counts) {
      statements.lines.run(datasource, stem, ...lineCountNames.map((name) => lines[name]))
    }
    this.#writeTraffic(gathered, nowMs)
    this.#writeHostTitles(gathered.hostTitles)
    for (const { day, kind, name } of gathered.dayNames) statements.dayName.run(day, kind, name)
    for (const session of gathered.sessions) this.#saveSession(session, nowMs)
    for (const { datasource, isWhole, numbers } of gathered.samples) {
      if (isWhole) statements.dropSampleChanges.run(datasource)
      statements[isWhole ? 'sample' : 'sampleChanges'].run(datasource, numbers)
    }
    statements.meta.run(lastIdKey, String(gathered.lastId))
  }

  /** Fills up the last row of each title. */
  #writeHostTitles(found: HostTitles): void {
    if (found.size === 0) return
    const { takeObjects, addObjects, dropObjects } = this.#statements
    for (const [titleKey, hashes] of found) {
      const last = takeObjects.get(titleKey) as { hashes: Uint8Array } | null
      const all = Buffer.concat([last?.hashes ?? new Uint8Array(), packHashes(hashes)])
      const step = objectsPerRow * bytesPerHash
      for (let at = 0; at < all.length; at += step)
        addObjects.run(titleKey, all.subarray(at, at + step))
    }
    dropObjects.run()
  }

  saveMember(member: Member): void {
    this.#statements.saveMember.run(...valuesOf(member, memberState), member.id)
  }

  saveSkipped(range: Skipped): void {
    if (range.fromByte >= range.toByte) {
      this.#statements.dropSkipped.run(range.id)
      return
    }
    const isWanted = range.isWanted ? 1 : 0
    const isInside = range.isInsideLongLine ? 1 : 0
    this.#statements.saveSkipped.run(range.fromByte, range.lines, isWanted, isInside, range.id)
  }

  /** An open download reaches the outbox when a batch is sealed. */
  #saveSession(session: Session, nowMs: number): void {
    const { open, queue, close } = this.#statements
    const fields = valuesOf(session, sessionColumns)
    if (!session.isClosed) {
      open.run(...fields, session.lane, JSON.stringify(session.sample))
      return
    }
    const keys = JSON.stringify(session.sample.map(([, key]) => key))
    queue.run(...fields, keys, nowMs, session.id, session.revision)
    close.run(session.id)
  }

  #writeTraffic({ traffic }: Gathered, nowMs: number): void {
    const counters = new Map<string, [string, string, string, number, number, number]>()
    for (const { group, part } of traffic) {
      const { lane, client, tag, title } = group
      this.#statements.traffic.run(
        part.bucketAt,
        lane.datasource,
        tag.service,
        client.address,
        title.key,
        group.isPrefill ? 1 : 0,
        part.hitBytes,
        part.missBytes,
        part.requests,
        part.failedRequests,
        part.downloads,
        part.firstAt,
        part.lastAt,
        nowMs,
      )
      const key = `${lane.datasource}\n${tag.service}\n${client.address}`
      const counter = counters.get(key)
      if (counter === undefined) {
        const { hitBytes, missBytes, requests, failedRequests } = part
        const names = [lane.datasource, tag.service, client.address] as const
        counters.set(key, [...names, hitBytes, missBytes, requests + failedRequests])
        continue
      }
      counter[3] += part.hitBytes
      counter[4] += part.missBytes
      counter[5] += part.requests + part.failedRequests
    }
    for (const counter of counters.values()) this.#statements.counter.run(...counter)
  }

  /** Inserts a new member and sets its id. */
  addMember(member: Omit<Member, 'id'>): Member {
    const fields = valuesOf(member, memberColumns)
    const row = this.#statements.addMember.get(...fields) as { id: number }
    return { ...member, id: row.id }
  }

  addSkipped(range: Omit<Skipped, 'id'>): Skipped {
    const fields = valuesOf(range, skippedColumns)
    const row = this.#statements.addSkipped.get(...fields) as { id: number }
    return { ...range, id: row.id }
  }

  members(): Member[] {
    return this.#rows('log_member', columnsOf(logMember))
  }

  skipped(): Skipped[] {
    return this.#rows('log_skipped', columnsOf(logSkipped))
  }

  /** Written by this class, in the schema's types. */
  #rows<Row>(table: string, columns: readonly Named[]): Row[] {
    const rows = this.database.query(`SELECT ${selected(columns)} FROM ${table} ORDER BY id`).all()
    const valueOf = (value: unknown, isFlag: boolean) => (isFlag ? value === 1 : value)
    return (rows as Record<string, unknown>[]).map(
      (row) =>
        Object.fromEntries(
          columns.map(({ key, isFlag }) => [key, valueOf(row[key], isFlag)]),
        ) as Row,
    )
  }

  openSessions(): Session[] {
    type Stored = Omit<(typeof openDownload)['$inferSelect'], 'sample'> & { sample: string }
    return this.#rows<Stored>('open_download', columnsOf(openDownload)).map((row) => ({
      ...row,
      sample: JSON.parse(row.sample) as SampledKey[],
      isDirty: false,
      isClosed: false,
      chunk: 0,
      urlFrom: 0,
      urlTo: 0,
      urlEscape: escapeHex,
      group: null,
    }))
  }

  /** Each state before its changes. */
  reuseSamples(): StoredSample[] {
    const query = `SELECT datasource, state AS numbers, 0 AS place FROM reuse_sample
      UNION ALL SELECT datasource, changes, id FROM reuse_change ORDER BY place`
    const rows = this.database.query(query).all() as (StoredSample & { place: number })[]
    return rows.map(({ place, ...part }) => ({ ...part, isWhole: place === 0 }))
  }

  dayNames(day: number): DayName[] {
    const query = 'SELECT day, kind, name FROM day_name WHERE day = ?'
    return this.database.query(query).all(day) as DayName[]
  }

  meta(key: string): string | null {
    const row = this.database.query('SELECT value FROM meta WHERE key = ?').get(key)
    return (row as { value: string } | null)?.value ?? null
  }

  setMeta(key: string, value: string): void {
    this.#statements.meta.run(key, value)
  }

  lastDownloadId(): number {
    return Number(this.meta(lastIdKey) ?? 0)
  }

  lineCounts(): ({ datasource: string; stem: string } & LineCounts)[] {
    const names = lineCountNames.map((name) => `${snake(name)} AS ${name}`).join(', ')
    const query = `SELECT datasource, stem, ${names} FROM log_counter ORDER BY datasource, stem`
    return this.database.query(query).all() as ({ datasource: string; stem: string } & LineCounts)[]
  }

  requestsByService(): { datasource: string; service: string; requests: number }[] {
    const query = `SELECT datasource, iif(place <= ${maxServices}, service, '${otherService}')
        AS service, sum(requests) AS requests
      FROM (SELECT datasource, service, sum(requests) AS requests,
        row_number() OVER (ORDER BY sum(requests) DESC) AS place
        FROM counter GROUP BY datasource, service)
      GROUP BY 1, 2 ORDER BY 3 DESC`
    return this.database.query(query).all() as {
      datasource: string
      service: string
      requests: number
    }[]
  }
}
