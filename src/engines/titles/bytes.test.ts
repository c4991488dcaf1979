import { expect, test } from 'bun:test'
import { seededRandom } from '../../demo/random.ts'
import { ByteInterner } from './bytes.ts'

test.each([
  ['a Node buffer', Buffer.alloc(16)],
  ['a plain array', new Uint8Array(16)],
])('keeps a value when the block it was read from, %s, is refilled', (_kind, block) => {
  const made: string[] = []
  const names = new ByteInterner((text) => {
    made.push(text)
    return text
  })
  for (const [at, text] of ['steam', 'riot', 'steam', 'riot', 'steam'].entries()) {
    block.fill(0)
    block.set(new TextEncoder().encode(text), at)
    expect(names.get(block, at, at + text.length)).toBe(text)
  }
  expect(made).toEqual(['steam', 'riot'])
  expect(names.size).toBe(2)
})

test('has one value for each sequence, however alike they are', () => {
  const random = seededRandom(28)
  const made: string[] = []
  const names = new ByteInterner((text) => {
    made.push(text)
    return { text }
  })
  const values = new Map<string, { text: string }>()
  for (let round = 0; round < 20_000; round++) {
    const text = random.between(0, 4 ** random.between(0, 6)).toString(4)
    const buffer = Buffer.from(`x${text}y`)
    const value = names.get(buffer, 1, 1 + text.length)
    expect(value.text).toBe(text)
    expect(values.getOrInsert(text, value)).toBe(value)
  }
  expect(made.toSorted()).toEqual([...values.keys()].toSorted())
  names.clear()
  const again = names.get(Buffer.from('0'), 0, 1)
  expect(again).not.toBe(values.get('0') as { text: string })
})
