import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { appliedMigrations, migrateHistory, migrationsFolder } from '../../../db/history/migrate.ts'
import { openHot } from '../../../db/hot/open.ts'
import { knownMigrations } from '../../../db/migrations.ts'
import { emptyDatabase, openTestClient } from '../../../test/support/postgres.ts'
import {
  downloadIds,
  laterMigrations,
  olderInstallation,
} from '../../../test/support/older-installation.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig, type Config } from '../../core/config.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { stagedFolder } from '../../engines/backup/contract.ts'
import { applyRestore } from './apply.ts'
import { keepBeforeUpdate, snapshotBeforeUpdate, type UpdateParts } from './before-update.ts'
import { backupFolder, lastUpdate } from './outcome.ts'
import { environmentOf } from '../../../test/support/postgres.ts'

const passive = { progress() {}, isCancelled: () => false }
/** Of the version that runs now; the installation is of the one before. */
const migrations = laterMigrations()
const older = knownMigrations(migrationsFolder)

const configOf = (target: HistoryTarget, dataPath: string): Config =>
  readConfig({
    DATA_PATH: dataPath,
    ...environmentOf(target),
  })

async function olderConfig() {
  const { dataPath, target, sql } = await olderInstallation()
  openHot(dataPath).close()
  return { config: configOf(target, dataPath), target, sql }
}
type Installation = Awaited<ReturnType<typeof olderConfig>>

const backup: UpdateParts['backup'] = {
  make: (request, run) =>
    makeSnapshot(request, { progress() {}, isCancelled: () => run.signal.aborted }),
}

/** What a start does when the history is reached; returns whether it reported that it began. */
async function prepare(
  { config, target, sql }: Installation,
  change: Partial<UpdateParts> = {},
): Promise<boolean> {
  let hasBegun = false
  const { signal } = new AbortController()
  const parts = { config, log: quietLog, backup, target: () => target, signal, migrations }
  await snapshotBeforeUpdate({ ...parts, ...change })(sql, () => (hasBegun = true))
  return hasBegun
}

const keep = ({ config }: Installation) => keepBeforeUpdate(config, quietLog, migrations)

const snapshotsIn = ({ dataPath }: Config) =>
  readdirSync(backupFolder(dataPath)).filter((name) => name.endsWith('.tar.zst'))

/** A value of `hot.sqlite`, in which reading goes on; null without it. */
const metaOf = (folder: string, key: string) => {
  using hot = new Database(join(folder, 'hot.sqlite'))
  return hot.query('SELECT value FROM meta WHERE key = ?').values(key)[0]?.[0] ?? null
}
const setMeta = ({ config }: Installation, key: string, value: string) => {
  using hot = new Database(join(config.dataPath, 'hot.sqlite'))
  hot.query('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value)
}

/** Unpacks the only snapshot; the folder of its SQLite files. */
async function stagedFiles({ config }: Installation): Promise<string> {
  const [name = ''] = snapshotsIn(config)
  const dataPath = join(tempFolder('staged'), 'data')
  await stageSnapshot({ file: join(backupFolder(config.dataPath), name), dataPath }, passive)
  return join(stagedFolder(dataPath), 'sqlite')
}

test('an update is preceded by one snapshot, which holds everything as it was', async () => {
  const installation = await olderConfig()
  const { config, sql } = installation
  keep(installation)
  setMeta(installation, 'read', 'since the start')
  expect(await prepare(installation)).toBe(true)
  const [name = ''] = snapshotsIn(config)
  expect(name).toEndWith('-before-update.tar.zst')
  expect(lastUpdate.read(config.dataPath)).toMatchObject({ snapshot: name, problem: null })
  expect(await appliedMigrations(sql, migrations)).toEqual(older)
  expect(metaOf(await stagedFiles(installation), 'read')).toBeNull()

  await migrateHistory(sql, migrations)
  expect(await appliedMigrations(sql, migrations)).toHaveLength(older.length + 1)
  // As of a start that was killed after it had noted the snapshot.
  mkdirSync(join(backupFolder(config.dataPath), 'before-update'))
  keep(installation)
  expect(await prepare(installation)).toBe(false)
  expect(readdirSync(backupFolder(config.dataPath)).toSorted()).toEqual(
    [name, 'last-update.json'].toSorted(),
  )

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

test('a start that was killed while it made a snapshot makes it of the same files', async () => {
  const installation = await olderConfig()
  const { config, sql } = installation
  const folder = backupFolder(config.dataPath)
  keep(installation)
  const before = 'larder-20251122-130000-before-update.tar.zst'
  writeFileSync(join(folder, before), 'of the update before')
  setMeta(installation, 'read', 'by the start that was killed')
  keep(installation)
  expect(await prepare(installation)).toBe(true)
  // Only the newest of its kind stays.
  expect(snapshotsIn(config)).toHaveLength(1)
  expect(snapshotsIn(config)).not.toContain(before)
  // Of before the first of both starts.
  expect(metaOf(await stagedFiles(installation), 'read')).toBeNull()

  // Killed between the snapshot and the update: the snapshot stays the one of before the update.
  const made = snapshotsIn(config)
  keep(installation)
  expect(await prepare(installation)).toBe(false)
  expect(snapshotsIn(config)).toEqual(made)
  await sql.end()
})

test('copies that are older than the history are replaced: the version before ran again', async () => {
  const installation = await olderConfig()
  keep(installation)
  setMeta(installation, 'history_link', '{"seq":2}')
  keep(installation)
  await prepare(installation)
  expect(metaOf(await stagedFiles(installation), 'history_link')).toBe('{"seq":2}')
  await installation.sql.end()
})

test('a service that stops meanwhile makes the snapshot at its next start', async () => {
  const installation = await olderConfig()
  keep(installation)
  const stopping = new AbortController()
  const make: UpdateParts['backup']['make'] = () => {
    stopping.abort()
    return Promise.reject(new Error('was stopped'))
  }
  const stopped = prepare(installation, { backup: { make }, signal: stopping.signal })
  expect(
    await stopped.then(
      () => 'updated',
      () => 'left',
    ),
  ).toBe('left')
  expect(lastUpdate.read(installation.config.dataPath)).toBeNull()
  keep(installation)
  await prepare(installation)
  expect(snapshotsIn(installation.config)).toHaveLength(1)
  await installation.sql.end()
})

test('a migration that fails changes nothing, and says how to go back', async () => {
  const installation = await olderConfig()
  const { config, sql } = installation
  keep(installation)
  await prepare(installation)
  const broken = laterMigrations('alter table "no such table" add column x int')
  const failure = await migrateHistory(sql, broken).then(() => null, String)
  expect(failure).toMatch(/is as it was before: .*To go back/s)
  expect(await appliedMigrations(sql)).toEqual(older)
  expect(snapshotsIn(config)).toHaveLength(1)
  await migrateHistory(sql, migrations)
  expect(await downloadIds(sql)).toEqual([7])
  await sql.end()
})

test('a history that is too large is updated without a snapshot, one that is away waits', async () => {
  const installation = await olderConfig()
  const { config, sql } = installation
  keep(installation)
  const make: UpdateParts['backup']['make'] = async () => {
    await sql.end()
    throw new Error('Postgres does not accept connections')
  }
  const lost = prepare(installation, { backup: { make } })
  expect(
    await lost.then(
      () => 'updated',
      () => 'left',
    ),
  ).toBe('left')
  expect(lastUpdate.read(config.dataPath)).toBeNull()

  const again = openTestClient(installation.target)
  await prepare({ ...installation, sql: again }, { historyBytesMax: 1 })
  expect(lastUpdate.read(config.dataPath)?.problem).toContain('up to 1 are copied')
  expect(readdirSync(backupFolder(config.dataPath))).toEqual(['last-update.json'])
})

test('files that cannot be copied do not prevent an update', async () => {
  const installation = await olderConfig()
  writeFileSync(join(installation.config.dataPath, 'cache.sqlite'), 'no database at all')
  keep(installation)
  expect(lastUpdate.read(installation.config.dataPath)?.problem).toContain('not a database')
  expect(await prepare(installation)).toBe(false)
  await installation.sql.end()
})

test('a new installation only notes its version', () => {
  const dataPath = join(tempFolder('new'), 'data')
  mkdirSync(dataPath)
  const nowhere = { host: '127.0.0.1', port: 1, database: 'x', user: 'x', password: 'x' }
  keepBeforeUpdate(configOf(nowhere, dataPath), quietLog)
  expect(lastUpdate.read(dataPath)).toMatchObject({
    newest: older.at(-1),
    problem: null,
  })
  expect(existsSync(join(dataPath, 'state.sqlite'))).toBe(false)
})
