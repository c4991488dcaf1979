import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { migrationsFolder } from '../../db/history/migrate.ts'
import { openState } from '../../db/state/open.ts'
import { addMigration } from './add-migration.ts'
import { freshDatabase, openTestClient } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** The migrations of the history in a later version, which has one more. */
export function laterMigrations(
  sql = 'alter table "downloads" add column "later" integer default 5 not null',
): string {
  const folder = join(tempFolder('later-migrations'), 'migrations')
  cpSync(migrationsFolder, folder, { recursive: true })
  addMigration(folder, 'later', sql)
  return folder
}

/** A data folder and a history of this version, which is older than `laterMigrations`; download 7. */
export async function olderInstallation() {
  const dataPath = join(tempFolder('older'), 'data')
  mkdirSync(dataPath)
  openState(dataPath).close()
  const target = await freshDatabase()
  const sql = openTestClient(target)
  await sql`insert into downloads (id, datasource, service, tag, client, title_key, is_prefill,
      started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
    values (7, 'default', 'steam', 'steam', '10.0.0.7', 'alpha:7', false,
      '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', 5, 6, 1, '', 1)`
  return { dataPath, target, sql }
}

export async function downloadIds(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select id::int from downloads order by id`
  return rows.map(({ id }) => id)
}
