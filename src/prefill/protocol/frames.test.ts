import { expect, test } from 'bun:test'
import { encodeFrame, FrameError, frameBytesMax, FrameReader } from './frames.ts'

const texts = ['{}', '{"name":"Söldner ☃"}', 'x'.repeat(70_000)]
const stream = Buffer.concat(texts.map(encodeFrame))

const readAll = (reader: FrameReader, chunks: Iterable<Uint8Array>) =>
  [...chunks].flatMap((chunk) => [...reader.read(chunk)])

const header = (bytes: number) => {
  const head = Buffer.alloc(4)
  head.writeInt32LE(bytes)
  return head
}

test('a frame is its length as little-endian int32, then UTF-8', () => {
  expect([...encodeFrame('ä!')]).toEqual([3, 0, 0, 0, 0xc3, 0xa4, 0x21])
})

test.each([1, 2, 3, 5, 1000, 65_536, stream.length])('chunks of %d bytes', (size) => {
  const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
    stream.subarray(index * size, (index + 1) * size),
  )
  expect(readAll(new FrameReader(), chunks)).toEqual(texts)
})

test('the longest frame is read, longer and empty ones are refused', () => {
  const longest = 'y'.repeat(frameBytesMax)
  expect(readAll(new FrameReader(), [encodeFrame(longest)])[0]?.length).toBe(frameBytesMax)
  for (const bytes of [0, -1, frameBytesMax + 1, 0x7f_ff_ff_ff]) {
    expect(() => readAll(new FrameReader(), [header(bytes)])).toThrow(FrameError)
  }
  expect(() => encodeFrame('')).toThrow(FrameError)
  expect(() => encodeFrame(`${longest}y`)).toThrow(FrameError)
})

test('a reader may allow less', () => {
  const reader = new FrameReader(10)
  expect(readAll(reader, [encodeFrame('0123456789')])).toEqual(['0123456789'])
  expect(() => readAll(reader, [header(11)])).toThrow('allowed are 1 to 10')
})

test('announced bytes take no memory before they arrive', () => {
  const readers = Array.from({ length: 500 }, () => new FrameReader())
  const before = process.memoryUsage().external
  for (const reader of readers) readAll(reader, [header(frameBytesMax), Buffer.from('x')])
  expect(process.memoryUsage().external - before).toBeLessThan(200 * 1024 * 1024)
})

test('bytes that are not UTF-8 are refused', () => {
  const garbled = Buffer.concat([header(2), Buffer.from([0xff, 0xfe])])
  expect(() => readAll(new FrameReader(), [garbled])).toThrow(FrameError)
})
