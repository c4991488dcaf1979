import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { olderInstallation } from '../../../test/support/older-installation.ts'
import {
  listed,
  readArchive,
  writeArchive,
  type ArchiveEntry,
} from '../../../test/support/snapshot-archive.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { stagedFolder, type Manifest } from '../../engines/backup/contract.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { checkSnapshot, stageSnapshot } from '../../engines/backup/stage.ts'

const passive = { progress() {}, isCancelled: () => false }

const { dataPath, target: history, sql } = await olderInstallation()
await sql.end()
const file = join(dirname(dataPath), 'whole')
await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)
const whole = await readArchive(file)
const bytes = readFileSync(file)

/** The snapshot with another manifest. */
function withManifest(change: (manifest: Manifest) => void): ArchiveEntry[] {
  const manifest = JSON.parse(String(whole[0]?.[1])) as Manifest
  change(manifest)
  return [['manifest.json', JSON.stringify(manifest)], ...whole.slice(1)]
}
const without = (part: RegExp): ArchiveEntry[] => whole.filter(([name]) => !part.test(name))

/** Reasons why a file is refused, when it is read and when it is restored. */
async function refusals(file: string): Promise<string[]> {
  const dataPath = join(dirname(file), 'data')
  const of = (work: Promise<unknown>) => work.then(() => '', String)
  const reasons = [
    await of(checkSnapshot(file, passive)),
    await of(stageSnapshot({ file, dataPath }, passive)),
  ]
  expect(existsSync(stagedFolder(dataPath))).toBe(reasons[1] === '')
  return reasons
}

describe('a snapshot', () => {
  test('that is complete is accepted, unchanged and with a list made again', async () => {
    const file = join(tempFolder('whole'), 'snapshot')
    await writeArchive(file, listed(whole))
    expect(await refusals(file)).toEqual(['', ''])
  })

  test.each<[string, () => ArchiveEntry[]]>([
    ['without its accounts', () => listed(without(/^sqlite.state/))],
    ['that lists no databases', () => listed(withManifest((it) => void (it.sqlite = [])))],
    [
      'that does not list the accounts',
      () =>
        listed(
          withManifest(
            (it) => void (it.sqlite = it.sqlite.filter((name) => !name.startsWith('state'))),
          ),
        ),
    ],
    ['that lists no tables', () => listed(withManifest((it) => void (it.history.tables = [])))],
    [
      'that does not list the downloads',
      () =>
        listed(
          withManifest((it) => {
            it.history.tables = it.history.tables.filter(({ name }) => name !== 'downloads')
          }),
        ),
    ],
    ['that lacks a part of its list', () => without(/^history.downloads/)],
    [
      'with a part that was changed',
      () =>
        whole.map(([name, content]) => [
          name,
          /^sqlite.state/.test(name) ? Buffer.from(content).fill(1, 200, 201) : content,
        ]),
    ],
    [
      'with a part that is not in its list',
      () => [...whole.slice(0, -1), ['files/themes/a.toml', 'x'], ...whole.slice(-1)],
    ],
    ['without its list', () => without(/^end.json/)],
    ['with an empty list', () => [...without(/^end.json/), ['end.json', '{}']]],
  ])('%s is refused', async (_name, entries) => {
    const file = join(tempFolder('incomplete'), 'snapshot')
    await writeArchive(file, entries())
    for (const reason of await refusals(file)) expect(reason).toContain('incomplete')
  })

  test('that was cut anywhere is refused', async () => {
    const folder = tempFolder('cut')
    for (const share of [0.01, 0.3, 0.7, 0.99]) {
      const file = join(folder, 'snapshot')
      writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * share)))
      for (const reason of await refusals(file)) expect(reason).toContain('napshot')
    }
  })
})
