import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../../db/history/migrate.ts'
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
