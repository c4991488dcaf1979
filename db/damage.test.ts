import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../test/support/temp-folder.ts'
import { openSoundCache } from './cache/open.ts'
import { DamagedStore } from './damage.ts'
import { checkHot, openHot } from './hot/open.ts'
import { openState } from './state/open.ts'

let folder = ''
beforeEach(() => {
  folder = tempFolder('damage')
})

/** Closing the store moves everything into the file itself. */
function fill(open: () => { run(sql: string): unknown; close(): void }, table: string): void {
  const database = open()
  database.run(`CREATE TABLE filler AS WITH RECURSIVE n(x) AS
    (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000) SELECT x, hex(randomblob(60)) y FROM n`)
  database.run(`SELECT count(*) FROM ${table}`)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  for (const end of ['-wal', '-shm']) rmSync(join(folder, `hot.sqlite${end}`), { force: true })
}

const ways: [string, (path: string) => void][] = [
  ['overwritten at its beginning', (path) => overwrite(path, 0)],
  ['overwritten in its middle', (path) => overwrite(path, 40_960)],
  ['cut short', (path) => truncateSync(path, 65_536)],
]

function overwrite(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, at, at + 8192)
  writeFileSync(path, bytes)
}

describe.each(ways)('a file that was %s', (_way, damage) => {
  test('hot.sqlite: is reported as damaged, and stays as it is', () => {
    fill(() => openHot(folder), 'log_member')
    checkHot(folder, 'small')
    const path = join(folder, 'hot.sqlite')
    damage(path)
    const bytes = readFileSync(path)
    expect(() => checkHot(folder, 'small')).toThrow(DamagedStore)
    expect(() => checkHot(folder, 'large')).not.toThrow()
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('state.sqlite: is reported as damaged', () => {
    fill(() => openState(folder).sqlite, 'account')
    damage(join(folder, 'state.sqlite'))
    expect(() => openState(folder)).toThrow(DamagedStore)
  })

  test('cache.sqlite: is moved aside and rebuilt', () => {
    fill(() => openSoundCache(folder).database, 'meta')
    const path = join(folder, 'cache.sqlite')
    damage(path)
    const bytes = readFileSync(path)
    const { database, damagedCopy } = openSoundCache(folder)
    expect(damagedCopy).toBe(`${path}.damaged`)
    expect(readFileSync(`${path}.damaged`).equals(bytes)).toBe(true)
    expect(database.query('SELECT count(*) AS files FROM cache_root').get()).toEqual({ files: 0 })
    database.close()
    const again = openSoundCache(folder)
    expect(again.damagedCopy).toBeNull()
    again.database.close()
  })
})
