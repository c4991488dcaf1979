import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryState } from '../../db/history/history.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { addMigration } from '../support/add-migration.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase, openTestClient } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { labAccount, Larder, type LarderOptions } from './larder.ts'
import { LogWriter } from './log-writer.ts'

const project = join(import.meta.dir, '../..')
const root = tempFolder('update')
const logPath = join(root, 'logs')
const dataPath = join(root, 'data')

/** The program with one more migration of the history. */
function laterProgram(): string {
  const program = join(root, 'program')
  for (const name of ['dist/service', 'db'])
    cpSync(join(project, name), join(program, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(program, 'node_modules'))
  const migrations = join(program, 'db/history/migrations')
  addMigration(migrations, 'later', 'alter table "titles" add column "later" integer')
  return join(program, 'dist/service/main.js')
}

interface Status {
  history: { state: HistoryState }
  ingest: { state: string; mismatch: unknown }
}

async function visit(larder: Larder): Promise<Visitor> {
  const visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(dataPath), labAccount)
  return visitor
}

const until = (visitor: Visitor, state: HistoryState) =>
  eventually(
    async () => (await visitor.read<Status>('/api/ext/status')).history.state === state,
    `the history is ${state}`,
  )

const requests = (larder: Larder) =>
  Object.values(larder.committed('main')).reduce((sum, row) => sum + row.requests, 0)

test('a service that updates its history answers and reads; a kill repeats the step', async () => {
  mkdirSync(logPath)
  const target = await freshDatabase()
  const environment = {
    POSTGRES_MODE: 'external',
    POSTGRES_HOST: target.host,
    POSTGRES_DB: target.database,
    POSTGRES_USER: target.user,
    POSTGRES_PASSWORD: target.password,
  }
  const sources = [{ name: 'main', logPath }]
  const options: LarderOptions = { dataPath, cachePath: join(root, 'cache'), sources, environment }
  const writer = new LogWriter(join(logPath, 'access.log'), 3)
  const write = (lines: number) => {
    for (const end = writer.lineCount + lines; writer.lineCount < end;) writer.writeSome()
  }
  write(200)
  const before = await Larder.start(options)
  await until(await before.firstSignIn(), 'ready')
  await eventually(() => requests(before) > 0, 'the log is read')
  await before.stop()

  const later = { ...options, program: laterProgram() }
  const sql = openTestClient(target)
  /** Starts and kills the service while a lock stops the update at a step. */
  async function killedWhile(state: HistoryState, mode: 'ACCESS EXCLUSIVE' | 'SHARE') {
    const held = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const holding = sql.begin(async (transaction) => {
      await transaction.unsafe(`LOCK TABLE titles IN ${mode} MODE`)
      isHeld.resolve()
      await held.promise
    })
    await isHeld.promise
    const larder = await Larder.start(later)
    const visitor = await visit(larder)
    await until(visitor, state)
    const read = requests(larder)
    write(200)
    await eventually(() => requests(larder) > read, 'lines are counted meanwhile')
    expect((await fetch(`${larder.url}/health`)).status).toBe(200)
    expect((await visitor.request('GET', '/api/stats/services')).status).toBe(503)
    await larder.kill()
    held.resolve()
    await holding
  }
  await killedWhile('copying', 'ACCESS EXCLUSIVE')
  await killedWhile('migrating', 'SHARE')

  const larder = await Larder.start(later)
  const visitor = await visit(larder)
  await until(visitor, 'ready')
  const total = async () => {
    const [row] = await sql<{ sum: number }[]>`SELECT sum(requests)::float8 AS sum FROM traffic_day`
    return row?.sum
  }
  writer.stop()
  await eventually(async () => (await total()) === requests(larder), 'every line is sent once')
  expect((await visitor.read<Status>('/api/ext/status')).ingest.mismatch).toBeNull()
  expect(readdirSync(join(dataPath, 'backups')).filter((name) => !name.endsWith('.json'))).toEqual([
    expect.stringMatching(/-before-update\.tar\.zst$/),
  ])
  await larder.stop()
  await sql.end()
})
