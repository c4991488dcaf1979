import { readFileSync } from 'node:fs'

/** Time stamps of a store's migrations, in the order of their journal, which drizzle-kit writes. */
export function knownMigrations(folder: string): number[] {
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as {
    entries: { when: number }[]
  }
  return journal.entries.map((entry) => entry.when)
}

/**
 * Those of the applied migrations that this program knows by themselves, or that it cannot know
 * because they are newer: its oldest one contains everything that was applied before. Null when only
 * such are applied, which it cannot continue.
 */
export function countedMigrations(
  applied: readonly number[],
  known: readonly number[],
): number[] | null {
  const counted = applied.filter((when) => when >= (known[0] ?? 0))
  return counted.length === 0 && applied.length > 0 ? null : counted
}

/** What to do with a store of which `countedMigrations` is null. */
export const beforeFirstRelease = (store: string, way: string): string =>
  `${store} was written before the first release, and this version cannot read it: ${way}, or start ` +
  'the version that wrote it'
