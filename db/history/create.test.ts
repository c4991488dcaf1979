import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql as raw } from 'drizzle-orm'
import { addMigration } from '../../test/support/add-migration.ts'
import { eventually } from '../../test/support/eventually.ts'
import { readConfig } from '../../src/core/config.ts'
import {
  freshDatabase,
  freshHistory,
  openTestClient,
  testServer,
  untilState,
} from '../../test/support/postgres.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { copyReadyHistory } from '../../test/support/ready-history.ts'
import { slowness } from '../../test/support/slowness.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createHistory } from './create.ts'
import { runningServer } from './embedded/orphan.ts'
import { HistoryUnavailable, type History } from './history.ts'
import { knownMigrations } from '../migrations.ts'
import { migrateHistory, migrationsFolder } from './migrate.ts'
import { downloads } from './schema.ts'

const folder = tempFolder('history')
// As root, the server runs under another account, which must have access.
chmodSync(folder, 0o755)
const started: History[] = []
let count = 0

afterEach(async () => {
  for (const history of started.splice(0)) await history.stop()
})

const freshPath = () => join(folder, `data-${++count}`)

/** With a server that was set up before, where the whole run shares one. */
function usedPath(): string {
  const path = freshPath()
  copyReadyHistory(path)
  return path
}

function historyAt(dataPath: string, environment: Record<string, string> = {}): History {
  const config = readConfig({ DATA_PATH: dataPath, ...environment })
  const history = createHistory(config, quietLog)
  started.push(history)
  return history
}

const dataDirectory = (dataPath: string) => join(dataPath, 'postgres')

const countDownloads = (history: History) =>
  history.read(async (db) => {
    const [row] = await db.select({ total: raw<number>`count(*)::int` }).from(downloads)
    return row?.total
  })

const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('embedded', () => {
  test('first start, stop, later start: one state after the other, no leftovers', async () => {
    const path = freshPath()
    const history = historyAt(path)
    const states: string[] = []
    history.onStatus((status) => states.push(status.state))
    expect(history.status().state).toBe('stopped')
    expect(await failureOf(countDownloads(history))).toBeInstanceOf(HistoryUnavailable)
    history.start()
    await untilState(history, 'ready')
    expect(states).toEqual(['starting', 'initialising', 'migrating', 'ready'])
    expect(await countDownloads(history)).toBe(0)
    const [collation] = await history.read((_db, sql) => {
      return sql`select datcollate, pg_encoding_to_char(encoding) as encoding
        from pg_database where datname = current_database()`
    })
    expect({ ...collation }).toEqual({ datcollate: 'C', encoding: 'UTF8' })
    const pid = runningServer(dataDirectory(path))
    expect(pid).not.toBeNull()
    await history.stop()
    expect(history.status().state).toBe('stopped')
    expect(existsSync(`/proc/${pid}`)).toBe(false)
    expect(await failureOf(countDownloads(history))).toBeInstanceOf(HistoryUnavailable)

    const later = historyAt(path)
    const begun = performance.now()
    later.start()
    await untilState(later, 'ready')
    expect(performance.now() - begun).toBeLessThan(2000 * slowness)
    expect(await countDownloads(later)).toBe(0)
  })

  test('files are closed to others and the server never runs as root', async () => {
    const path = usedPath()
    const history = historyAt(path)
    history.start()
    await untilState(history, 'ready')
    const mode = (name: string) => (statSync(join(path, name)).mode & 0o777).toString(8)
    expect(mode('config/postgres-credentials.json')).toBe('600')
    expect(mode('config')).toBe('700')
    expect(mode('postgres')).toBe('700')
    expect(mode('run')).toBe('700')
    const status = readFileSync(`/proc/${runningServer(dataDirectory(path))}/status`, 'utf8')
    const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
    expect(uid).toBe(process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? -1))
    const environment = readFileSync(`/proc/${runningServer(dataDirectory(path))}/environ`, 'utf8')
    const names = environment.split('\0').map((line) => line.split('=')[0])
    expect(new Set(names)).toEqual(new Set(['LC_ALL', 'PATH', 'TZ', '']))
  })

  test('a killed server is noticed, reported and restarted', async () => {
    const path = usedPath()
    const history = historyAt(path)
    history.start()
    await untilState(history, 'ready')
    const first = runningServer(dataDirectory(path))
    const states: string[] = []
    history.onStatus((status) => states.push(`${status.state}: ${status.message}`))
    process.kill(first ?? 0, 'SIGKILL')
    await untilState(history, 'unavailable', 3000)
    expect(await failureOf(countDownloads(history))).toBeInstanceOf(HistoryUnavailable)
    await untilState(history, 'ready')
    expect(states.length).toBe(2)
    expect(states[0]).toContain('ended unexpectedly')
    expect(runningServer(dataDirectory(path))).not.toBe(first)
    expect(await countDownloads(history)).toBe(0)
  })

  test('a server whose parent was killed is stopped and replaced', async () => {
    const path = usedPath()
    const script = join(import.meta.dir, '../../test/support/postgres-parent.ts')
    const parent = Bun.spawn([process.execPath, script, path], { stdout: 'pipe' })
    let said = ''
    for await (const chunk of parent.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('ready')) break
    }
    // While the parent lives, its server is not touched.
    const second = historyAt(path)
    second.start()
    await untilState(second, 'unavailable')
    expect(second.status().message).toContain('Another instance')
    const orphan = runningServer(dataDirectory(path))
    expect(orphan).not.toBeNull()
    parent.kill('SIGKILL')
    await parent.exited
    await untilState(second, 'ready')
    expect(runningServer(dataDirectory(path))).not.toBe(orphan)
    await second.stop()
    expect(runningServer(dataDirectory(path))).toBeNull()
  })

  test('lost or wrong credentials are repaired, and a password of the environment is set', async () => {
    const path = usedPath()
    const history = historyAt(path)
    history.start()
    await untilState(history, 'ready')
    await history.stop()
    const file = join(path, 'config', 'postgres-credentials.json')
    rmSync(file)
    const second = historyAt(path)
    second.start()
    await untilState(second, 'ready')
    await second.stop()
    writeFileSync(file, JSON.stringify({ username: 'larder', password: 'not the password' }))
    // As earlier versions left it.
    chmodSync(dirname(file), 0o755)
    const third = historyAt(path)
    third.start()
    await untilState(third, 'ready')
    await third.stop()
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    const fourth = historyAt(path, { POSTGRES_PASSWORD: "it's \\ mine" })
    fourth.start()
    await untilState(fourth, 'ready')
    expect(fourth.connection().password).toBe("it's \\ mine")
  })

  test('refuses a data directory of another major version, with a way out', async () => {
    const path = freshPath()
    mkdirSync(dataDirectory(path), { recursive: true })
    writeFileSync(join(dataDirectory(path), 'PG_VERSION'), '15\n')
    const history = historyAt(path)
    history.start()
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain('written by Postgres 15')
  })

  test.each(['PG_VERSION', 'global/pg_control'])(
    'refuses a data directory without %s, with a way out, and leaves it unchanged',
    async (file) => {
      const path = usedPath()
      const first = historyAt(path)
      first.start()
      await untilState(first, 'ready')
      await first.stop()
      rmSync(join(dataDirectory(path), file))
      const names = readdirSync(dataDirectory(path))
      const second = historyAt(path)
      second.start()
      await untilState(second, 'unavailable')
      const { message } = second.status()
      expect(message).toContain(`has no file ${file}`)
      expect(message).toContain('Restore the whole folder from a backup')
      expect(readdirSync(dataDirectory(path))).toEqual(names)
      await second.stop()
    },
  )

  test('a long data path gets its socket elsewhere', async () => {
    const path = join(folder, 'a'.repeat(100))
    copyReadyHistory(path)
    const history = historyAt(path)
    history.start()
    await untilState(history, 'ready')
    expect(history.connection().host.startsWith(tmpdir())).toBe(true)
    expect(history.connection().host.length).toBeLessThan(90)
    rmSync(history.connection().host, { recursive: true })
  })

  test.if(process.getuid?.() === 0)('a user without a name is told what to do', async () => {
    const history = historyAt(freshPath(), { PUID: '54321' })
    history.start()
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain('/etc/passwd')
  })

  test.if(process.getuid?.() === 0)('below a directory that only root may enter', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const history = historyAt(join(closed, 'data'))
    history.start()
    const isDecided = () => ['ready', 'unavailable'].includes(history.status().state)
    await eventually(isDecided, 'the history starts or is refused')
    // Where user namespaces are forbidden, the message must say what to do.
    const { state, message } = history.status()
    expect(state === 'ready' || message?.includes(`may not enter ${closed}`)).toBe(true)
  })
})

describe('external', () => {
  async function external(change: Record<string, string> = {}) {
    const target = await freshDatabase()
    return historyAt(freshPath(), {
      POSTGRES_MODE: 'external',
      POSTGRES_HOST: target.host,
      POSTGRES_DB: target.database,
      POSTGRES_USER: target.user,
      POSTGRES_PASSWORD: target.password,
      ...change,
    })
  }

  const cases: [string, Record<string, string>, string][] = [
    ['wrong password', { POSTGRES_PASSWORD: 'pass-not-right' }, 'refused the user "tester"'],
    ['missing database', { POSTGRES_DB: 'nowhere' }, 'no database "nowhere"'],
    ['nobody listens', { POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: '1' }, 'does not accept'],
    ['unknown name', { POSTGRES_HOST: 'no-such-host.invalid' }, 'cannot be resolved'],
    ['no host', { POSTGRES_HOST: '' }, 'POSTGRES_HOST is missing'],
  ]
  test.each(cases)('%s: reports it without secrets', async (_name, change, text) => {
    const history = await external(change)
    history.start()
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain(text)
    expect(JSON.stringify(history.status())).not.toContain('pass-not-right')
    expect(history.status().mode).toBe('external')
  })

  test('a role that may not create tables gets a message with the required privilege', async () => {
    const { admin, target } = await testServer()
    await admin`create role visitor login password 'visitor-pass'`
    await admin`create database guarded`
    const history = await external({
      POSTGRES_DB: 'guarded',
      POSTGRES_USER: 'visitor',
      POSTGRES_PASSWORD: 'visitor-pass',
    })
    history.start()
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain('ALTER DATABASE "guarded" OWNER TO "visitor"')
    await admin`alter database guarded owner to visitor`
    await untilState(history, 'ready')
    expect(target('guarded').database).toBe('guarded')
  })

  test('a stop cancels a hanging attempt', async () => {
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const environment = { POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: String(silent.port) }
    const history = await external(environment)
    history.start()
    await untilState(history, 'starting')
    await history.stop()
    expect(history.status().state).toBe('stopped')
  })
})

describe('read', () => {
  test('rethrows our own faults, and turns outages and timeouts into a refusal', async () => {
    const history = await freshHistory()
    started.push(history)
    const bug = await failureOf(history.read((_db, sql) => sql`select nothing from nowhere`))
    expect(bug).toBeInstanceOf(Error)
    expect(bug).not.toBeInstanceOf(HistoryUnavailable)
    const late = await failureOf(
      history.read((_db, sql) =>
        sql.begin(async (transaction) => {
          await transaction`set local statement_timeout = 20`
          await transaction`select pg_sleep(5)`
        }),
      ),
    )
    expect(late).toBeInstanceOf(HistoryUnavailable)
    expect(String(late)).toContain('did not answer within')
    const cut = await failureOf(
      history.read((_db, sql) => sql`select pg_terminate_backend(pg_backend_pid())`),
    )
    expect(cut).toBeInstanceOf(HistoryUnavailable)
    // A read at the moment of the check may get the closed connection, too.
    await eventually(
      async () => (await failureOf(countDownloads(history))) === 0,
      'reads are answered again',
    )
  })
})

describe('migrations', () => {
  test('refuses a database of a newer version', async () => {
    const sql = openTestClient(await freshDatabase())
    await sql`insert into __drizzle_migrations (hash, created_at)
      values ('later', 99999999999999)`
    expect(String(await failureOf(migrateHistory(sql)))).toContain('newer version')
  })

  test('notices a migration that the migrator silently skips', async () => {
    const copy = join(folder, 'skipped')
    cpSync(join(import.meta.dir, 'migrations'), copy, { recursive: true })
    addMigration(copy, 'late', 'CREATE TABLE "late" ("id" integer);', -1000)
    const sql = openTestClient(await freshDatabase())
    expect(String(await failureOf(migrateHistory(sql, copy)))).toContain('left out')
  })

  test('a history that lacks migrations of before the first release is refused', async () => {
    const sql = openTestClient(await freshDatabase())
    const [known = 0] = knownMigrations(migrationsFolder)
    await sql`insert into __drizzle_migrations (hash, created_at) values ('earlier', ${known - 1})`
    await migrateHistory(sql)
    await sql`delete from __drizzle_migrations where created_at >= ${known}`
    expect(String(await failureOf(migrateHistory(sql)))).toContain('before the first release')
  })

  test('triggers are replaced when their file has changed, and only then', async () => {
    const sql = openTestClient(await freshDatabase())
    const triggers = async () =>
      Array.from(
        await sql<{ oid: number; name: string }[]>`
          select oid::int, tgname as name from pg_trigger
          where not tgisinternal and tgparentid = 0 order by tgname`,
      )
    const before = await triggers()
    expect(before.length).toBeGreaterThan(30)
    await migrateHistory(sql)
    expect(await triggers()).toEqual(before)

    await sql`comment on function report_truncate() is 'earlier'`
    await sql`drop trigger client_day_insert on client_service_day`
    await sql.unsafe(`create trigger old after insert on client_service_day referencing new table as new_rows
      for each statement execute function report_fold_client_day()`)
    await migrateHistory(sql)
    const after = await triggers()
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
    expect(after).not.toEqual(before)
  })

  test('two instances that start at once migrate one after the other', async () => {
    const { admin, target } = await testServer()
    await admin`create database contested owner tester`
    const clients = [openTestClient(target('contested')), openTestClient(target('contested'))]
    await Promise.all(clients.map((client) => migrateHistory(client)))
  })
})
