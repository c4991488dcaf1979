import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { migrateHistory, migrationsFolder } from '../../db/history/migrate.ts'
import { openState } from '../../db/state/open.ts'
import { emptyDatabase, openTestClient } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** A folder with the first migrations of the history: those of an older version. */
export function migrationsUpTo(count: number): string {
  const folder = join(tempFolder('older-migrations'), 'migrations')
  cpSync(migrationsFolder, folder, { recursive: true })
  const journalPath = join(folder, 'meta', '_journal.json')
  // Written by drizzle-kit; db/migrations.test.ts checks it.
  const journal = JSON.parse(readFileSync(journalPath, 'utf8')) as { entries: unknown[] }
  journal.entries = journal.entries.slice(0, count)
  writeFileSync(journalPath, JSON.stringify(journal))
  return folder
}

/** A data folder and a history at its first migrations, with download 7. */
export async function olderInstallation(migrations: number) {
  const dataPath = join(tempFolder('older'), 'data')
  mkdirSync(dataPath)
  openState(dataPath).close()
  const target = await emptyDatabase()
  const sql = openTestClient(target)
  await migrateHistory(sql, migrationsUpTo(migrations))
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
