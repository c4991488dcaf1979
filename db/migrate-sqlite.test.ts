import { beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../test/support/temp-folder.ts'
import { migrateSqlite, MigrationError } from './migrate-sqlite.ts'
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

const migrate = (): Database => migrateSqlite({ open: () => openSqlite(path), path, migrations })

interface Journal {
  entries: { idx: number; when: number; tag: string; version: string; breakpoints: boolean }[]
}

/** Adds a migration after the last one, like a later release. */
function addMigration(tag: string, sql: string, ageMs = -1000): void {
  const file = join(migrations, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8')) as Journal
  const last = journal.entries.at(-1)
  if (last === undefined) throw new Error('no migration to build on')
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when - ageMs, tag })
  writeFileSync(file, JSON.stringify(journal))
  writeFileSync(join(migrations, `${tag}.sql`), sql)
}

const settings = (database: Database) => database.query('SELECT key FROM setting').all()

function withData(): void {
  const database = migrate()
  database.run("INSERT INTO setting (key, value, updated_at) VALUES ('kept', '1', 0)")
  database.close()
}

describe('migrating a SQLite file', () => {
  test('a new file gets every migration; opening it again changes nothing', () => {
    migrate().close()
    const database = migrate()
    expect(settings(database)).toEqual([])
    database.close()
  })

  test('a later migration keeps existing rows and leaves no copy behind', () => {
    withData()
    addMigration('0001_more', 'CREATE TABLE more (id integer);')
    const database = migrate()
    expect(settings(database)).toEqual([{ key: 'kept' }])
    expect(database.query('SELECT count(*) AS n FROM more').get()).toEqual({ n: 0 })
    expect(existsSync(`${path}.before-migration`)).toBe(false)
    database.close()
  })

  test('a migration that fails leaves the file as it was', () => {
    withData()
    addMigration('0001_broken', 'DELETE FROM setting;--> statement-breakpoint\nCREATE NONSENSE;')
    expect(migrate).toThrow(MigrationError)
    rmSync(join(migrations, '0001_broken.sql'))
    cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
    const database = migrate()
    expect(settings(database)).toEqual([{ key: 'kept' }])
    database.close()
  })

  test('notices a migration that the migrator would skip', () => {
    withData()
    addMigration('0001_older', 'CREATE TABLE skipped (id integer);', 1000)
    expect(migrate).toThrow(MigrationError)
  })

  test('refuses a file of a newer version without changing it', () => {
    withData()
    addMigration('0001_newer', 'CREATE TABLE newer (id integer);')
    migrate().close()
    cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
    expect(migrate).toThrow('newer version')
  })
})
