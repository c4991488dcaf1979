import { beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addMigration } from '../test/support/add-migration.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { migrateSqlite, MigrationError, pendingMigrations } from './migrate-sqlite.ts'
import { knownMigrations } from './migrations.ts'
import { openSqlite } from './sqlite.ts'

const root = tempFolder('migrate')

let path: string
let migrations: string
let number = 0

beforeEach(() => {
  number++
  path = join(root, `${number}.sqlite`)
  migrations = join(root, `migrations-${number}`)
  cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
})

const migrate = (): Database => migrateSqlite(path, migrations)

/** Like a later release. */
const release = (tag: string, sql: string, laterMs?: number) =>
  addMigration(migrations, tag, sql, laterMs)

const settings = (database: Database) => database.query('SELECT key FROM setting').all()

function withData(): void {
  const database = migrate()
  database.run("INSERT INTO setting (key, value, updated_at) VALUES ('kept', '1', 0)")
  database.close()
}

/** Replaces the list of applied migrations; `later`: those after the first. */
function applied(timesOf: (first: number, later: number[]) => number[]): void {
  using database = openSqlite(path)
  const [first = 0, ...later] = knownMigrations(migrations)
  database.run('DELETE FROM __drizzle_migrations')
  const add = database.query("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('', ?)")
  for (const when of timesOf(first, later)) add.run(when)
}

describe('migrating a SQLite file', () => {
  test('a new file gets every migration; opening it again changes nothing', () => {
    migrate().close()
    const database = migrate()
    expect(settings(database)).toEqual([])
    database.close()
  })

  test('a later migration keeps existing rows', () => {
    withData()
    release('0001_more', 'CREATE TABLE more (id integer);')
    const database = migrate()
    expect(settings(database)).toEqual([{ key: 'kept' }])
    expect(database.query('SELECT count(*) AS n FROM more').get()).toEqual({ n: 0 })
    database.close()
  })

  test('a migration that fails leaves the file as it was', () => {
    withData()
    release('0001_broken', 'DELETE FROM setting;--> statement-breakpoint\nCREATE NONSENSE;')
    expect(migrate).toThrow(MigrationError)
    rmSync(join(migrations, '0001_broken.sql'))
    cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
    const database = migrate()
    expect(settings(database)).toEqual([{ key: 'kept' }])
    database.close()
  })

  test('notices a migration that the migrator would skip', () => {
    withData()
    release('0001_older', 'CREATE TABLE skipped (id integer);', -1000)
    expect(migrate).toThrow(MigrationError)
  })

  test('refuses a file of a newer version without changing it', () => {
    withData()
    release('0001_newer', 'CREATE TABLE newer (id integer);')
    migrate().close()
    cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
    expect(migrate).toThrow('newer version')
  })

  test('migrations that the first release has joined into one are part of it', () => {
    withData()
    applied((when, later) => [when - 2, when - 1, when, ...later])
    release('0001_more', 'CREATE TABLE more (id integer);')
    const database = migrate()
    expect(settings(database)).toEqual([{ key: 'kept' }])
    expect(database.query('SELECT count(*) AS n FROM more').get()).toEqual({ n: 0 })
    database.close()
  })

  test('refuses a file that lacks some of these, and says what to do', () => {
    withData()
    applied((when) => [when - 2, when - 1])
    expect(migrate).toThrow(/before the first release.*move it away/)
    expect(() => pendingMigrations(path, migrations)).toThrow(MigrationError)
  })
})
