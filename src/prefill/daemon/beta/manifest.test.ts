import { expect, test } from 'bun:test'
import {
  chunkPath,
  encodeBinary,
  encodeManifest,
  encodePayload,
  practiceChunks,
} from '../../../../test/support/stand-ins/beta-manifest.ts'
import { endureMutations, mutated } from '../../../../test/support/mutations.ts'
import { seededRandom } from '../../../demo/random.ts'
import { FormatError } from '../content/format-error.ts'
import { readManifest } from './manifest.ts'

const chunks = practiceChunks(120)
const listedIn = (directory: string) =>
  chunks.map((chunk) => ({ path: chunkPath(chunk, directory), bytes: chunk.bytes }))

test('paths and sizes of chunks, as they are documented', () => {
  const guid = '0123456789ABCDEF00000001FFFFFFFE'
  const chunk = { guid, hash: '00FEDCBA98765432', group: 7, bytes: 1_048_643 }
  for (const build of [{ chunks: [chunk] }, { chunks: [chunk], jsonVersion: 18 }]) {
    expect(readManifest(encodeManifest(build))).toEqual([
      { path: `ChunksV4/07/00FEDCBA98765432_${guid}.chunk`, bytes: 1_048_643 },
    ])
  }
})

test('every chunk of a binary manifest, compressed or not', () => {
  const payload = encodePayload({ chunks })
  for (const isCompressed of [true, false]) {
    expect(readManifest(encodeBinary(payload, { isCompressed }))).toEqual(listedIn('ChunksV4'))
  }
  expect(readManifest(encodeManifest({ chunks: [] }))).toEqual([])
})

test.each([
  [1, 'Chunks'],
  [2, 'Chunks'],
  [3, 'ChunksV2'],
  [5, 'ChunksV2'],
  [6, 'ChunksV3'],
  [14, 'ChunksV3'],
  [15, 'ChunksV4'],
])('the directory of feature level %d is %s, in both forms', (level, directory) => {
  for (const build of [
    { chunks, level },
    { chunks, jsonVersion: level },
  ]) {
    expect(readManifest(encodeManifest(build))).toEqual(listedIn(directory))
  }
})

test('a JSON manifest that names no version is of version 13', () => {
  expect(readManifest(encodeManifest({ chunks, jsonVersion: null }))).toEqual(listedIn('ChunksV3'))
})

test('other files are refused', () => {
  const file = encodeManifest({ chunks })
  const altered = (at: number, value: number) => {
    const copy = Buffer.from(file)
    copy[at] = value
    return () => readManifest(copy)
  }
  expect(altered(0, 1)).toThrow('does not begin like one')
  expect(altered(11, 0xff)).toThrow('too large')
  expect(altered(16, (file[16] ?? 0) ^ 1)).toThrow('checksum')
  expect(altered(36, 3)).toThrow('encrypted')
  expect(altered(50, (file[50] ?? 0) ^ 0xff)).toThrow(FormatError)
  expect(() => readManifest(Buffer.alloc(0))).toThrow(FormatError)
  expect(() => readManifest(file.subarray(0, 200))).toThrow('cannot be decompressed')
  const broken = ['{', '{}', '['.repeat(50), `{"a":${'['.repeat(2_000_000)}`]
  for (const text of broken) expect(() => readManifest(Buffer.from(text))).toThrow(FormatError)
})

test('a list that announces more than there is takes no memory', () => {
  const payload = encodePayload({ chunks })
  const countAt = payload.readUInt32LE(0) + 5
  for (const count of [-1, 121, 999_999, 0x7fffffff]) {
    payload.writeInt32LE(count, countAt)
    expect(() => readManifest(encodeBinary(payload))).toThrow(FormatError)
  }
  const bomb = encodeBinary(Buffer.alloc(50_000_000))
  bomb.writeUInt32LE(1000, 8)
  expect(() => readManifest(bomb)).toThrow('cannot be decompressed')
})

const values = [0, 1, 34, 48, 57, 123, 127, 128, 255]

test('ten thousand mutated binary manifests neither crash nor hang the reader', async () => {
  const payload = encodePayload({ chunks })
  const file = encodeBinary(payload)
  const listAt = payload.readUInt32LE(0)
  const random = seededRandom(11)
  const plain = { isCompressed: false }
  const makers = [
    () => mutated(file, random, values, 60),
    () => encodeBinary(mutated(payload, random, values), plain),
    () => encodeBinary(mutated(payload, random, values, listAt + 9), plain),
  ]
  await endureMutations(() => random.pick(makers)(), readManifest)
})

test('ten thousand mutated JSON manifests neither crash nor hang the reader', async () => {
  const json = encodeManifest({ chunks: chunks.slice(0, 20), jsonVersion: 12 })
  const random = seededRandom(12)
  await endureMutations(() => mutated(json, random, values), readManifest)
})
