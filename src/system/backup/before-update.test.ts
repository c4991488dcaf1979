import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { appliedMigrations, migrateHistory, migrationsFolder } from '../../../db/history/migrate.ts'
import { knownMigrations } from '../../../db/migrations.ts'
import { openState } from '../../../db/state/open.ts'
import { emptyDatabase, openTestClient } from '../../../test/support/postgres.ts'
import {
  downloadIds,
  laterMigrations,
  olderInstallation,
} from '../../../test/support/older-installation.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig, type Config } from '../../core/config.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { applyRestore } from './apply.ts'
import { readUpdateNote, snapshotBeforeUpdate } from './before-update.ts'
import { backupFolder } from './outcome.ts'

const passive = { progress() {}, isCancelled: () => false }
/** Of the version that runs now; the installation is of the one before. */
const migrations = laterMigrations()
const older = knownMigrations(migrationsFolder)

const configOf = (target: HistoryTarget, dataPath: string): Config =>
  readConfig({
    DATA_PATH: dataPath,
    POSTGRES_MODE: 'external',
    POSTGRES_HOST: target.host,
    POSTGRES_PORT: String(target.port),
    POSTGRES_DB: target.database,
    POSTGRES_USER: target.user,
    POSTGRES_PASSWORD: target.password,
  })

async function olderConfig() {
  const { dataPath, target, sql } = await olderInstallation()
  return { config: configOf(target, dataPath), sql }
}

const snapshotsIn = ({ dataPath }: Config) =>
  readdirSync(backupFolder(dataPath)).filter((name) => name.endsWith('.tar.zst'))

test('an update is preceded by one snapshot, which holds the history as it was', async () => {
  const { config, sql } = await olderConfig()
  await snapshotBeforeUpdate(config, quietLog, { migrations })
  const [name = ''] = snapshotsIn(config)
  expect(name).toEndWith('-before-update.tar.zst')
  expect(readUpdateNote(config.dataPath)).toMatchObject({ snapshot: name, problem: null })
  expect(await appliedMigrations(sql, migrations)).toEqual(older)

  await migrateHistory(sql, migrations)
  expect(await appliedMigrations(sql, migrations)).toHaveLength(older.length + 1)
  await snapshotBeforeUpdate(config, quietLog, { migrations })
  expect(snapshotsIn(config)).toEqual([name])

  const back = await emptyDatabase()
  const other = configOf(back, join(tempFolder('back'), 'data'))
  const file = join(backupFolder(config.dataPath), name)
  const manifest = await stageSnapshot({ file, dataPath: other.dataPath }, passive)
  // The version that ran before knows all of them, so it accepts the snapshot.
  expect(manifest.history.migrations).toEqual(older)
  expect(await applyRestore(other, quietLog)).toMatchObject({ problem: null })
  const restored = openTestClient(back)
  expect(await downloadIds(restored)).toEqual([7])
  await restored.end()
  await sql.end()
})

test('a start that was killed while it made a snapshot leaves no part, and makes it again', async () => {
  const { config, sql } = await olderConfig()
  const folder = backupFolder(config.dataPath)
  mkdirSync(join(folder, 'larder-20261122-130000-before-update.tar.zst.copies'), {
    recursive: true,
  })
  writeFileSync(join(folder, 'larder-20261122-130000-before-update.tar.zst.part'), 'half')
  const older = 'larder-20251122-130000-before-update.tar.zst'
  writeFileSync(join(folder, older), 'of the update before')
  await snapshotBeforeUpdate(config, quietLog, { migrations })
  const names = readdirSync(folder)
  expect(names.filter((name) => /\.(part|copies)$/.test(name))).toEqual([])
  // Only the newest of its kind stays.
  expect(snapshotsIn(config)).toHaveLength(1)
  expect(snapshotsIn(config)).not.toContain(older)

  // Killed between the snapshot and the update: the snapshot stays the one of before the update.
  const before = snapshotsIn(config)
  await snapshotBeforeUpdate(config, quietLog, { migrations })
  expect(snapshotsIn(config)).toEqual(before)
  await sql.end()
})

test('a migration that fails changes nothing, and says how to go back', async () => {
  const { config, sql } = await olderConfig()
  await snapshotBeforeUpdate(config, quietLog, { migrations })
  const broken = laterMigrations('alter table "no such table" add column x int')
  const failure = await migrateHistory(sql, broken).then(() => null, String)
  expect(failure).toMatch(/is as it was before: .*To go back/s)
  expect(await appliedMigrations(sql)).toEqual(older)
  expect(snapshotsIn(config)).toHaveLength(1)
  await migrateHistory(sql, migrations)
  expect(await downloadIds(sql)).toEqual([7])
  await sql.end()
})

test('a history that is too large or away is updated without a snapshot, with the reason', async () => {
  const { config, sql } = await olderConfig()
  await snapshotBeforeUpdate(config, quietLog, { migrations, historyBytesMax: 1 })
  expect(readUpdateNote(config.dataPath)?.problem).toContain('up to 1 are copied')
  expect(snapshotsIn(config)).toEqual([])
  await sql.end()

  const away = { host: '127.0.0.1', port: 1, database: 'x', user: 'x', password: 'x' }
  const dataPath = join(tempFolder('away'), 'data')
  mkdirSync(dataPath)
  openState(dataPath).close()
  await snapshotBeforeUpdate(configOf(away, dataPath), quietLog, { migrations, historyWaitMs: 700 })
  expect(readUpdateNote(dataPath)?.problem).toContain('does not accept connections')
})

test('a new installation only notes its version', async () => {
  const dataPath = join(tempFolder('new'), 'data')
  mkdirSync(dataPath)
  const nowhere = { host: '127.0.0.1', port: 1, database: 'x', user: 'x', password: 'x' }
  await snapshotBeforeUpdate(configOf(nowhere, dataPath), quietLog)
  expect(readUpdateNote(dataPath)).toMatchObject({
    newest: older.at(-1),
    problem: null,
  })
  expect(existsSync(join(dataPath, 'state.sqlite'))).toBe(false)
})
