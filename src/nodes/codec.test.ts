import { expect, test } from 'bun:test'
import { seededRandom, type Random } from '../demo/random.ts'
import { decodeMessage, encodeMessage } from './codec.ts'

/** A value of everything that may be sent. */
function valueOf(random: Random, depth = 0): unknown {
  const leaves = [
    () => null,
    () => random.next() < 0.5,
    () => random.between(-1e9, 1e9) / 8,
    () => random.pick(['', 'text', 'ü "\\\u2028', '$larder', 'bytes', '9'.repeat(30)]),
    () => BigInt(random.between(-1e9, 1e9)) ** 3n,
    () => Uint8Array.from({ length: random.between(0, 40) }, () => random.between(0, 255)),
  ]
  if (depth > 3 || random.next() < 0.4) return random.pick(leaves)()
  const members = Array.from({ length: random.between(0, 5) }, () => valueOf(random, depth + 1))
  if (random.next() < 0.5) return members
  const keys = ['a', '$larder', 'is', 'from', 'to', 'members', '0', '__proto__']
  return Object.fromEntries(members.map((member) => [random.pick(keys), member]))
}

test('a message is decoded as it was encoded', () => {
  const random = seededRandom(28)
  for (let round = 0; round < 2000; round++) {
    const value = valueOf(random)
    expect(decodeMessage(encodeMessage(value))).toEqual(value)
  }
})

test('a message without bytes and bigints is plain JSON', () => {
  const value = { rows: [1, 'two', null, { three: true }] }
  expect(encodeMessage(value).toString('utf8', 1)).toBe(JSON.stringify(value))
})

test.each([new Date(0), new Map(), { deep: [new Set()] }])('%p is refused', (value) => {
  expect(() => encodeMessage(value)).toThrow('cannot be sent')
})

test('bytes of a decoded message keep no other memory', () => {
  const message = encodeMessage({ small: new Uint8Array(2), large: new Uint8Array(1e6) })
  const { small } = decodeMessage(message) as { small: Uint8Array }
  expect(small.buffer.byteLength).toBe(2)
})

test('altered messages are refused or decoded to something, and never keep it busy', () => {
  const random = seededRandom(29)
  for (let round = 0; round < 5000; round++) {
    const bytes = encodeMessage([valueOf(random), 1n, new Uint8Array(3)])
    bytes[random.between(0, bytes.length - 1)] = random.between(0, 255)
    const cut = bytes.subarray(0, random.between(0, bytes.length))
    try {
      decodeMessage(random.next() < 0.5 ? bytes : cut)
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
    }
  }
})
