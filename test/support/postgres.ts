import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { openClient, type HistoryTarget } from '../../db/history/connect.ts'
import { createHistory } from '../../db/history/create.ts'
import { readCredentials } from '../../db/history/credentials.ts'
import { createEmbedded, embeddedPort, socketDirectory } from '../../db/history/embedded.ts'
import { bootstrapName } from '../../db/history/embedded/service-role.ts'
import type { History, HistoryState } from '../../db/history/history.ts'
import { migrateHistory } from '../../db/history/migrate.ts'
import { readConfig } from '../../src/core/config.ts'
import { atEnd, cleanups } from './cleanup.ts'
import { eventually } from './eventually.ts'
import { quietLog } from './quiet-log.ts'

const folderPrefix = 'larder-pg-'
const templateName = 'template_history'

// Tests may lose their data when the machine crashes; several test processes share one server.
const testSettings = `fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 100
`

/** The service's usual role; tests create databases and roles as the superuser. */
const tester = 'tester'
const administrator = bootstrapName(tester)
const accessRules = `local all ${administrator} trust\nlocal all all scram-sha-256\n`

/** Names the folder of a server that `shareTestServer` started in another process. */
const sharedServer = 'LARDER_TEST_POSTGRES'

interface TestServer {
  admin: Sql
  target: (database: string) => HistoryTarget
}

let running: Promise<TestServer> | null = null
const databases: string[] = []

export const isAlive = (pid: number): boolean => {
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

/** Starts a server with a migrated database to copy; returns its folder and how to stop it. */
async function boot(): Promise<{ root: string; stop: () => Promise<void> }> {
  sweepLeftovers()
  const root = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  // As root, the server runs under another account, which must have access.
  chmodSync(root, 0o755)
  // `bun test` runs the cleanups, a plain script the exit handler.
  process.on('exit', () => killServer(root))
  const dataPath = join(root, 'data')
  const embedded = createEmbedded(
    readConfig({ DATA_PATH: dataPath, POSTGRES_USER: tester }),
    quietLog,
  )
  const start = () => embedded.start(new AbortController().signal, () => {})
  await (await start()).stop()
  writeFileSync(join(dataPath, 'postgres', 'custom.conf'), testSettings, { mode: 0o644 })
  const server = await start()
  // Rewritten at every start, so these rules are applied to the running server.
  writeFileSync(join(dataPath, 'postgres', 'pg_hba.conf'), accessRules)
  process.kill(server.pid, 'SIGHUP')
  const { admin, target } = connect(root)
  const isReached = () =>
    admin`select 1`.then(
      () => true,
      () => false,
    )
  await eventually(isReached, 'the rules are applied')
  await admin`create database ${admin(templateName)} owner ${admin(tester)}`
  await admin.end()
  const template = openTestClient(target(templateName))
  await migrateHistory(template)
  await template.end()
  const stop = async () => {
    await server.stop()
    rmSync(root, { recursive: true, force: true })
  }
  return { root, stop }
}

function connect(root: string): TestServer {
  const dataPath = join(root, 'data')
  const credentials = readCredentials(dataPath)
  if (credentials === null) throw new Error(`no server below ${root}`)
  const { username: user, password } = credentials
  const place = { host: socketDirectory(dataPath), port: embeddedPort, password }
  const target = (database: string) => ({ ...place, database, user })
  return { admin: openTestClient({ ...target('postgres'), user: administrator }), target }
}

async function joinServer(): Promise<TestServer> {
  const shared = process.env[sharedServer]
  const own = shared === undefined ? await boot() : null
  const server = connect(own?.root ?? shared ?? '')
  cleanups.push(async () => {
    running = null
    for (const name of own === null ? databases : [])
      await server.admin`drop database if exists ${server.admin(name)} with (force)`
    await server.admin.end({ timeout: 0 })
    await own?.stop()
  })
  return server
}

/** Starts the server for all test processes that this one starts; returns how to stop it. */
export async function shareTestServer(): Promise<() => Promise<void>> {
  const { root, stop } = await boot()
  process.env[sharedServer] = root
  return stop
}

/** The server of this test process, or the one that it shares with others. */
export const testServer = () => (running ??= joinServer())

/** A client with one connection, for inspecting tables and bulk loading; closed at the file's end. */
export function openTestClient(target: HistoryTarget): Sql {
  const options = { name: 'test', connections: 1, statementTimeoutMs: 0, isReader: true }
  const client = openClient(target, options)
  atEnd(() => client.end())
  return client
}

async function createDatabase(template: string): Promise<HistoryTarget> {
  const { admin, target } = await testServer()
  const name = `history_${crypto.randomUUID().replaceAll('-', '')}`
  databases.push(name)
  // Through the log, which is the default, a copy takes four times as long.
  await admin`create database ${admin(name)} owner ${admin(tester)}
    template ${admin(template)} strategy file_copy`
  return target(name)
}

/** A migrated, empty database of its own. */
export const freshDatabase = (): Promise<HistoryTarget> => createDatabase(templateName)

/**
 * A copy of a migrated database that `fill` has filled, once for all test files on the server; files
 * that give the same name have to give the same content. It closes its connections to the database.
 */
export async function filledDatabase(
  name: string,
  fill: (target: HistoryTarget) => Promise<void>,
): Promise<HistoryTarget> {
  const { admin } = await testServer()
  await admin`select pg_advisory_lock(1)`
  try {
    const known = await admin`select from pg_database where datname = ${name}`
    if (known.length === 0) {
      const { database, ...place } = await freshDatabase()
      await fill({ ...place, database })
      // Complete when it has its name, also where the process that fills it is killed.
      await admin`alter database ${admin(database)} rename to ${admin(name)}`
    }
  } finally {
    await admin`select pg_advisory_unlock(1)`
  }
  return createDatabase(name)
}

/** The same without any table. */
export const emptyDatabase = (): Promise<HistoryTarget> => createDatabase('template0')

/** Resolves when the history reaches the state; rejects with its message after the time limit. */
export async function untilState(history: History, state: HistoryState, limitMs = 30_000) {
  const isReached = () => history.status().state === state
  await eventually(isReached, `the history is ${state}`, limitMs).catch((error: unknown) => {
    const status = history.status()
    throw new Error(`history is ${status.state}, not ${state}: ${status.message ?? 'no message'}`, {
      cause: error,
    })
  })
}

/** How a service is told to use the database. */
export const environmentOf = (target: HistoryTarget) => ({
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: target.host,
  POSTGRES_PORT: String(target.port),
  POSTGRES_DB: target.database,
  POSTGRES_USER: target.user,
  POSTGRES_PASSWORD: target.password,
})

/**
 * A started history on a database of its own, empty by default, stopped after the file's last test:
 * call it once per file. `connection()` leads to the same database, for example for `seedHistory`.
 */
export async function freshHistory(database = freshDatabase()): Promise<History> {
  const target = await database
  const history = createHistory(readConfig(environmentOf(target)), quietLog)
  atEnd(() => history.stop())
  history.start()
  await untilState(history, 'ready')
  return history
}
