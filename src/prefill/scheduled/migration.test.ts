import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { migrateSqlite } from '../../../db/migrate-sqlite.ts'
import { openSqlite } from '../../../db/sqlite.ts'
import { openState } from '../../../db/state/open.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { usualScheduledPrefill } from './stored.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../../core/settings/settings.ts'
import { systemClock } from '../../core/lib/clock.ts'
import { createScheduleStore } from './store.ts'

/** The store before schedules had names. */
function oldStore(root: string): void {
  const migrations = join(root, 'migrations')
  cpSync(join(import.meta.dir, '../../../db/state/migrations'), migrations, { recursive: true })
  const journalPath = join(migrations, 'meta', '_journal.json')
  const journal = JSON.parse(readFileSync(journalPath, 'utf8')) as { entries: { tag: string }[] }
  const end = journal.entries.findIndex(({ tag }) => tag.endsWith('prefill_schedules'))
  expect(end).toBeGreaterThan(0)
  writeFileSync(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }))
  const path = join(root, 'state.sqlite')
  using database = migrateSqlite({ open: () => openSqlite(path), path, migrations })
  const schedule = {
    ...usualScheduledPrefill,
    gamma: { ...usualScheduledPrefill.gamma, intervalHours: 5, selectedAppIds: ['wow'] },
  }
  database
    .query('INSERT INTO setting (key, value, updated_at) VALUES (?, ?, 0)')
    .run('prefill.schedule', JSON.stringify(schedule))
  database.run('INSERT INTO prefill_schedule VALUES (?, ?, ?), (?, ?, ?)', [
    'gamma',
    1_700_000_000_000,
    1_600_000_000_000,
    'delta',
    1_500_000_000_000,
    null,
  ])
}

test('the schedules of an older version become the first ones of their platforms', () => {
  const root = tempFolder('old-schedules')
  oldStore(root)
  const state = openState(root)
  const settings = createSettings(state, systemClock, settingRules)
  const all = createScheduleStore({ state, settings }).list()
  expect(all).toHaveLength(5)
  expect(all.filter(({ basisAt }) => basisAt !== null)).toMatchObject([
    {
      id: 'gamma',
      name: 'Default',
      isFirst: true,
      options: { intervalHours: 5, selectedAppIds: ['wow'] },
      basisAt: new Date(1_700_000_000_000),
      lastRunAt: new Date(1_600_000_000_000),
    },
    { id: 'delta', basisAt: new Date(1_500_000_000_000), lastRunAt: null },
  ])
  state.close()
})
