import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeReadOnly } from '../../../test/support/read-only.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { lockDataFolder } from './data-lock.ts'
import { StartRefused } from './start-refused.ts'
import { thrownBy as refusalOf } from '../../../test/support/answers.ts'

const root = tempFolder('data-lock')
chmodSync(root, 0o755)
const nobody = 65_534

/** What an ordinary user is told: to root no file is closed. */
function refusalToUser(dataPath: string): string {
  const script = `
    if (process.getuid() === 0) process.setuid(${nobody})
    const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dir, 'data-lock.ts'))})
    try { lockDataFolder(${JSON.stringify(dataPath)}); console.log('locked') }
    catch (error) { console.log(error.message) }`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  return stdout.toString().trim()
}

describe('a data folder that cannot be written is refused with its reason', () => {
  test('the folder itself', () => {
    const dataPath = join(root, 'foreign')
    mkdirSync(dataPath, { mode: 0o555 })
    const text = refusalToUser(dataPath)
    expect(text).toContain(`EACCES: permission denied, access '${dataPath}'. It belongs to `)
    expect(text).toEndWith(`:${process.getegid?.()}`)
  })

  test('a file that another user stored there', () => {
    const dataPath = join(root, 'earlier')
    mkdirSync(join(dataPath, 'lost+found'), { recursive: true })
    chmodSync(join(dataPath, 'lost+found'), 0)
    if (process.getuid?.() === 0) chownSync(dataPath, nobody, nobody)
    expect(refusalToUser(dataPath)).toBe('locked')
    const file = join(dataPath, 'state.sqlite')
    writeFileSync(file, '')
    chmodSync(file, 0o400)
    expect(refusalToUser(dataPath)).toContain(`EACCES: permission denied, access '${file}'`)
  })

  test('one on a read-only file system, with the files of an earlier start', () => {
    const dataPath = join(root, 'mounted')
    lockDataFolder(dataPath)()
    const revert = makeReadOnly(dataPath)
    const refusal = refusalOf(() => lockDataFolder(dataPath))
    revert()
    expect(refusal).toBeInstanceOf(StartRefused)
    expect(String(refusal)).toContain(`${dataPath} cannot be used: E`)
  })
})
