import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { takeTurns } from '../../core/lib/pause.ts'
import { patienceMs } from './reports.ts'

test('work that can wait lets a report end, but not for ever', async () => {
  const time = new ManualTime()
  const app = await testApp({ history: await freshHistory(), timers: time })
  const { reports } = app.groups.downloads
  const passed: string[] = []
  const pass = async (name: string) => {
    await reports.whenIdle()
    passed.push(name)
  }
  await pass('at once')

  const held = Promise.withResolvers<void>()
  const report = reports.read(() => held.promise)
  const late = pass('late')
  await takeTurns()
  await time.advance(patienceMs - 1)
  expect(passed).toEqual(['at once'])
  await time.advance(1)
  await late

  const afterwards = pass('afterwards')
  await takeTurns()
  held.resolve()
  await report
  await time.advance(patienceMs - 1)
  await afterwards
  expect(passed).toEqual(['at once', 'late', 'afterwards'])
})
