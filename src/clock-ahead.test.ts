import { expect, test } from 'bun:test'
import { testApp } from '../test/support/app.ts'
import { bodyOf } from '../test/support/answers.ts'
import { eventually } from '../test/support/eventually.ts'
import { ManualTime } from '../test/support/manual-time.ts'
import { freshHistory } from '../test/support/postgres.ts'
import { signInOwner } from '../test/support/sign-in.ts'
import { monthBefore } from './downloads/history-retention/service.ts'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

test('nothing is deleted by age while the clock is a year ahead', async () => {
  const time = new ManualTime('2026-11-21T12:00:00Z')
  const history = await freshHistory()
  const app = await testApp({ history, clock: time, timers: time, isIndexing: true })
  const owner = await signInOwner(app)
  app.settings.set('setup.isCompleted', true)
  app.settings.set('history.keepMonths', 6)
  app.settings.set('logs.retention', {
    ...app.settings.get('logs.retention'),
    isEnabled: true,
    keepDays: 30,
  })
  const snapshots = () =>
    history.read((_db, sql) => sql`SELECT taken_at FROM cache_snapshots ORDER BY 1`)
  await history.read(
    (_db, sql) => sql`
    INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
    VALUES ('2026-09-01', 1, 2, 0.5)`,
  )
  const runs = () =>
    app.operations
      .list()
      .map(({ type }) => type)
      .filter((type) => type === 'historyRetention' || type === 'logRotation')
  const rule = { name: 'old', condition: 'unusedFor', days: 30 }
  const abstains = async () => {
    const answer = await owner.post('/api/ext/retention/preview', { rule })
    const { rules } = await bodyOf<{ rules: { abstainsKey: string }[] }>(answer)
    return rules[0]?.abstainsKey
  }

  app.schedules.start()
  time.set(yearMs)
  await time.skip(7 * hourMs)
  await eventually(async () => (await snapshots()).length === 2, 'the size is recorded')
  expect([runs(), await abstains()]).toEqual([[], 'clockDoubted'])

  time.set(-yearMs)
  await time.skip(7 * hourMs)
  await eventually(() => runs().length === 2, 'both run')
  expect(await abstains()).not.toBe('clockDoubted')
  await eventually(() => app.settings.get('history.keptSince') !== null, 'the history is cleared')
  expect(app.settings.get('history.keptSince')).toBe(monthBefore(time.now(), 6))
})
