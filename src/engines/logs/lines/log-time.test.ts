import { expect, test } from 'bun:test'
import { timeLengthAt, TimeReader } from './log-time.ts'

const bytes = (text: string) => new TextEncoder().encode(`${text}] "`)
const instant = (text: string) => Date.parse(text) / 1000

test.each([
  ['2026-11-20 21:52:49', 'UTC', '2026-11-20T21:52:49Z'],
  ['2026-11-20T21:52:49', 'Europe/Berlin', '2026-11-20T20:52:49Z'],
  ['2026-07-20T21:52:49', 'Europe/Berlin', '2026-07-20T19:52:49Z'],
  ['2026-11-20T21:52:49Z', 'Europe/Berlin', '2026-11-20T21:52:49Z'],
  ['2026-11-20T21:52:49+05:30', 'Europe/Berlin', '2026-11-20T16:22:49Z'],
  ['2026-11-20 21:52:49', 'Asia/Kathmandu', '2026-11-20T16:07:49Z'],
  // Ambiguous: the first of the two.
  ['2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
  ['2026-10-25 03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00Z'],
  // Skipped by the clock change: later by the same amount.
  ['2026-03-29 02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
  ['2026-03-29 03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
  // Daylight saving of half an hour, from two o'clock on.
  ['2026-10-04 02:45:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
  ['2026-11-01 01:30:00', 'America/New_York', '2026-11-01T05:30:00Z'],
])('%s in %s is %s', (text, zone, expected) => {
  const buffer = bytes(text)
  expect(timeLengthAt(buffer, 0)).toBe(text.length)
  const reader = new TimeReader(zone)
  expect(reader.read(buffer, 0)).toBe(instant(expected))
  expect(reader.read(buffer, 0)).toBe(instant(expected))
})

test.each([
  '2026-02-30 21:52:49',
  '2026-11-20 25:52:49',
  '2026-13-20 21:52:49',
  '0001-01-01 00:00:00',
])('rejects %s as a time', (text) => {
  expect(new TimeReader('UTC').read(bytes(text), 0)).toBeNaN()
})

test('reads neighbouring times independently', () => {
  const reader = new TimeReader('UTC')
  const read = (text: string) => reader.read(bytes(text), 0)
  expect(read('20/Nov/2026:21:52:49 +0000')).toBe(instant('2026-11-20T21:52:49Z'))
  expect(read('20/Nov/2026:00:00:07 +0000')).toBe(instant('2026-11-20T00:00:07Z'))
  expect(read('20/Nov/2026:00:00:07 +0200')).toBe(instant('2026-11-19T22:00:07Z'))
  expect(read('20/Nov/2026:00:0x:07 +0200')).toBeNaN()
  expect(read('20/Nov/2026:24:00:07 +0200')).toBeNaN()
  expect(read('20/Nov/2026:23:59:60 +0200')).toBe(instant('2026-11-20T22:00:00Z'))
  expect(read('21/Nov/2026:00:00:07 +0200')).toBe(instant('2026-11-20T22:00:07Z'))
})
