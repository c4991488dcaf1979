import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tempFolder } from '../test/support/temp-folder.ts'
import { holdLock } from './lock.ts'

const folder = tempFolder('lock')
const path = join(folder, 'a.lock')

/** Result in another process, which ends at once, together with its own lock. */
function otherProcess(): string {
  const script = `import { holdLock } from '${join(import.meta.dir, 'lock.ts')}'
    try { holdLock('${path}'); console.log('free') }
    catch (error) { console.log(error.constructor.name) }`
  return Bun.spawnSync([process.execPath, '-e', script]).stdout.toString().trim()
}

test('a lock is held until released, even when it is unreachable for the garbage collector', () => {
  expect(otherProcess()).toBe('free')
  const giveBack = holdLock(path)
  expect(otherProcess()).toBe('LockHeld')
  giveBack()
  expect(otherProcess()).toBe('free')
  holdLock(path)
  for (let round = 0; round < 5; round++) Bun.gc(true)
  expect(otherProcess()).toBe('LockHeld')
})
