import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { testApp } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { signInGuest } from '../../../test/support/sign-in.ts'
import type { SizeCurves } from './model.ts'

const daySeconds = 86_400
const gibibyte = 1024 ** 3

/** Each object twice, a day apart: a cache that holds a day's objects serves the second request. */
function log(days: number, objectsPerDay: number, bytes: number): string {
  const startS = Math.floor(Date.now() / 1000) - days * daySeconds
  const lines: string[] = []
  for (let day = 0; day < days; day++) {
    for (let object = 0; object < objectsPerDay; object++) {
      const at = startS + day * daySeconds + object
      const path = `/depot/731/chunk/${Math.floor(day / 2)}-${object}`
      lines.push(logLine({ at, path, bytes, cache: day % 2 === 0 ? 'MISS' : 'HIT' }))
    }
  }
  return lines.join('')
}

async function curvesOf(days: number, objectsPerDay: number) {
  const app = await testApp()
  app.disk.setLimit('default', gibibyte)
  await Bun.write(join(app.root, 'logs', 'access.log'), log(days, objectsPerDay, 500_000))
  await app.logs.start()
  const guest = await signInGuest(app)
  const read = async () =>
    (await (await guest.get('/api/ext/cache/sizes')).json()) as Static<typeof SizeCurves>
  const isRead = async () => (await read()).items[0]?.requests === days * objectsPerDay
  await eventually(isRead, 'the log is read')
  return read()
}

test('a curve has what the log shows, and jumps where the cache holds a day', async () => {
  const { items, windowDays } = await curvesOf(10, 8000)
  expect(windowDays).toBe(91)
  const [curve] = items
  expect(curve).toMatchObject({
    datasource: 'default',
    state: 'ready',
    requests: 80_000,
    bytes: 40_000_000_000,
    measured: { byBytes: 0.5, byRequests: 0.5 },
    today: { bytes: gibibyte, byBytes: 0 },
    more: { bytes: gibibyte + 1e9 },
  })
  // A day is 4 GB: 3.7 GiB.
  const shares = curve?.points.map(({ bytes, byBytes }) => [bytes / gibibyte, byBytes]) ?? []
  for (const [size = 0, share = 0] of shares) {
    if (size < 3) expect(share).toBeLessThan(0.02)
    if (size > 4.5) expect(Math.abs(share - 0.5)).toBeLessThan(curve?.error ?? 0)
  }
  expect(shares.at(-1)?.[0]).toBeGreaterThan(4.5)
})

test('there is no curve of a few days', async () => {
  const { items } = await curvesOf(2, 100)
  expect(items).toMatchObject([
    { state: 'tooLittleHistory', requests: 200, today: null, more: null, points: [] },
  ])
})
