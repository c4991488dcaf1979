import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { imageTypeOf } from './media-type.ts'
import { openImageStore, type ImageStore, type ImageStoreLimits } from './store.ts'

let folder: string
let nowMs = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'larder-images-'))
  nowMs = 1_000_000
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (limits?: ImageStoreLimits) =>
  openImageStore(folder, { log: quietLog, now: () => nowMs, ...(limits && { limits }) })
const images = () => readdirSync(folder).filter((name) => name !== 'index.json')

/** Stores an image a millisecond after the last one. */
async function keep(store: ImageStore, key: string, bytes = 100): Promise<void> {
  nowMs++
  await store.keep(key, { bytes: Buffer.alloc(bytes, key), type: 'image/png' })
}

test('the least recently used images make room', async () => {
  const store = await open({ bytesMax: 250, imagesMax: 10 })
  await keep(store, 'alpha:1')
  await keep(store, 'alpha:2')
  nowMs++
  await store.read('alpha:1')
  await keep(store, 'alpha:3')
  expect(store.keys()).toEqual(['alpha:1', 'alpha:3'])
  expect(images()).toHaveLength(2)
  await keep(store, 'alpha:3', 150)
  expect(store.keys().toSorted()).toEqual(['alpha:1', 'alpha:3'])
})

test('there is a limit to the number of images', async () => {
  const store = await open({ bytesMax: 10_000, imagesMax: 2 })
  for (const id of [1, 2, 3, 4]) await keep(store, `alpha:${id}`)
  expect(store.keys()).toEqual(['alpha:3', 'alpha:4'])
  expect(images()).toHaveLength(2)
})

test('a restart keeps images and what is missing, and removes files without an entry', async () => {
  const first = await open()
  await keep(first, 'alpha:1')
  first.noteMissing('alpha:9', nowMs + 1000)
  await first.save()
  await keep(first, 'alpha:2')
  writeFileSync(join(folder, 'stray.new'), 'half')
  const second = await open()
  expect(second.keys()).toEqual(['alpha:1'])
  expect((await second.read('alpha:1'))?.content).toEqual(Buffer.alloc(100, 'alpha:1'))
  expect(images()).toHaveLength(1)
  expect(second.isMissing('alpha:9')).toBe(true)
  nowMs += 2000
  expect(second.isMissing('alpha:9')).toBe(false)
})

test.each([
  '',
  '{',
  '[]',
  '{"images":{"alpha:1":{"type":"image/svg+xml"}},"missing":{}}',
  '{"images":{"alpha:1":{"bytes":-1}},"missing":{}}',
])('a damaged index (%j) starts an empty store', async (text) => {
  const first = await open()
  await keep(first, 'alpha:1')
  writeFileSync(join(folder, 'index.json'), text)
  const second = await open()
  expect(second.keys()).toEqual([])
  expect(images()).toEqual([])
  await keep(second, 'alpha:1')
  expect(await second.read('alpha:1')).not.toBeNull()
})

test('keys with separators stay in the folder', async () => {
  const store = await open()
  await keep(store, 'beta:../../../outside')
  expect(images()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(await store.read('beta:../../../outside')).not.toBeNull()
})

test('types are recognised by their first bytes', () => {
  const typeOf = (text: string) => imageTypeOf(Buffer.from(text, 'latin1'))
  expect(typeOf('\xff\xd8\xff\xe0')).toBe('image/jpeg')
  expect(typeOf('\x89PNG\r\n\x1a\n')).toBe('image/png')
  expect(typeOf('GIF89a')).toBe('image/gif')
  expect(typeOf('RIFF\0\0\0\0WEBPVP8')).toBe('image/webp')
  expect(typeOf('\0\0\0\x20ftypavif')).toBe('image/avif')
  for (const other of ['', '<svg', 'RIFF\0\0\0\0WAVE', 'PNG', '%PDF-']) {
    expect(typeOf(other)).toBeNull()
  }
})
