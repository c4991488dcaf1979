import { expect } from 'bun:test'
import { OutsideError } from '../../src/core/lib/outside.ts'
import type { seededRandom } from '../../src/demo/random.ts'
import { FormatError } from '../../src/prefill/daemon/content/format-error.ts'

const rounds = 10_000
/** Growth of the process, in bytes. */
const memoryMax = 512 * 1024 * 1024

type Random = ReturnType<typeof seededRandom>

/** A copy with up to five of its first bytes replaced by some of these values. */
export function mutated(good: Buffer, random: Random, values: readonly number[], first?: number) {
  const copy = Buffer.from(good)
  for (let left = random.between(1, 5); left > 0; left--) {
    copy[random.between(0, (first ?? copy.length) - 1)] = random.pick(values)
  }
  return copy
}

/**
 * Reads ten thousand mutated files. Errors other than those for unreadable files, and memory beyond
 * what the largest file takes, are failures. Resolves to how many were refused.
 */
export async function endureMutations(
  next: (round: number) => Buffer,
  read: (file: Buffer) => unknown,
): Promise<number> {
  const beforeBytes = process.memoryUsage.rss()
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    try {
      await read(next(round))
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof OutsideError)) throw error
      refused++
    }
  }
  // What is merely not collected yet is no growth.
  Bun.gc(true)
  expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(memoryMax)
  expect(refused).toBeGreaterThan(rounds / 10)
  expect(refused).toBeLessThan(rounds)
  return refused
}
