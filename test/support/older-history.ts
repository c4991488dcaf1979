import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { HistoryTarget } from '../../db/history/connect.ts'
import { migrateHistory, migrationsFolder } from '../../db/history/migrate.ts'
import { emptyDatabase, openTestClient } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** A history that has only the first migrations. */
export async function historyAfter(migrations: number, target?: HistoryTarget): Promise<Sql> {
  const folder = join(tempFolder('first-migrations'), 'migrations')
  cpSync(migrationsFolder, folder, { recursive: true })
  const journal = Bun.file(join(folder, 'meta/_journal.json'))
  const { entries, ...rest } = (await journal.json()) as { entries: unknown[] }
  await Bun.write(journal, JSON.stringify({ ...rest, entries: entries.slice(0, migrations) }))
  const older = openTestClient(target ?? (await emptyDatabase()))
  await migrateHistory(older, folder)
  return older
}
