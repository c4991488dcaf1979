import { expect, test } from 'bun:test'
import texts from '../../../locales/en.prefill.json'
import { setTexts } from '../../../locales/translate.ts'
import { setClock } from '../../../format/times.ts'
import type { ReadyBoard } from './queries.ts'
import { verdictOf } from './verdict.ts'

setTexts(texts)
setClock({ timeZone: 'UTC', hourCycle: 'h23' })

const now = new Date('2026-11-25T12:00:00Z')
const board: ReadyBoard = {
  dueAtUtc: '2026-11-27T18:00:00Z',
  hours: null,
  timeZoneId: 'UTC',
  fetchesUpdates: false,
  isWanted: false,
  games: [],
  missingBytes: 84e9,
  seconds: 1200,
  allowedSeconds: 600,
  readyAtUtc: '2026-11-25T12:20:00Z',
  freeBytes: 40e9,
  evictableBytes: 0,
  fits: 'yes',
  verdict: 'inTime',
  operationId: null,
  isChecking: false,
  checkedAtUtc: null,
}
const said = (part: Partial<ReadyBoard>) => {
  const { tone, text } = verdictOf({ ...board, ...part }, now)
  return [tone, text.replaceAll('\u00A0', ' ')]
}

test.each<[Partial<ReadyBoard>, string, string]>([
  [{}, 'good', 'Ready by Friday 18:00: 84.0 GB to download, about 20 min, fits'],
  [
    { fits: 'evicts' },
    'good',
    'Ready by Friday 18:00: 84.0 GB to download, about 20 min, fits if older content is evicted',
  ],
  [
    { verdict: 'late' },
    'bad',
    'Not ready by Friday 18:00: 84.0 GB to download, about 20 min, only 10 min left',
  ],
  [
    { verdict: 'noSpace', fits: 'no' },
    'bad',
    'Does not fit into the cache: 84.0 GB to download, about 20 min, 40.0 GB free',
  ],
  [{ verdict: 'ready', missingBytes: 0 }, 'good', 'Everything is ready for Friday 18:00'],
  [{ verdict: 'ready', missingBytes: 0, dueAtUtc: null }, 'good', 'Everything is ready'],
  [
    { verdict: 'unknown', missingBytes: null, seconds: null, readyAtUtc: null, fits: 'unknown' },
    'quiet',
    'Sizes are not known yet',
  ],
  [
    { verdict: 'unknown', missingBytes: null, readyAtUtc: null, fits: 'unknown', isChecking: true },
    'quiet',
    'Checking …',
  ],
])('%j', (part, tone, text) => {
  expect(said(part)).toEqual([tone, text])
})

test('without a moment it says when everything can be there', () => {
  expect(said({ dueAtUtc: null, verdict: 'inTime' })).toEqual([
    'quiet',
    '84.0 GB to download, about 20 min, ready 12:20 at the earliest, fits',
  ])
})

test('a moment of today, or further away than the names of days reach', () => {
  expect(said({ dueAtUtc: '2026-11-25T18:00:00Z' })[1]).toStartWith('Ready by 18:00:')
  expect(said({ dueAtUtc: '2026-12-11T18:00:00Z' })[1]).toMatch(/^Ready by .*11.* 18:00:/)
})
