import { describe, expect, test } from 'bun:test'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import type { LineCountsOfSource } from '../../engines/log-scan/count-contract.ts'
import { AppError } from '../../core/http/errors.ts'
import { SharedCount, countWaitMs } from './counts.ts'

/** Counts that the test completes. */
function held() {
  const time = new ManualTime()
  const begun: { signal: AbortSignal; end(counts: LineCountsOfSource[] | null): void }[] = []
  const shared = new SharedCount((signal) => {
    const { promise, resolve } = Promise.withResolvers<LineCountsOfSource[] | null>()
    begun.push({ signal, end: resolve })
    return promise
  }, time)
  return { time, begun, shared }
}

const sourceWith = (lines: number): LineCountsOfSource[] => [
  { datasource: 'a', services: { steam: lines }, otherLines: 0, unreadableLines: 0, leftOut: [] },
]
const never = new AbortController().signal

describe('shared counts', () => {
  test('callers during a count share the next one', async () => {
    const { begun, shared, time } = held()
    const first = shared.ask(never)
    await settle()
    const [second, third] = [shared.ask(never), shared.ask(never)]
    await settle()
    expect(begun).toHaveLength(1)
    begun[0]?.end(sourceWith(1))
    expect(await first).toEqual(sourceWith(1))
    await settle()
    expect(begun).toHaveLength(2)
    begun[1]?.end(sourceWith(2))
    expect(await Promise.all([second, third])).toEqual([sourceWith(2), sourceWith(2)])
    expect(time.pending).toBe(0)
  })

  test('a count is aborted when its last caller disconnects', async () => {
    const { begun, shared } = held()
    const [one, other] = [new AbortController(), new AbortController()]
    const asked = [shared.ask(one.signal), shared.ask(other.signal)].map((ask) =>
      ask.catch((error: unknown) => error),
    )
    await settle()
    one.abort()
    expect(begun[0]?.signal.aborted).toBe(false)
    other.abort()
    expect(begun[0]?.signal.aborted).toBe(true)
    begun[0]?.end(null)
    expect(await Promise.all(asked)).toEqual([expect.any(AppError), expect.any(AppError)])
    const again = shared.ask(never)
    await settle()
    begun[1]?.end(sourceWith(3))
    expect(await again).toEqual(sourceWith(3))
  })

  test('a count over the time limit continues, and the caller is told to retry', async () => {
    const { begun, shared, time } = held()
    const asked = shared.ask(never).catch((error: unknown) => error)
    await time.advance(countWaitMs)
    const error = await asked
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ refusal: 'unavailable', headers: { 'Retry-After': '5' } })
    expect(begun[0]?.signal.aborted).toBe(false)
  })
})
