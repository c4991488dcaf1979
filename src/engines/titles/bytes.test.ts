import { expect, test } from 'bun:test'
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
