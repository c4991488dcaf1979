import { expect, test } from 'bun:test'
import en from '../locales/en.json'
import { setTexts } from '../locales/translate.ts'
import { sinceText } from './times.ts'

const now = new Date('2026-11-21T12:00:00Z')
const before = (ms: number) => sinceText(new Date(now.getTime() - ms), now)
const minute = 60_000

test('elapsed time in one unit', () => {
  setTexts(en)
  expect(before(20_000)).toBe(en['time.justNow'])
  expect(before(-5000)).toBe(en['time.justNow'])
  expect(before(4.9 * minute)).toBe('4 min. ago')
  expect(before(61 * minute)).toBe('1 hr. ago')
  expect(before(50 * 60 * minute)).toBe('2 days ago')
})

test('long ago is shown as a date', () => {
  expect(before(90 * 24 * 60 * minute)).toContain('2026')
})
