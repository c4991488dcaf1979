import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { migrationsFolder } from '../../../db/history/migrate.ts'
import { knownMigrations } from '../../../db/migrations.ts'
import { olderInstallation } from '../../../test/support/older-installation.ts'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { listed, readArchive, writeArchive } from '../../../test/support/snapshot-archive.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { snapshotFormat, stagedFolder } from '../../engines/backup/contract.ts'
import { historyTables } from '../../engines/backup/history-tables.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { applyRestore } from './apply.ts'
import { environmentOf } from '../../../test/support/postgres.ts'

const passive = { progress() {}, isCancelled: () => false }

/** Files of editors, desktops and people, as they turn up in a mounted folder. */
const foreignNames = ['.api_key.txt.swp', '.nfs0000', '.DS_Store', 'api_key.txt~', 'My Theme.toml']

test('files that do not belong to Larder are left out, and stay where they are', async () => {
  const { dataPath, target: history, sql } = await olderInstallation()
  await sql.end()
  for (const folder of ['security', 'themes']) {
    mkdirSync(join(dataPath, folder))
    for (const name of foreignNames) writeFileSync(join(dataPath, folder, name), 'foreign')
  }
  writeFileSync(join(dataPath, 'security', 'api_key.txt'), 'key')
  const file = join(dirname(dataPath), 'snapshot.tar.zst')
  const made = await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)
  const foreign = ['security', 'themes'].flatMap((folder) =>
    foreignNames.map((name) => `${folder}/${name}`),
  )
  expect(made.leftOut.toSorted()).toEqual(foreign.toSorted())

  const target = await freshDatabase()
  const config = readConfig({
    DATA_PATH: join(tempFolder('restore'), 'data'),
    ...environmentOf(target),
  })
  mkdirSync(join(config.dataPath, 'security'), { recursive: true })
  const mine = join(config.dataPath, 'security', 'notes of mine.txt')
  writeFileSync(mine, 'mine')
  writeFileSync(join(config.dataPath, 'security', 'seal.key'), 'replaced')
  await stageSnapshot({ file, dataPath: config.dataPath }, passive)
  expect(await applyRestore(config, quietLog)).toMatchObject({ problem: null })
  const restored = readdirSync(join(config.dataPath, 'security'))
  expect(restored.toSorted()).toEqual(['api_key.txt', 'notes of mine.txt'])
  expect(readFileSync(mine, 'utf8')).toBe('mine')
})

test('a snapshot that holds files of others is restored without them', async () => {
  const { dataPath, target: history, sql } = await olderInstallation()
  await sql.end()
  const folder = tempFolder('foreign')
  const file = join(folder, 'snapshot')
  await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)
  const names = [...foreignNames, 'ä'.repeat(100), 'mine.toml']
  const files = names.map((name) => [`files/themes/${name}`, 'x'] as const)
  await writeArchive(file, listed([...(await readArchive(file)), ...files]))
  await stageSnapshot({ file, dataPath: folder }, passive)
  expect(readdirSync(join(stagedFolder(folder), 'files', 'themes'))).toEqual(['mine.toml'])
})

const completeManifest = JSON.stringify({
  format: snapshotFormat,
  version: '0.0.1',
  createdAt: '',
  sqlite: ['state.sqlite'],
  history: {
    migrations: knownMigrations(migrationsFolder),
    tables: historyTables.map((name) => ({ name, columns: ['id'] })),
    months: [],
  },
})

test.each([
  'files/themes/..',
  'files/themes/.',
  'files/themes/../evil',
  'files/themes/a/b.toml',
  'files/themes/..\\evil',
  'files/themes/evil\0.toml',
  'files/themes/evil\n.toml',
  'files/other/mine.toml',
  '/files/themes/mine.toml',
])('an archive with %j is refused', async (name) => {
  const folder = tempFolder('escaping')
  const file = join(folder, 'snapshot')
  await writeArchive(file, [
    ['manifest.json', completeManifest],
    [name, 'x'],
  ])
  const staged = stageSnapshot({ file, dataPath: folder }, passive)
  expect(String(await staged.catch((error: unknown) => error))).toContain('not a snapshot')
  expect(existsSync(stagedFolder(folder))).toBe(false)
})
