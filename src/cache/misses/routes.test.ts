import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import { signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const root = tempFolder('misses')
const path = (id: number, what = 'log') => `/api/ext/downloads/${id}/${what}`

const logPath = join(root, 'logs')
mkdirSync(logPath)
mkdirSync(join(root, 'cache'))
const at = firstSecond + 1000
const lines = [
  logLine({ at: at - 500, client: '10.0.0.2', path: '/depot/731/chunk/known' }),
  logLine({ at, path: '/depot/731/chunk/known', cache: 'MISS', bytes: 300 }),
  logLine({ at: at + 1, path: '/depot/731/chunk/new', cache: 'MISS', bytes: 200 }),
  logLine({ at: at + 2, path: '/depot/731/chunk/new', bytes: 200 }),
]
writeFileSync(join(logPath, 'access.log'), lines.join(''))
const history = await freshHistory()
const rows = [
  { id: 1, client: '10.0.0.1', seconds: 20, hitBytes: 700 },
  { id: 2, client: '10.0.0.1', seconds: 50, hitBytes: 5000 },
  { id: 3, client: '10.0.0.3', seconds: 20, hitBytes: 8000 },
  // Bursts and prefill are no measure.
  { id: 4, client: '10.0.0.1', seconds: 5, hitBytes: 50_000 },
  { id: 5, client: '10.0.0.1', seconds: 20, hitBytes: 90_000, isPrefill: true },
]
for (const { seconds, ...row } of rows) {
  const startedAt = firstSecond + row.id * 1000
  const endedAt = startedAt + seconds
  await putDownloads(history, { ...row, titleKey: 'alpha:731', startedAt, endedAt })
}
const environment = {
  LanCache__LogPath: logPath,
  LanCache__CachePath: join(root, 'cache'),
}
const app = await testApp({ history, environment })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)

test('a download is found in the log, with the cause of each miss', async () => {
  const response = await user.get(path(1))
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    hits: 1,
    misses: 2,
    examined: 2,
    problem: null,
    causes: [
      { cause: 'gone', misses: 1 },
      { cause: 'first', misses: 1 },
    ],
    samples: [
      { path: '/depot/731/chunk/known', cause: 'gone', wasHitBefore: true },
      { path: '/depot/731/chunk/new', cause: 'first', requestedBeforeUtc: null },
    ],
  })
  expect((await user.get(path(99))).status).toBe(404)
})

test('its speed stands beside the best of its client and of the cache', async () => {
  const response = await guest.get(path(1, 'speeds'))
  expect(await response.json()).toEqual({
    bytesPerSecond: 35,
    client: { bytesPerSecond: 100, downloads: 2 },
    cache: { bytesPerSecond: 400, downloads: 3 },
  })
})

test('a hidden client has neither', async () => {
  await user.put('/api/stats/exclusions', { rules: [{ ip: '10.0.0.1', mode: 'hide' }] })
  expect((await user.get(path(1))).status).toBe(404)
  expect((await user.get(path(1, 'speeds'))).status).toBe(404)
  await user.put('/api/stats/exclusions', { rules: [] })
})
