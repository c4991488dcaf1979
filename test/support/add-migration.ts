import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Journal {
  entries: { idx: number; when: number; tag: string; version: string; breakpoints: boolean }[]
}

/** Adds a migration to a copied folder, by default a second after the last one. */
export function addMigration(folder: string, tag: string, sql: string, laterMs = 1000): void {
  const path = join(folder, 'meta', '_journal.json')
  // Written by drizzle-kit; db/migrations.test.ts checks it.
  const journal = JSON.parse(readFileSync(path, 'utf8')) as Journal
  const last = journal.entries.at(-1)
  if (last === undefined) throw new Error('no migration to build on')
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + laterMs, tag })
  writeFileSync(path, JSON.stringify(journal))
  writeFileSync(join(folder, `${tag}.sql`), sql)
}
