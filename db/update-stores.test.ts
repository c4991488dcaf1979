import { beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { cpSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { addMigration } from '../test/support/add-migration.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { migrateSqlite, MigrationError, pendingMigrations } from './migrate-sqlite.ts'
import { openSqlite } from './sqlite.ts'
import { updateStores, type UpdatedStore } from './update-stores.ts'

let folder: string
let first: UpdatedStore
let second: UpdatedStore

const openStore = ({ path, migrations }: Omit<UpdatedStore, 'open'>): Database =>
  migrateSqlite(path, migrations)

/** A store with the migrations of `state`, opened once. */
function store(name: string): UpdatedStore {
  const path = join(folder, `${name}.sqlite`)
  const migrations = join(folder, `${name}-migrations`)
  cpSync(join(import.meta.dir, 'state/migrations'), migrations, { recursive: true })
  openStore({ path, migrations }).close()
  return { path, migrations, open: () => openStore({ path, migrations }) }
}

/** A migration of the next release. */
const release = ({ migrations }: UpdatedStore, sql: string) => addMigration(migrations, 'next', sql)

const pending = ({ path, migrations }: UpdatedStore) => pendingMigrations(path, migrations)

beforeEach(() => {
  folder = tempFolder('update')
  first = store('first')
  second = store('second')
  release(first, 'CREATE TABLE more (id integer);')
})

test('all stores are updated, and no copy is left', () => {
  release(second, 'CREATE TABLE more (id integer);')
  updateStores(folder, [first, second])
  expect([pending(first), pending(second)]).toEqual([0, 0])
  expect(existsSync(`${first.path}.before-update`)).toBe(false)
})

test('when one store cannot be updated, the earlier version can open all of them', () => {
  release(second, 'CREATE NONSENSE;')
  expect(() => updateStores(folder, [first, second])).toThrow(MigrationError)
  expect([pending(first), pending(second)]).toEqual([1, 1])
  expect(existsSync(`${first.path}.before-update`)).toBe(false)
})

test('a crash between two stores is undone as well', () => {
  release(second, 'CREATE NONSENSE;')
  // The first one was copied and updated.
  const database = openSqlite(first.path)
  database.query('VACUUM INTO ?').run(`${first.path}.copy`)
  database.close()
  first.open().close()
  renameSync(`${first.path}.copy`, `${first.path}.before-update`)
  expect(() => updateStores(folder, [first, second])).toThrow(MigrationError)
  expect(pending(first)).toBe(1)
})

test('a store of a newer version is refused before another one is changed', () => {
  release(second, 'CREATE TABLE more (id integer);')
  second.open().close()
  cpSync(join(import.meta.dir, 'state/migrations'), second.migrations, { recursive: true })
  expect(() => updateStores(folder, [first, second])).toThrow('newer version')
  expect(pending(first)).toBe(1)
})
