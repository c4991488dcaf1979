/** A log with its log engine and history, whose files tests delete or restore. */
import type { Database } from 'bun:sqlite'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.ts'
import { filesOf } from '../../db/damage.ts'
import type { HistoryTarget } from '../../db/history/connect.ts'
import { openHot } from '../../db/hot/open.ts'
import { EngineLoop } from '../../src/engines/logs/engine-loop.ts'
import { HistoryLinkCheck } from '../../src/engines/logs/link/history-link-check.ts'
import type { MismatchChoice } from '../../src/engines/logs/wire.ts'
import type { Outbox } from '../../src/engines/shipper/contract.ts'
import { createShipper, type Shipper } from '../../src/engines/shipper/shipper.ts'
import { logLine, firstSecond } from './log-lines.ts'
import { openTestClient } from './postgres.ts'

const quiet = { info: () => {}, warn: () => {} }

export interface Totals {
  hit: number
  miss: number
  requests: number
}

interface Run {
  database: Database
  loop: EngineLoop
  keeper: HistoryLinkCheck
  shipper: Shipper
}

export class HistoryLinkFixture {
  readonly folder = tempFolder('link')
  /** The log's totals, counted without the engine's code. */
  readonly expected: Totals = { hit: 0, miss: 0, requests: 0 }
  /** A client downloads one depot at a time, without a gap. */
  readonly expectedDownloads = new Set<string>()
  target: HistoryTarget
  installation = 'this-installation'
  startAt: 'beginning' | 'end' = 'beginning'
  /** Batches that were committed and acknowledged since the last start. */
  shipped = 0
  /** The stores were compared since the last start and belong together. */
  isLinked = false
  #lines = 0
  #run: Run | null = null

  constructor(target: HistoryTarget) {
    this.target = target
    mkdirSync(join(this.folder, 'logs'))
  }

  get hotPath(): string {
    return join(this.folder, 'hot.sqlite')
  }

  /** Requests of 23 clients; every client downloads another depot each 500 seconds. */
  write(lines: number): void {
    let text = ''
    for (const end = this.#lines + lines; this.#lines < end; this.#lines++) {
      const index = this.#lines
      const cache = index % 3 === 0 ? 'MISS' : 'HIT'
      const bytes = (index * 7919) % 100_003
      const depot = 731 + (Math.floor(index / 2000) % 50)
      const path = `/depot/${depot}/chunk/${'ab'.repeat(19)}${index}`
      const at = firstSecond + Math.floor(index / 4)
      text += logLine({ at, client: `10.0.0.${index % 23}`, cache, bytes, path, tag: 'steam' })
      this.expectedDownloads.add(`${index % 23} ${Math.floor(index / 2000)}`)
      this.expected.requests++
      this.expected[cache === 'HIT' ? 'hit' : 'miss'] += bytes
    }
    appendFileSync(join(this.folder, 'logs', 'access.log'), text)
  }

  /**
   * `onSent` is called when a batch may be in flight: the files on disk must then stay as they are.
   */
  start(onSent: () => void = () => {}): void {
    const database = openHot(this.folder)
    const logPath = join(this.folder, 'logs')
    const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
    const config = {
      datasources: [source],
      ingest: { startAt: this.startAt, pollMs: 20, outboxMaxMb: 512 },
    }
    let shipper: Shipper | null = null
    const events = { speeds() {}, reopenWanted() {}, committed: () => shipper?.kick() }
    const loop = new EngineLoop(database, { config, log: quiet, events })
    const keeper = new HistoryLinkCheck(loop, {
      installation: this.installation,
      canEmpty: true,
      log: quiet,
    })
    const real = loop.ingest.outbox
    const outbox: Outbox = {
      next() {
        const batch = real.next()
        if (batch !== null) onSent()
        return batch
      },
      acknowledge: (batch) => {
        real.acknowledge(batch)
        this.shipped++
      },
    }
    shipper = createShipper({
      outbox,
      quarantine: real.quarantine,
      check: async (history) => {
        await keeper.check(history)
        this.isLinked = true
      },
      log() {},
      onShipped() {},
    })
    this.shipped = 0
    this.isLinked = false
    this.#run = { database, loop, keeper, shipper }
    loop.start()
    shipper.connect(this.target)
  }

  get running(): Run {
    if (this.#run === null) throw new Error('the engine does not run')
    return this.#run
  }

  async stop(): Promise<void> {
    if (this.#run === null) return
    const { shipper, loop, database } = this.#run
    this.#run = null
    await shipper.stop()
    await loop.stop()
    database.close()
  }

  async choose(choice: MismatchChoice): Promise<void> {
    const { keeper, shipper } = this.running
    await keeper.choose(choice, () => shipper.connect(this.target))
  }

  /** Copies the current files. */
  copyHot(name: string): void {
    for (const file of filesOf(this.hotPath).slice(0, 2)) {
      const copy = this.#copyOf(name, file)
      if (existsSync(file)) copyFileSync(file, copy)
      else rmSync(copy, { force: true })
    }
  }

  /** Null: the lost files are not replaced. */
  replaceHot(name: string | null): void {
    for (const file of filesOf(this.hotPath)) {
      rmSync(file, { force: true })
      const copy = this.#copyOf(name ?? 'nothing', file)
      if (name !== null && existsSync(copy)) copyFileSync(copy, file)
    }
  }

  #copyOf = (name: string, file: string) => file.replace('hot.sqlite', `${name}.copy`)

  async downloadCount(): Promise<number> {
    const sql = openTestClient(this.target)
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from downloads`
    await sql.end()
    return row?.count ?? 0
  }

  /** Sums of the history by table. */
  async totals() {
    const sql = openTestClient(this.target)
    const sums = `sum(hit_bytes)::float8 as hit, sum(miss_bytes)::float8 as miss,
      sum(requests)::float8 as requests`
    const of = async (table: string): Promise<Totals | undefined> =>
      (await sql.unsafe<Totals[]>(`select ${sums} from ${table}`))[0]
    try {
      return {
        traffic: await of('traffic'),
        day: await of('traffic_day'),
        downloads: await of('downloads'),
      }
    } finally {
      await sql.end()
    }
  }

  counted(): Totals {
    const sums = 'sum(hit_bytes) AS hit, sum(miss_bytes) AS miss, sum(requests) AS requests'
    return this.running.database.query(`SELECT ${sums} FROM counter`).get() as Totals
  }
}
