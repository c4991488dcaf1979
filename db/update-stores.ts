/*
 * `db/<store>/` holds schema, migrations and opening of each store. `bun run generate:<store>`
 * writes migrations; a released migration is never edited. The schema is the list of columns:
 * prepared statements, staging tables and `COPY` lists are made from it. Files are closed to
 * others (0600), and every SQLite file has exactly one writer. Files that change with an update
 * are copied first; when one cannot be migrated, all are put back (`db/update-stores.ts`), also
 * after a crash. A migration of the history is one transaction, and everything is copied before it
 * (`src/system/backup/before-update.ts`).
 */
import type { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { openCatalog } from './catalog/open.ts'
import { openCache } from './cache/open.ts'
import { filesOf } from './damage.ts'
import { openHot } from './hot/open.ts'
import { MigrationError, pendingMigrations } from './migrate-sqlite.ts'
import { openSqlite } from './sqlite.ts'
import { openState } from './state/open.ts'
import { migrationsOf, storePath, type StoreName } from './stores.ts'

/** A SQLite file of the data folder, and how it is opened, which migrates it. */
export interface UpdatedStore {
  path: string
  migrations: string
  open: () => { close(): void }
}

const storesIn = (dataPath: string): UpdatedStore[] => {
  const store = (name: StoreName, open: (dataPath: string) => { close(): void }): UpdatedStore => ({
    path: storePath(dataPath, name),
    migrations: migrationsOf(name),
    open: () => open(dataPath),
  })
  return [
    store('hot', openHot),
    store('cache', openCache),
    store('catalog', openCatalog),
    store('state', openState),
  ]
}

const copyOf = (path: string) => `${path}.before-update`

/** Keeps the first copy: after a crash, the file may be that of the new version already. */
function keepCopy({ path }: UpdatedStore): void {
  if (existsSync(copyOf(path))) return
  using database: Database = openSqlite(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(path, `${copyOf(path)}.new`)
  renameSync(`${copyOf(path)}.new`, copyOf(path))
}

function putBack({ path }: UpdatedStore): void {
  if (!existsSync(copyOf(path))) return
  for (const file of filesOf(path).slice(1)) rmSync(file, { force: true })
  renameSync(copyOf(path), path)
}

/**
 * Brings the SQLite files of a data folder to the newest schema together: when one of them cannot be
 * migrated all are as before, so that the earlier version starts again. Also after a crash in between.
 * Throws MigrationError, also when a newer version wrote one of them. Damaged files are left to the code
 * that opens them.
 */
export function updateStores(dataPath: string, stores = storesIn(dataPath)): void {
  const existing = stores.filter(({ path }) => existsSync(path))
  const behind = existing.filter(({ path, migrations }) => pendingMigrations(path, migrations) > 0)
  if (behind.length === 0) {
    for (const { path } of existing) rmSync(copyOf(path), { force: true })
    return
  }
  for (const store of behind) keepCopy(store)
  try {
    for (const store of behind) store.open().close()
  } catch (error) {
    if (error instanceof MigrationError) for (const store of existing) putBack(store)
    throw error
  }
  for (const { path } of existing) rmSync(copyOf(path), { force: true })
}
