import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataFolder } from '../src/core/process/data-lock.ts'
import { tempFolder } from '../test/support/temp-folder.ts'

const root = tempFolder('restore')
const snapshot = join(root, 'larder.tar.zst')
writeFileSync(snapshot, '')

function complaintOf(dataPath: string): string {
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, join(import.meta.dir, 'restore.ts'), snapshot],
    { env: { TZ: 'UTC', DATA_PATH: dataPath }, stdout: 'ignore', stderr: 'pipe' },
  )
  expect(exitCode).toBe(1)
  return stderr.toString().trim()
}

test('a running service has to be stopped, and a data folder that cannot be used is only named', () => {
  const dataPath = join(root, 'data')
  const unlock = lockDataFolder(dataPath)
  const used = `Nothing was changed: another Larder uses the data folder ${dataPath}`
  expect(complaintOf(dataPath)).toBe(`${used}. Stop the service first.`)
  unlock()
  const blocked = join(snapshot, 'data')
  const complaint = complaintOf(blocked)
  expect(complaint).toStartWith(`Nothing was changed: the data folder ${blocked} cannot be used: `)
  expect(complaint).not.toContain('Stop the service')
})
