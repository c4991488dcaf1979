import { expect, test } from 'bun:test'
import { readBatch } from './batch.ts'

type Answer = Parameters<typeof readBatch>[0]

// The members that are told apart.
const answer = (bytes: number, failedSections: Answer['failedSections'] = []) =>
  ({
    cache: { usedCacheSize: bytes },
    clients: { items: [bytes], total: bytes },
    services: { items: [bytes] },
    downloads: { items: [bytes] },
    dashboard: { bytes },
    sparklines: { bytes },
    hourlyActivity: { bytes },
    cacheSnapshot: { bytes },
    failedSections,
  }) as unknown as Answer

test('a section that failed keeps its last good figures and says that they are old', () => {
  const first = readBatch(answer(7), undefined)
  expect(first).toMatchObject({ dashboard: { bytes: 7 }, clientsTotal: 7, old: [] })
  const away = readBatch(answer(0, ['clients', 'dashboard', 'downloads']), first)
  expect(away).toMatchObject({
    dashboard: { bytes: 7 },
    clients: [7],
    clientsTotal: 7,
    sparklines: { bytes: 0 },
    old: ['dashboard', 'clients', 'downloads'],
  })
  const still = readBatch(answer(0, ['dashboard']), away)
  expect(still).toMatchObject({ dashboard: { bytes: 7 }, clients: [0], old: ['dashboard'] })
  expect(readBatch(answer(8), still)).toMatchObject({ dashboard: { bytes: 8 }, old: [] })
})

test('a section that was never good is not known, which is not zero', () => {
  expect(readBatch(answer(0, ['dashboard']), undefined)).toMatchObject({ dashboard: null, old: [] })
})
