import pLimit from 'p-limit'

/**
 * `control`: at once, so that a cancel or a status never waits; `serialized`: one at a time in the
 * whole daemon; `concurrent`: a few at a time.
 */
export type Lane = 'control' | 'serialized' | 'concurrent'

const concurrentMax = 4

export function createLanes() {
  const serialized = pLimit(1)
  const concurrent = pLimit(concurrentMax)
  return <T>(lane: Lane, run: () => Promise<T>): Promise<T> => {
    if (lane === 'control') return run()
    return lane === 'serialized' ? serialized(run) : concurrent(run)
  }
}
