import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory } from '../../db/history/create.ts'
import { probeServer } from '../../db/history/credential-change.ts'
import type { History } from '../../db/history/history.ts'
import { readConfig } from '../../src/core/config.ts'
import { cursorOver } from '../../src/downloads/export/cursor.ts'
import { copyHistory } from '../support/copy-history.ts'
import { eventually } from '../support/eventually.ts'
import { HistoryLinkFixture } from '../support/history-link-fixture.ts'
import { openTestClient, untilState } from '../support/postgres.ts'
import { quietLog } from '../support/quiet-log.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { issueCertificate, type Issued } from './certificates.ts'
import { DebianPostgres } from './debian-postgres.ts'
import { startPgbouncer } from './pgbouncer.ts'

const folder = tempFolder('ways')
const lodger = { user: 'lodger', password: 'lodger-Secret-26' }
let server: DebianPostgres
let issued: Issued

const running: History[] = []
afterEach(async () => {
  for (const history of running.splice(0)) await history.stop()
})

function historyAt(environment: Record<string, string>): History {
  const settings = { POSTGRES_MODE: 'external', POSTGRES_HOST: 'localhost', ...environment }
  const history = createHistory(
    readConfig({
      POSTGRES_PORT: String(server.port),
      POSTGRES_PASSWORD: server.password,
      ...settings,
    }),
    quietLog,
  )
  running.push(history)
  history.start()
  return history
}

beforeAll(async () => {
  issued = issueCertificate(folder, 'localhost')
  // Postgres refuses a key that others can read, and one of another owner.
  chmodSync(issued.key, 0o600)
  if (process.getuid?.() === 0) chownSync(issued.key, 65_534, 65_534)
  chmodSync(folder, 0o755)
  const files = [`ssl_cert_file=${issued.certificate}`, `ssl_key_file=${issued.key}`]
  server = await DebianPostgres.create(['ssl=on', ...files])
  server.execute(`create role lodger login password '${lodger.password}'`)
  server.execute('create schema lodging authorization lodger')
})

describe('TLS', () => {
  const verified = { POSTGRES_SSLMODE: 'verify-full' }

  test('verify-full connects to the host that the certificate names', async () => {
    const trusted = { ...verified, POSTGRES_SSLROOTCERT: issued.authority }
    const history = historyAt({ ...trusted, POSTGRES_SCHEMA: 'over_tls' })
    await untilState(history, 'ready')
    const [row] = await history.read(
      (_db, sql) => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`,
    )
    expect(row).toEqual({ ssl: true })
    const direct = openTestClient(history.connection())
    expect(await direct`select 1`).toHaveLength(1)
    await direct.end()
  })

  test.each([
    ['another name', () => ({ POSTGRES_HOST: '127.0.0.1' }), 'is for another host name'],
    [
      'another authority',
      () => {
        const other = join(folder, 'other')
        mkdirSync(other, { recursive: true })
        return { POSTGRES_SSLROOTCERT: issueCertificate(other, 'localhost').authority }
      },
      'is not from a trusted authority: set POSTGRES_SSLROOTCERT',
    ],
  ])('verify-full refuses %s and says why', async (_name, change, text) => {
    const trusted = { ...verified, POSTGRES_SSLROOTCERT: issued.authority }
    const history = historyAt({ ...trusted, ...change() })
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain(text)
  })

  test('a server without TLS is refused where it is required', async () => {
    const { port } = await startPgbouncer(server.port, [])
    const history = historyAt({ POSTGRES_SSLMODE: 'require', POSTGRES_PORT: String(port) })
    await untilState(history, 'unavailable')
    expect(history.status().message).toContain('does not offer TLS')
  })

  test('a file that holds no certificate stops the start', () => {
    const path = join(folder, 'empty')
    writeFileSync(path, 'nothing')
    for (const file of [path, '/nowhere/ca.pem']) {
      expect(() => readConfig({ POSTGRES_SSLROOTCERT: file })).toThrow('POSTGRES_SSLROOTCERT')
    }
  })
})

test('a role that is no superuser, with its password in a file, and a schema of its own', async () => {
  const file = join(folder, 'password')
  writeFileSync(file, `${lodger.password}\n`)
  const settings = {
    POSTGRES_USER: lodger.user,
    POSTGRES_PASSWORD: '',
    POSTGRES_PASSWORD_FILE: file,
  }
  const refused = historyAt({ ...settings, POSTGRES_SCHEMA: 'elsewhere' })
  await untilState(refused, 'unavailable')
  expect(refused.status().message).toContain('CREATE SCHEMA "elsewhere" AUTHORIZATION "lodger"')
  const history = historyAt({ ...settings, POSTGRES_SCHEMA: 'lodging' })
  await untilState(history, 'ready')
  const [role] = await history.read(
    (_db, sql) =>
      sql`select rolsuper, current_user as name from pg_roles where rolname = current_user`,
  )
  expect(role).toEqual({ rolsuper: false, name: 'lodger' })
})

// Poolers differ in what they do with settings of a session: refuse the client, or drop them.
const dropped =
  'statement_timeout, search_path, enable_bitmapscan, enable_mergejoin, plan_cache_mode, ' +
  'max_parallel_workers_per_gather'
test.each([
  ['refuses', []],
  ['drops', [`ignore_startup_parameters = ${dropped}`]],
])('behind a pooler in transaction mode that %s settings', async (name, lines) => {
  const account = { user: 'larder', password: server.password }
  const { port } = await startPgbouncer(server.port, [account], lines)
  const at = (schema: string) => historyAt({ POSTGRES_PORT: String(port), POSTGRES_SCHEMA: schema })
  const histories = [at(`one_${name}`), at(`two_${name}`)]
  for (const history of histories) await untilState(history, 'ready')
  const [one, two] = histories.map((history) => new HistoryLinkFixture(history.connection()))
  if (one === undefined || two === undefined) throw new Error('two sites were made')
  expect(one.target.isPooled).toBe(true)

  // Two sites take turns on the same two connections of the server.
  one.write(2500)
  two.write(1300)
  for (const site of [one, two]) site.start()
  for (const site of [one, two]) {
    const isThere = async () => Bun.deepEquals((await site.totals()).traffic, site.expected)
    await eventually(isThere, 'the log is in the history')
    await site.stop()
    for (const sum of Object.values(await site.totals())) expect(sum).toEqual(site.expected)
    expect(await site.downloadCount()).toBe(site.expectedDownloads.size)
  }

  const settings = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (histories[index % 2] as History).read(async (_db, sql) => {
        const [row] = await sql`
          select current_schema() as schema, current_setting('statement_timeout') as limit,
            current_setting('enable_bitmapscan') as bitmaps, ${index}::int as index`
        return row
      }),
    ),
  )
  expect(settings).toEqual(
    settings.map((_row, index) => ({
      schema: index % 2 === 0 ? `one_${name}` : `two_${name}`,
      limit: '15s',
      bitmaps: 'off',
      index,
    })),
  )

  const { pages } = cursorOver<{ id: string }>(
    one.target,
    (sql) => sql`select id from downloads`,
    10,
  )
  const ids = new Set<string>()
  for await (const page of pages) for (const { id } of page) ids.add(id)
  expect(ids.size).toBe(one.expectedDownloads.size)

  const sql = openTestClient(two.target)
  await copyHistory(one.target, sql)
  await sql.end()
  expect(await two.totals()).toEqual(await one.totals())
  await probeServer(one.target)
})
