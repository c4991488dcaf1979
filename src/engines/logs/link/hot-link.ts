import type { Database } from 'bun:sqlite'
import { historyLinkKey } from '../../../../db/hot/schema.ts'
import type { BatchLink, PositionChange } from '../../shipper/contract.ts'
import type { HistoryPositions, Link } from '../../shipper/link.ts'
import type { StartAt } from '../ingest-config.ts'
import { hashObject, type SampledKey } from '../lines/object-keys.ts'

/** Where newly discovered files start, unless the configuration decides. */
const startKey = 'start_at'
/** `yes`: what is skipped there was not counted, and may be read later. */
const remembersKey = 'remembers_start'
/** On a new installation `yes` until reading begins, then `no`. */
export const awaitsKey = 'awaits_setup'
/** A file that is being replaced: valid only for this folder at this moment. */
const momentaryKeys = [historyLinkKey, startKey, remembersKey, awaitsKey, 'replacing']

/** Of one kind in a batch: they are in memory several times while it is sent. */
export const maxChanges = 5000

const tables = { member: 'log_member', skipped: 'log_skipped', open: 'open_download' } as const
type Kind = keyof typeof tables
const kinds = ['member', 'skipped', 'open'] as const satisfies Kind[]

interface Column {
  name: string
  type: string
}

interface Facts {
  meta: { key: string; value: string }[]
  lineCounts: Record<string, string | number>[]
}

/** The sample of an open download, rebuilt from the keys in the history. */
function sampleOf(keys: string[]): SampledKey[] {
  const sample = keys.map((key): SampledKey => {
    const blank = key.indexOf(' ')
    const path = Buffer.from(key.slice(blank + 1))
    const firstByte = Number(key.slice(0, blank))
    return [hashObject(path, { from: 0, to: path.length }, firstByte), key]
  })
  return sample.sort(([a], [b]) => a - b)
}

/**
 * `hot.sqlite`'s side of the link with the history: the last batch that the history acknowledged,
 * and the positions that belong to the next one.
 */
export class HotLink {
  readonly #database: Database
  readonly #columns: Record<Kind, Column[]>
  readonly #changes: Record<Kind, ReturnType<Database['prepare']>>
  /** Last download at the last `takeChanges`: the history has none of the later ones as open. */
  #takenTo = Infinity

  constructor(database: Database) {
    this.#database = database
    const columnsOf = (kind: Kind) =>
      database.query(`PRAGMA table_info(${tables[kind]})`).all() as Column[]
    this.#columns = {
      member: columnsOf('member'),
      skipped: columnsOf('skipped'),
      // The history keeps the sampled objects separately from the download.
      open: columnsOf('open').filter(({ name }) => name !== 'sample'),
    }
    const changesOf = (kind: Kind) => {
      const members = this.#columns[kind].map(({ name, type }) => {
        const value = type.toLowerCase() === 'blob' ? `hex(kept."${name}")` : `kept."${name}"`
        return `'${name}', ${value}`
      })
      return database.prepare(`SELECT '${kind}' AS kind, change.id,
        CASE WHEN kept.id IS NULL THEN NULL ELSE json_object(${members.join(', ')}) END AS fields
        FROM position_change change LEFT JOIN ${tables[kind]} kept ON kept.id = change.id
        WHERE change.kind = '${kind}' AND (kept.id IS NOT NULL OR change.id <= ?)
        ORDER BY change.id LIMIT ${maxChanges}`)
    }
    this.#changes = {
      member: changesOf('member'),
      skipped: changesOf('skipped'),
      open: changesOf('open'),
    }
  }

  /** Null: this file was never linked to a history. */
  link(): Link | null {
    const text = this.#meta(historyLinkKey)
    // Written below.
    return text === null ? null : (JSON.parse(text) as Link)
  }

  save(link: Link): void {
    this.#setMeta(historyLinkKey, JSON.stringify(link))
  }

  /** Number of the newest sealed batch. */
  lastSeq(): number {
    const row = this.#database.query('SELECT max(seq) AS seq FROM sealed_batch').get()
    return (row as { seq: number | null }).seq ?? this.link()?.seq ?? 0
  }

  batchIdAt(seq: number): string | null {
    const link = this.link()
    if (link?.seq === seq) return link.batchId
    const row = this.#database.query('SELECT batch_id AS id FROM sealed_batch WHERE seq = ?')
    return (row.get(seq) as { id: string } | null)?.id ?? null
  }

  hasChanges(): boolean {
    return this.#database.query('SELECT 1 FROM position_change LIMIT 1').get() !== null
  }

  /**
   * Changes since the last call, at most `maxChanges` of each kind, without downloads that began and
   * ended in between: in a backlog, these are most of them. Call inside the transaction that seals a
   * batch.
   */
  takeChanges(): NonNullable<BatchLink['positions']> {
    const changes = kinds.flatMap((kind) => {
      const taken = this.#changes[kind].all(
        kind === 'open' ? this.#takenTo : Infinity,
      ) as PositionChange[]
      const last = taken.length < maxChanges ? undefined : taken.at(-1)
      const done = 'DELETE FROM position_change WHERE kind = ? AND id <= ?'
      this.#database.run(done, [kind, last?.id ?? Infinity])
      return taken
    })
    // No open download of the history is later, even if this transaction fails.
    this.#takenTo = Number(this.#meta('last_download_id') ?? 0)
    const marks = momentaryKeys.map(() => '?').join(', ')
    const meta = this.#database.query(`SELECT key, value FROM meta WHERE key NOT IN (${marks})`)
    const facts = {
      meta: meta.all(...momentaryKeys),
      lineCounts: this.#database.query('SELECT * FROM log_counter').all(),
    }
    return { facts: JSON.stringify(facts), changes, isPartial: this.hasChanges() }
  }

  /** Continues with another history, or an empty one, which gets every position again. */
  continueWith(link: Link): void {
    this.#database.transaction(() => {
      this.#database.run('UPDATE sealed_batch SET positions = NULL')
      for (const kind of kinds) {
        this.#database.run(`INSERT INTO position_change (kind, id)
          SELECT '${kind}', id FROM ${tables[kind]} WHERE true ON CONFLICT DO NOTHING`)
      }
      this.save(link)
    })()
  }

  /**
   * Discards everything read, and starts each log file at `startAt`. `isEmpty`: the history has
   * nothing of what is skipped there.
   */
  beginAnew(link: Link, { startAt, isEmpty }: { startAt: StartAt; isEmpty: boolean }): void {
    this.#database.transaction(() => {
      this.#clear()
      this.save(link)
      this.#setMeta(startKey, startAt)
      if (isEmpty) this.#setMeta(remembersKey, 'yes')
    })()
  }

  /** Whether skipped beginnings of files may be read later: not if they may have been counted. */
  remembersStart(): boolean {
    return this.startAt() === null || this.#meta(remembersKey) === 'yes'
  }

  /** Null: as configured. */
  startAt(): StartAt | null {
    const value = this.#meta(startKey)
    return value === 'beginning' || value === 'end' ? value : null
  }

  /** Discards everything read here and continues at the history's positions. */
  takeOver({ link, facts, rows, samples, counters }: HistoryPositions): void {
    const database = this.#database
    database.transaction(() => {
      this.#clear()
      for (const { kind, fields } of rows) this.#insert(kind, fields, samples)
      // Written by `takeChanges`.
      const { meta, lineCounts } = JSON.parse(facts ?? '{"meta":[],"lineCounts":[]}') as Facts
      for (const { key, value } of meta) this.#setMeta(key, value)
      for (const row of lineCounts) this.#add('log_counter', row)
      for (const row of counters) {
        const { hitBytes: hit_bytes, missBytes: miss_bytes, ...rest } = row
        this.#add('counter', { ...rest, hit_bytes, miss_bytes })
      }
      // The history has all of them.
      database.run('DELETE FROM position_change')
      this.#takenTo = Infinity
      this.save(link)
    })()
  }

  #insert(kind: Kind, fields: string, samples: HistoryPositions['samples']): void {
    // Written by `takeChanges`, perhaps by another version: unknown columns are ignored.
    const stored = JSON.parse(fields) as Record<string, string | number | null>
    const row: Record<string, string | number | null | Uint8Array> = {}
    for (const { name, type } of this.#columns[kind]) {
      const value = stored[name]
      if (value === undefined) continue
      row[name] = type.toLowerCase() === 'blob' ? Buffer.from(String(value), 'hex') : value
    }
    if (kind === 'open') {
      row['sample'] = JSON.stringify(sampleOf(samples.get(Number(stored['id'])) ?? []))
    }
    this.#add(tables[kind], row)
  }

  #add(table: string, row: Record<string, string | number | null | Uint8Array>): void {
    const names = Object.keys(row)
    const marks = names.map(() => '?').join(', ')
    const columns = names.map((name) => `"${name}"`).join(', ')
    const insert = this.#database.query(`INSERT INTO ${table} (${columns}) VALUES (${marks})`)
    insert.run(...Object.values(row))
  }

  #clear(): void {
    for (const table of [
      'log_skipped',
      'log_member',
      'open_download',
      'download_outbox',
      'traffic_outbox',
      'sealed_batch',
      'quarantine',
      'position_change',
      'counter',
      'log_counter',
      'reuse_sample',
      'reuse_change',
    ]) {
      this.#database.run(`DELETE FROM ${table}`)
    }
    // Ids of downloads must keep increasing.
    this.#database.run("DELETE FROM meta WHERE key <> 'last_download_id'")
  }

  #meta(key: string): string | null {
    const row = this.#database.query('SELECT value FROM meta WHERE key = ?').get(key)
    return (row as { value: string } | null)?.value ?? null
  }

  #setMeta(key: string, value: string): void {
    this.#database.run(
      `INSERT INTO meta (key, value) VALUES (?, ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [key, value],
    )
  }
}
