import { describe, expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import {
  database,
  drain,
  file,
  ingest,
  withIngest,
} from '../../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { platformFacts, platforms } from '../../../platforms/platforms.ts'
import type { PrefillRun } from './prefill-runs.ts'

withIngest()

const know = (...runs: PrefillRun[]) => ingest.setPrefillRuns(runs)

describe('requests of our own daemons', () => {
  const run: PrefillRun = {
    mark: 'a1b2',
    platform: 'gamma',
    addresses: ['10.8.0.1', '2001:db8::1'],
    startedAt: firstSecond,
    endedAt: firstSecond + 100,
  }
  const prefilled = async (lines: string[]) => {
    writeFileSync(file('access.log'), lines.join(''))
    await drain()
    const rows = database
      .query('SELECT service, client, hit_bytes AS bytes FROM traffic_outbox WHERE is_prefill')
      .all() as { service: string; client: string; bytes: number }[]
    return rows.reduce((sum, { bytes }) => sum + bytes, 0)
  }
  const line = (bytes: number, change: Parameters<typeof logLine>[0] = {}) =>
    logLine({ at: firstSecond + 50, client: '10.8.0.1', tag: 'blizzard', bytes, ...change })

  test('are prefill by time, address and platform', async () => {
    know(run)
    const counted = await prefilled([
      line(1),
      line(2, { client: '2001:db8::1' }),
      // A host that no domain list names: clients do not ask the cache for it.
      line(4, { tag: 'assets.example.test' }),
      line(8, { at: firstSecond - 20 }),
      line(16, { at: firstSecond + 120 }),
      line(32, { client: '10.8.0.2' }),
      line(64, { tag: 'steam' }),
      line(128, { at: firstSecond - 400 }),
      line(256, { at: firstSecond + 600 }),
    ])
    expect(counted).toBe(1 + 2 + 4 + 8 + 16)
  })

  test.each(platforms.map((platform) => [platform, platformFacts[platform].services[0]] as const))(
    'of %s are recognised by its service',
    async (platform, tag) => {
      know({ ...run, platform, endedAt: null })
      const others = platforms.filter((one) => one !== platform)
      const lines = others.map((one) => line(1, { tag: platformFacts[one].services[0] }))
      expect(await prefilled([line(8, { tag }), ...lines])).toBe(8)
    },
  )

  test('that began in the middle of a download are rows of their own', async () => {
    writeFileSync(file('access.log'), line(1))
    await drain()
    know(run)
    appendFileSync(file('access.log'), line(2))
    await drain()
    const rows = database
      .query('SELECT is_prefill AS isPrefill, hit_bytes AS bytes FROM traffic_outbox ORDER BY 1')
      .all()
    expect(rows).toEqual([
      { isPrefill: 0, bytes: 1 },
      { isPrefill: 1, bytes: 2 },
    ])
  })

  test('name their address by a heartbeat with the mark of a run that goes on', async () => {
    const seen: object[] = []
    ingest.prefillRuns.onMark = (found) => void seen.push(found)
    know({ ...run, endedAt: null }, { ...run, mark: 'c3d4' })
    const beat = (query: string) => line(0, { path: `/lancache-heartbeat${query}`, status: 204 })
    const long = 'x'.repeat(200)
    const wrong = ['?larder-run=', '?larder-run=zz', '?larder-run=c3d4', '?another-run=a1b2']
    const beats = ['', '?larder-run=a1b2', ...wrong, `?larder-run=${long}`]
    expect(await prefilled(beats.map(beat))).toBe(0)
    expect(seen).toEqual([{ mark: 'a1b2', address: '10.8.0.1' }])
  })
})
