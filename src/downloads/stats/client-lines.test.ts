import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { seededReport, seededUntil } from '../../../test/support/seeded-report.ts'
import { lineSeconds } from './client-lines.ts'
import type { ClientLines, ClientStats } from './model.ts'

const until = Date.parse(seededUntil) / 1000
const day = 86_400

const { history } = await seededReport(5000)
const app = await reportApp({ history, now: seededUntil })

const readLines = (range = ''): Promise<ClientLines> =>
  app.read(`/api/ext/clients/lines?${range}`, 'user')

test.each([
  ['all time', ''],
  ['a day', `startTime=${until - day}`],
  ['twenty years', `startTime=${until - 7300 * day + 77}`],
  ['an hour', `startTime=${until - 3600}`],
  ['a week that is over', `startTime=${until - 20 * day}&endTime=${until - 13 * day}`],
])('over %s each line adds up to the bytes of its row', async (_, range) => {
  const { lines, bucketMinutes, startTimeUtc } = await readLines(range)
  const rows: ClientStats[] = await app.read(
    `/api/stats/clients?${range}&limit=1000&mergeGroups=false&includeExcluded=true`,
    'user',
  )
  const sums = Object.entries(lines).map(
    ([ip, bytes]) => [ip, bytes.reduce((all, part) => all + part, 0)] as const,
  )
  expect(new Map(sums)).toEqual(new Map(rows.map((row) => [row.clientIp, row.totalBytes])))
  const lengths = new Set(Object.values(lines).map(({ length }) => length))
  expect(lengths.size).toBe(rows.length > 0 ? 1 : 0)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(26)
  expect(Date.parse(startTimeUtc ?? '') % (bucketMinutes * 60_000)).toBe(0)
})

test('a hidden client has no line; one that is only not counted has its own', async () => {
  const before = await readLines()
  const [hidden = '', excluded = ''] = Object.keys(before.lines)
  const rules = [
    { ip: hidden, mode: 'hide' },
    { ip: excluded, mode: 'exclude' },
  ]
  await app.send('PUT', '/api/stats/exclusions', 'user', { rules })
  const after = await readLines()
  expect(Object.keys(after.lines)).toEqual(Object.keys(before.lines).slice(1))
  await app.send('PUT', '/api/stats/exclusions', 'user', { rules: [] })
})

test('buckets are whole blocks of days, days, hours or five minutes, at most 24 in a range', () => {
  for (const hours of [0, 0.1, 1, 5, 24, 30, 24 * 7, 24 * 30, 24 * 90, 24 * 1000, 24 * 3650]) {
    const seconds = lineSeconds(hours * 3600)
    if (hours > 24 * 64 * 24) expect(seconds % (64 * day)).toBe(0)
    const step = seconds >= day ? day : seconds >= 3600 ? 3600 : 300
    expect(seconds % step).toBe(0)
    expect((hours * 3600) / seconds).toBeLessThanOrEqual(24)
  }
})
