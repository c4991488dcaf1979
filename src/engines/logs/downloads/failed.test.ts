import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import {
  begin,
  caughtUp,
  eachInNewFolder,
  loop,
  pathOf,
} from '../../../../test/support/log-fixture.ts'

eachInNewFolder()

test('failed requests make no download and no traffic, but a figure of their own', async () => {
  const failed = { status: 404, cache: '-', bytes: 150 }
  const at = firstSecond
  const lines = [
    logLine({ at: at + 10, bytes: 5 }),
    logLine({ ...failed, at: at + 20 }),
    logLine({ at: at + 30, bytes: 7 }),
    // Does not make the download longer: the next line is more than the gap away.
    logLine({ ...failed, at: at + 299 }),
    logLine({ at: at + 331, bytes: 9 }),
    ...[404, 403, 502, 304].map((status) =>
      logLine({ status, client: '10.0.0.9', tag: 'riot', at: at + 40 }),
    ),
  ]
  writeFileSync(pathOf('access.log'), lines.join(''))
  begin()
  await caughtUp()
  const batch = loop.ingest.outbox.next()
  expect(batch?.downloads.map(({ client, requests }) => [client, requests])).toEqual([
    ['10.0.0.1', 2],
    ['10.0.0.1', 1],
  ])
  const rows = (batch?.traffic ?? []).map(
    ({ client, titleKey, bucketAt, requests, failedRequests, downloads }) =>
      [client, titleKey, bucketAt - at, requests, failedRequests, downloads] as const,
  )
  expect(rows.sort((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['10.0.0.1', '', 0, 0, 2, 0],
    ['10.0.0.1', 'alpha:731', 0, 2, 0, 1],
    ['10.0.0.1', 'alpha:731', 300, 1, 0, 1],
    ['10.0.0.9', '', 0, 0, 4, 0],
  ])
})

test('failed requests leave the first and last moment of served ones alone', async () => {
  const [at, tag] = [firstSecond, 'wsus']
  const failed = { status: 404, tag }
  const lines = [
    logLine({ ...failed, at: at + 1 }),
    logLine({ tag, at: at + 50 }),
    logLine({ ...failed, at: at + 290 }),
  ]
  writeFileSync(pathOf('access.log'), lines.join(''))
  begin()
  await caughtUp()
  expect(loop.ingest.outbox.next()?.traffic).toMatchObject([
    { requests: 1, failedRequests: 2, firstAt: at + 50, lastAt: at + 50 },
  ])
})
