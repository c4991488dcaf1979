import { expect, test, describe } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

interface Journal {
  entries: { idx: number; when: number; tag: string; breakpoints: boolean }[]
}

const folderOf = (name: string) => `${import.meta.dir}/${name}/migrations`
const stores = readdirSync(import.meta.dir).filter((name) => existsSync(folderOf(name)))

/** Statement ends outside quotes and comments; good enough for the generator's output. */
const statementsIn = (chunk: string) =>
  chunk
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\bBEGIN\b[\s\S]*?\bEND\b/g, '')
    .replaceAll(/'(?:[^']|'')*'|"[^"]*"|\$\$[\s\S]*?\$\$/g, "''")
    .split(';')
    .filter((statement) => statement.trim() !== '').length

test('every store has migrations', () => {
  expect(stores).toContain('history')
  expect(stores).toContain('hot')
  expect(stores).toContain('state')
})

describe.each(stores)('migrations of %s', (store) => {
  const folder = folderOf(store)
  // Written by drizzle-kit; the tests below check what matters of it.
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as Journal

  test('are numbered and strictly ordered by time, else the migrator silently skips one', () => {
    expect(journal.entries.length).toBeGreaterThan(0)
    journal.entries.forEach((entry, index) => {
      expect(entry.idx).toBe(index)
      expect(entry.when).toBeGreaterThan(journal.entries[index - 1]?.when ?? 0)
    })
  })

  test('are exactly the files of the folder', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
    expect(files.sort()).toEqual(journal.entries.map((entry) => `${entry.tag}.sql`).sort())
  })

  test('have one statement between breakpoints, else SQLite runs only the first', () => {
    for (const { tag } of journal.entries) {
      const chunks = readFileSync(`${folder}/${tag}.sql`, 'utf8').split('--> statement-breakpoint')
      expect(chunks.map(statementsIn)).toEqual(chunks.map(() => 1))
    }
  })
})

test('the five-minute table is partitioned, which the generator cannot express', () => {
  const first = readFileSync(`${folderOf('history')}/0000_initial.sql`, 'utf8')
  expect(first).toContain('PARTITION BY RANGE ("bucket_at")')
})
