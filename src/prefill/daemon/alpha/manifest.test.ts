import { describe, expect, test } from 'bun:test'
import {
  chunkId,
  encodeManifest,
  manifestSections,
  zipped,
} from '../../../../test/support/alpha-manifest.ts'
import { endureMutations, mutated } from '../../../../test/support/mutations.ts'
import { seededRandom } from '../../../demo/random.ts'
import { FormatError } from '../content/format-error.ts'
import { readManifest } from './manifest.ts'

const one = { name: 'one', bytes: 1_048_576 }
const two = { name: 'two', bytes: 3 }
const expected = [one, two].map((chunk) => ({ id: chunkId(chunk), bytes: chunk.bytes }))

test('the chunks of all files, each once', () => {
  expect(readManifest(encodeManifest([[one], [], [two, one]]))).toEqual(expected)
  expect(readManifest(encodeManifest([]))).toEqual([])
})

describe('other files are refused', () => {
  const good = manifestSections([[one, two]])
  const stored = zipped(good)
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['no archive', Buffer.from('<html>not a manifest, but long enough</html>')],
    ['a cut archive', stored.subarray(0, -30)],
    ['another file', zipped(Buffer.from('<html>nothing</html>'))],
    ['no payload', zipped(good.subarray(good.length - 14))],
    ['a cut payload', zipped(good.subarray(0, 40))],
  ])('%s', (_what, file) => {
    expect(() => readManifest(file)).toThrow(FormatError)
  })
})

test('ten thousand mutated manifests neither crash nor hang the reader', async () => {
  const files = Array.from({ length: 8 }, (_, index) => [one, two, { name: `${index}`, bytes: 9 }])
  const good = manifestSections(files)
  const archive = zipped(good)
  const random = seededRandom(5)
  const mutate = (file: Buffer) => mutated(file, random, [0, 1, 4, 127, 128, 255])
  await endureMutations(
    (round) => (round % 2 === 0 ? mutate(archive) : zipped(mutate(good))),
    readManifest,
  )
})
