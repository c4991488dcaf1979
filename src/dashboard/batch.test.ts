import { expect, test } from 'bun:test'
import { testApp } from '../../test/support/app.ts'
import { ManualTime } from '../../test/support/manual-time.ts'
import { seededReport, seededUntil } from '../../test/support/seeded-report.ts'
import { signInAs } from '../../test/support/sign-in.ts'

test('the overview of all time reads each of its sums once', async () => {
  const { history } = await seededReport(500)
  const app = await testApp({ history, clock: new ManualTime(seededUntil) })
  const user = await signInAs(app, 'user')
  const read = history.read.bind(history)
  let reads = 0
  history.read = (query, lane) => {
    if (lane === 'reports') reads++
    return read(query, lane)
  }
  const response = await user.get('/api/dashboard/batch')
  expect(await response.json()).toMatchObject({ failedSections: [] })
  // Sums and failures of services and of clients, numbers of clients and of active downloads, the
  // newest downloads, lines, hours of the day, sizes. Totals and extent are those of the services.
  expect(reads).toBe(10)
})
