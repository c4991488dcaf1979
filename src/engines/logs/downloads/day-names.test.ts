import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import {
  database,
  drain,
  file,
  ingest,
  restart,
  withIngest,
} from '../../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { otherService } from '../lines/service-label.ts'
import { maxServicesOfDay, maxTitlesOfDay } from './day-names.ts'

const day = 86_400

withIngest()

async function read(lines: string[]): Promise<void> {
  appendFileSync(file('access.log'), lines.join(''))
  await drain()
}

const forgedTags = (from: number, count: number, at = firstSecond) =>
  Array.from({ length: count }, (_, index) => logLine({ at, tag: `h${from + index}.test` }))

const traffic = (where = 'true') =>
  database
    .query(
      `SELECT count(DISTINCT service) AS services, count(DISTINCT title_key) AS titles,
        sum(hit_bytes) AS hit, sum(requests) AS requests FROM traffic_outbox WHERE ${where}`,
    )
    .get() as { services: number; titles: number; hit: number; requests: number }

const ofDay = (at: number) =>
  `bucket_at BETWEEN ${at - (at % day)} AND ${at - (at % day) + day - 1}`

test("bounds a day's services across restarts, per day, and keeps sums exact", async () => {
  const tomorrow = firstSecond + day
  await read(forgedTags(0, maxServicesOfDay - 50))
  restart()
  await read([...forgedTags(1000, 400), ...forgedTags(2000, 300, tomorrow)])
  restart()
  // Admitted names of the day stay; the proxy's own services never count towards the limit.
  await read([...forgedTags(0, 10), logLine({ tag: 'epicgames' }), ...forgedTags(3000, 25)])
  const first = traffic(ofDay(firstSecond))
  expect(first.services).toBe(maxServicesOfDay + 2) // the known one and the rest
  expect(traffic(ofDay(tomorrow)).services).toBe(maxServicesOfDay + 1)
  const lines = maxServicesOfDay - 50 + 400 + 300 + 10 + 1 + 25
  expect(traffic()).toMatchObject({ requests: lines, hit: lines * 100 })
  const rest = traffic(`service = '${otherService}' AND ${ofDay(firstSecond)}`)
  expect(rest.requests).toBe(400 - 50 + 25)
  expect(traffic("service = 'h3.test'").requests).toBe(2)
  expect(traffic("service = 'epicgames'").requests).toBe(1)
})

test('reports a limit that was reached', async () => {
  expect(ingest.limits.list()).toEqual([])
  await read(forgedTags(0, maxServicesOfDay + 1))
  const [limit] = ingest.limits.list()
  const subject = new Date(firstSecond * 1000).toISOString().slice(0, 10)
  expect(limit).toMatchObject({ limit: 'servicesOfDay', value: maxServicesOfDay, subject })
})

test("titles beyond a day's limit count for their service without a title", async () => {
  const extra = 30
  const lines = Array.from({ length: maxTitlesOfDay + extra }, (_, index) =>
    logLine({ path: `/depot/${index + 1}/chunk/aa` }),
  )
  await read(lines)
  expect(traffic().titles).toBe(maxTitlesOfDay + 1)
  expect(traffic("title_key = ''")).toMatchObject({ requests: extra, hit: extra * 100 })
  expect(traffic("service = 'steam'").requests).toBe(maxTitlesOfDay + extra)
})
