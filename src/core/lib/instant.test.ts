import { expect, test } from 'bun:test'
import { instantOf } from './instant.ts'

test.each([
  ['2030-01-01T00:00:00.1234567Z', '2030-01-01T00:00:00.123Z'],
  ['2030-01-01T05:45+05:45', '2030-01-01T00:00:00.000Z'],
  ['2030-07-01T00:00:00', '2030-07-01T00:00:00.000Z'],
  ['2030-01-01', '2030-01-01T00:00:00.000Z'],
  [' 2028-02-29t00:00z', '2028-02-29T00:00:00.000Z'],
])('%s is %s in every time zone', (text, expected) => {
  const zone = process.env['TZ']
  try {
    for (const name of ['Asia/Kathmandu', 'America/St_Johns']) {
      process.env['TZ'] = name
      expect(instantOf(text)?.toISOString()).toBe(expected)
    }
  } finally {
    process.env['TZ'] = zone ?? ''
  }
})

test.each([
  '',
  '5',
  'tomorrow',
  '2030-02-31',
  '2030-13-01T00:00Z',
  '2030-01-01T25:00Z',
  '1893456000',
])('%p is no instant', (text) => expect(instantOf(text)).toBeNull())
