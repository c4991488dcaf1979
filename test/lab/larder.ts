import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openClient, type HistoryTarget } from '../../db/history/connect.ts'
import { readCredentials } from '../../db/history/credentials.ts'
import { embeddedPort, socketDirectory } from '../../db/history/embedded.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { cleanups } from '../support/cleanup.ts'
import type { CountTable } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { copyReadyHistory } from '../support/ready-history.ts'
import { freePort } from './free-port.ts'
import { builtService } from '../support/program.ts'

export interface LabSource {
  name: string
  logPath: string
}

export interface LarderOptions {
  /** Data folder; created when missing, kept when the process ends. */
  dataPath: string
  sources: LabSource[]
  cachePath: string
  environment?: Record<string, string>
  /** Its script, if not this one. */
  program?: string
}

export const labAccount = { username: 'lab', password: 'Laboratory-2026' }
const startTimeoutMs = 60_000

function environmentOf(options: LarderOptions, port: number): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/',
    TZ: 'UTC',
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_PATH: options.dataPath,
    LOG_LEVEL: 'info',
    // Unattended: reading does not wait for the set-up. Empty: it does.
    LogProcessing__StartAt: 'beginning',
  }
  for (const [index, { name, logPath }] of options.sources.entries()) {
    const prefix = `LanCache__DataSources__${index}__`
    environment[`${prefix}Name`] = name
    environment[`${prefix}LogPath`] = logPath
    environment[`${prefix}CachePath`] = options.cachePath
  }
  return { ...environment, ...options.environment }
}

/** The service as a process of its own, so that it can be killed. */
export class Larder {
  readonly url: string
  readonly dataPath: string
  readonly #process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  #output = ''

  private constructor(options: LarderOptions, port: number) {
    mkdirSync(options.dataPath, { recursive: true })
    const { POSTGRES_MODE: mode = 'embedded' } = options.environment ?? {}
    if (mode === 'embedded') copyReadyHistory(options.dataPath)
    this.url = `http://127.0.0.1:${port}`
    this.dataPath = options.dataPath
    this.#process = Bun.spawn([process.execPath, options.program ?? builtService], {
      env: environmentOf(options, port),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    // A test that fails midway must not leave a service running.
    cleanups.push(async () => void (await this.stop()))
    void this.#collect(this.#process.stdout)
    void this.#collect(this.#process.stderr)
  }

  /** Resolves when `/health` responds. Without a port it gets a free one. */
  static async start(options: LarderOptions, port?: number): Promise<Larder> {
    const larder = new Larder(options, port ?? (await freePort()))
    const isUp = async () => {
      if (larder.#process.exitCode !== null) throw new Error(`ended at once:\n${larder.#output}`)
      return await fetch(`${larder.url}/health`).then(
        ({ status }) => status === 200,
        () => false,
      )
    }
    await eventually(isUp, 'the service answers', startTimeoutMs)
    return larder
  }

  /** The same with its folders below the root, and an empty log where there is none. */
  static startIn(root: string, environment: Record<string, string> = {}): Promise<Larder> {
    const logPath = join(root, 'logs')
    mkdirSync(logPath, { recursive: true })
    writeFileSync(join(logPath, 'access.log'), '', { flag: 'a' })
    const sources = [{ name: 'default', logPath }]
    const folders = { dataPath: join(root, 'data'), cachePath: join(root, 'cache') }
    return Larder.start({ ...folders, sources, environment })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Its log output so far. */
  get output(): string {
    return this.#output
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Kills like a power cut; the private Postgres survives, as it would. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.exited
  }

  /** Returns the exit code. */
  async stop(): Promise<number> {
    if (this.isRunning) this.#process.kill('SIGTERM')
    return await this.#process.exited
  }

  async firstSignIn(): Promise<Visitor> {
    const visitor = new Visitor(this.url)
    await visitor.setUp(installationKey(this.dataPath), labAccount)
    return visitor
  }

  /** Process id of the private Postgres, or null while there is none. */
  postgresPid(): number | null {
    const file = join(this.dataPath, 'postgres', 'postmaster.pid')
    if (!existsSync(file)) return null
    return Number(readFileSync(file, 'utf8').split('\n')[0])
  }

  /** All-time totals of one datasource as committed in SQLite. */
  committed(datasource: string): CountTable {
    const path = join(this.dataPath, 'hot.sqlite')
    if (!existsSync(path)) return {}
    using db = new Database(path, { readonly: true })
    // After a kill the next opener replays the write-ahead log, which locks the file briefly.
    db.run('PRAGMA busy_timeout = 10000')
    // A new file may not have its tables yet.
    const table = "select 1 from sqlite_master where type = 'table' and name = 'counter'"
    if (db.query(table).get() === null) return {}
    const rows = db
      .query<Row, [string]>(
        `select service, client, hit_bytes as hitBytes, miss_bytes as missBytes, requests
         from counter where datasource = ?`,
      )
      .all(datasource)
    return tableOf(rows)
  }

  /** Connection to the private Postgres. Throws before its first start. */
  historyTarget(): HistoryTarget {
    const credentials = readCredentials(this.dataPath)
    if (credentials === null) throw new Error('the history was never started')
    return {
      host: socketDirectory(this.dataPath),
      port: embeddedPort,
      database: 'larder',
      user: credentials.username,
      password: credentials.password,
    }
  }

  /** The same totals from the history. */
  async shipped(datasource: string): Promise<CountTable> {
    const sql = openClient(this.historyTarget(), {
      name: 'lab',
      connections: 1,
      statementTimeoutMs: 0,
    })
    try {
      const rows = await sql<Row[]>`
        select service, client, sum(hit_bytes)::float8 as "hitBytes",
               sum(miss_bytes)::float8 as "missBytes", sum(requests)::float8 as requests
        from (
          select service, client, hit_bytes, miss_bytes, requests from traffic
          where datasource = ${datasource}
          union all
          select service, client, 0, 0, requests from failed_requests
          where datasource = ${datasource} and span_seconds = 300
        ) as rows group by service, client`
      return tableOf(rows)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const block of stream) this.#output += decoder.decode(block, { stream: true })
  }
}

interface Row {
  service: string
  client: string
  hitBytes: number
  missBytes: number
  requests: number
}

const tableOf = (rows: readonly Row[]): CountTable =>
  Object.fromEntries(rows.map(({ service, client, ...counts }) => [`${service} ${client}`, counts]))
