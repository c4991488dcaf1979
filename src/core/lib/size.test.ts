import { expect, test } from 'bun:test'
import { parseSize } from './size.ts'

test.each([
  ['1048576', 1_048_576],
  ['1m', 1_048_576],
  ['10M', 10_485_760],
  ['1000g', 1_073_741_824_000],
  ['1.5T', 1_649_267_441_664],
  ['512 kb', 524_288],
  ['0', 0],
])('%s is %d bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes))

test.each(['', '1.5', '-1', '1x', 'g', '1e9', '9999999t', '1 000'])('rejects %p', (text) =>
  expect(parseSize(text)).toBeNull(),
)
