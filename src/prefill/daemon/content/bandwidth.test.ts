import { expect, test } from 'bun:test'
import { createBandwidth, type Bandwidth } from './bandwidth.ts'

/** Milliseconds in which these bytes pass, in parts, from several requests at once. */
async function passing(bandwidth: Bandwidth, { bytes, requests = 4, piece = 10_000 }: Load) {
  const startedMs = performance.now()
  const request = async () => {
    for (let left = bytes / requests; left > 0; left -= piece) await bandwidth.take(piece)
  }
  await Promise.all(Array.from({ length: requests }, request))
  return performance.now() - startedMs
}
interface Load {
  bytes: number
  requests?: number
  piece?: number
}

test('without a limit nothing waits', () => {
  const bandwidth = createBandwidth()
  expect([bandwidth.take(1e9), bandwidth.take(1e9)]).toEqual([null, null])
})

test('several requests share one limit', async () => {
  const tookMs = await passing(createBandwidth(1_000_000), { bytes: 400_000 })
  // The last bytes need not be paid for before the end.
  expect(tookMs).toBeGreaterThan(330)
})

test('a changed limit applies at once, also to requests that wait', async () => {
  const bandwidth = createBandwidth(1000)
  const slow = passing(bandwidth, { bytes: 400_000 })
  bandwidth.setLimit(100_000_000)
  expect(await slow).toBeLessThan(5000)
  const waiting = createBandwidth(10)
  void waiting.take(1000)
  const wait = waiting.take(1000)
  waiting.setLimit(null)
  await wait
  expect(waiting.limit).toBeNull()
})

test('a pause holds everything back, and its end lets it pass', async () => {
  const bandwidth = createBandwidth()
  bandwidth.setPaused(true)
  const order: string[] = []
  const wait = bandwidth.take(1)?.then(() => order.push('passed'))
  bandwidth.setLimit(5)
  await new Promise((resolve) => setImmediate(resolve))
  order.push('still paused')
  bandwidth.setPaused(false)
  await wait
  expect(order).toEqual(['still paused', 'passed'])
  expect(bandwidth.isPaused).toBe(false)
})
