import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { openClient, type HistoryTarget } from '../../db/history/connect.ts'
import { createHistory } from '../../db/history/create.ts'
import { createEmbedded, embeddedPort, socketDirectory } from '../../db/history/embedded.ts'
import type { Server } from '../../db/history/embedded/server.ts'
import { bootstrapName } from '../../db/history/embedded/service-role.ts'
import type { History, HistoryState } from '../../db/history/history.ts'
import { migrateHistory } from '../../db/history/migrate.ts'
import { readConfig } from '../../src/core/config.ts'
import { cleanups } from './cleanup.ts'
import { quietLog } from './quiet-log.ts'

const folderPrefix = 'larder-pg-'
const templateName = 'template_history'

// Tests may lose their data when the machine crashes.
const fastSettings = 'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n'

/** The service's usual role; tests create databases and roles as the superuser. */
const tester = 'tester'
const accessRules = (administrator: string) =>
  `local all ${administrator} trust\nlocal all all scram-sha-256\n`

interface TestServer {
  root: string
  server: Server
  admin: Sql
  target: (database: string) => HistoryTarget
}

let running: Promise<TestServer> | null = null
let databases = 0

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function killServer(root: string): void {
  try {
    const file = readFileSync(join(root, 'data', 'postgres', 'postmaster.pid'), 'utf8')
    const pid = Number(file.split('\n')[0])
    if (Number.isInteger(pid) && pid > 1 && isServerOf(pid, root)) process.kill(pid, 'SIGQUIT')
  } catch {
    // The server is gone already.
  }
  rmSync(root, { recursive: true, force: true })
}

const isServerOf = (pid: number, root: string) =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(root)

/** Servers of test processes that were killed before their cleanup. */
function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(folderPrefix) ? Number(name.split('-')[2]) : Number.NaN
    if (Number.isInteger(owner) && !isAlive(owner)) killServer(join(tmpdir(), name))
  }
}

/** The server applies new rules shortly after the reload. */
async function untilReached(target: HistoryTarget): Promise<Sql> {
  for (;;) {
    const client = openTestClient(target)
    const isThere = await client`select 1`.then(
      () => true,
      () => false,
    )
    if (isThere) return client
    await client.end({ timeout: 0 })
    await Bun.sleep(5)
  }
}

async function boot(): Promise<TestServer> {
  sweepLeftovers()
  const root = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  // As root, the server runs under another account, which must have access.
  chmodSync(root, 0o755)
  // `bun test` runs the cleanups, a plain script (bench) the exit handler.
  process.on('exit', () => killServer(root))
  const dataPath = join(root, 'data')
  const config = readConfig({ DATA_PATH: dataPath, POSTGRES_USER: tester })
  const embedded = createEmbedded(config, quietLog)
  const server = await embedded.start(new AbortController().signal, () => {})
  const administrator = bootstrapName(tester)
  writeFileSync(join(dataPath, 'postgres', 'custom.conf'), fastSettings, { mode: 0o644 })
  writeFileSync(join(dataPath, 'postgres', 'pg_hba.conf'), accessRules(administrator))
  process.kill(server.pid, 'SIGHUP')
  const target = (database: string) => ({
    host: socketDirectory(dataPath),
    port: embeddedPort,
    database,
    ...embedded.role(),
  })
  const admin = await untilReached({ ...target('postgres'), user: administrator })
  cleanups.push(async () => {
    await admin.end({ timeout: 0 })
    await server.stop()
    rmSync(root, { recursive: true, force: true })
  })
  await admin`create database ${admin(templateName)} owner ${admin(tester)}`
  const template = openTestClient(target(templateName))
  await migrateHistory(template)
  await template.end()
  return { root, server, admin, target }
}

/** The one server of this test process. */
export const testServer = () => (running ??= boot())

/** A client with one connection, for inspecting tables and bulk loading. Close it. */
export const openTestClient = (target: HistoryTarget) =>
  openClient(target, { name: 'test', connections: 1, statementTimeoutMs: 0, isReader: true })

/** A migrated, empty database of its own on the server of this process. */
export async function freshDatabase(): Promise<HistoryTarget> {
  const { admin, target } = await testServer()
  const name = `history_${++databases}`
  await admin`
    create database ${admin(name)} template ${admin(templateName)} owner ${admin(tester)}`
  return target(name)
}

/** Resolves when the history reaches the state; rejects with its message after the time limit. */
export async function untilState(history: History, state: HistoryState, limitMs = 15_000) {
  const started = Date.now()
  while (history.status().state !== state) {
    if (Date.now() - started > limitMs) {
      const status = history.status()
      throw new Error(`history is ${status.state}, not ${state}: ${status.message ?? 'no message'}`)
    }
    await Bun.sleep(5)
  }
}

/**
 * A started history on a migrated database of its own: call it once per test file and stop it in
 * `afterAll`. `connection()` leads to the same database, for example for `seedHistory`.
 */
export async function freshHistory(): Promise<History> {
  const target = await freshDatabase()
  const config = readConfig({
    POSTGRES_MODE: 'external',
    POSTGRES_HOST: target.host,
    POSTGRES_PORT: String(target.port),
    POSTGRES_DB: target.database,
    POSTGRES_USER: target.user,
    POSTGRES_PASSWORD: target.password,
  })
  const history = createHistory(config, quietLog)
  history.start()
  await untilState(history, 'ready')
  return history
}
