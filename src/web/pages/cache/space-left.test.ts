import { expect, test } from 'bun:test'
import type { CacheForecast } from '../../../cache/snapshots/model.ts'
import { fullIn } from './space-left.ts'

const forecast = (part: Partial<CacheForecast>): CacheForecast => ({
  growthBytesPerDay: 1e9,
  daysUntilFull: 41.3,
  fullAt: '2027-01-01T00:00:00.000Z',
  reason: null,
  roomBytes: 41e9,
  usedBytes: 1,
  totalBytes: 2,
  basis: { snapshots: 300, from: null, to: null, days: 12 },
  ...part,
})
const without = (reason: CacheForecast['reason']) =>
  fullIn(forecast({ daysUntilFull: null, fullAt: null, reason }))

test('shows a number of days', () => {
  expect(fullIn(forecast({}))).toEqual({ kind: 'days', days: 41.3 })
  expect(fullIn(forecast({ daysUntilFull: 0 }))).toEqual({ kind: 'full' })
})

test('shows no number beyond ten years', () => {
  expect(fullIn(forecast({ daysUntilFull: 5000 }))).toEqual({ kind: 'far' })
  expect(without('beyondForecast')).toEqual({ kind: 'far' })
})

test('gives the reason without a forecast', () => {
  expect(without('notGrowing')).toEqual({ kind: 'still' })
  expect(without('tooLittleHistory')).toEqual({ kind: 'tooLittle' })
  expect(without('diskUnknown')).toEqual({ kind: 'unknown' })
  expect(fullIn(null)).toEqual({ kind: 'unknown' })
})
