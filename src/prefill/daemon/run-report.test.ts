import { expect, test } from 'bun:test'
import { progressOf, readRunReport, type Progress } from '../protocol/progress.ts'
import { createRunReport } from './run-report.ts'

const gameMax = 1200
const names = { run: 'mark', scheduleId: 'gamma', scheduleName: 'Default' }

/** All pages, one after the other. */
function readAll(report: ReturnType<typeof createRunReport>): Progress[] {
  const events: Progress[] = []
  for (;;) {
    const page = readRunReport(JSON.parse(JSON.stringify(report.page(events.length))))
    expect(page).toMatchObject({ ...names, cache: '192.0.2.7' })
    events.push(...page.events)
    if (page.isWhole) return events
  }
}

test('more games than fit into one answer are read in their order, with the one under way', () => {
  const cache = { host: '192.0.2.7', port: 80 }
  const report = createRunReport({ names, cache }, true)
  for (let game = 1; game <= gameMax; game++) {
    const app = { currentAppId: `${game}`, bytesDownloaded: game }
    report.add(progressOf({ ...app, state: 'downloading' }))
    report.add(progressOf({ ...app, state: 'app_completed', result: 'Success' }))
  }
  report.add(progressOf({ state: 'downloading', currentAppId: '5000', bytesDownloaded: 3 }))
  const events = readAll(report)
  expect(events.map(({ bytesDownloaded }) => bytesDownloaded)).toEqual([
    ...Array.from({ length: gameMax }, (_, index) => index + 1),
    3,
  ])
  expect(events.at(-1)).toMatchObject({ state: 'downloading', currentAppId: '5000' })
})
