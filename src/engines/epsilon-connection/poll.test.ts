import { expect, test } from 'bun:test'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import { pollForToken } from './poll.ts'
import { EpsilonRefusal } from './tokens.ts'

const token = { access_token: 'a', refresh_token: 'r', expires_in: 1 }
const refusal = (reason: string) => new EpsilonRefusal(reason)
const pending = refusal('authorization_pending')

/** Seconds at which Microsoft was asked, and how it ended; it answers in this order. */
async function polled(answers: unknown[], code: { interval?: number; expires_in?: number } = {}) {
  const time = new ManualTime()
  const startMs = time.elapsedMs()
  const at: number[] = []
  const web = {
    poll() {
      at.push((time.elapsedMs() - startMs) / 1000)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(token)
    },
  }
  const asked = { device_code: 'd', interval: 5, expires_in: 900, ...code }
  const { signal } = new AbortController()
  const end = pollForToken({ web, clock: time, timers: time }, asked, signal).catch(
    (error: unknown) => error,
  )
  await time.advance(1_000_000)
  return { at, end: await end }
}

test('asks at the interval until the code is approved', async () => {
  expect(await polled([pending, pending, null])).toEqual({ at: [5, 10, 15], end: token })
  expect(await polled([pending, null], { interval: 0 })).toEqual({ at: [1, 2], end: token })
})

test('asks less often when it is told to', async () => {
  const answers = [refusal('slow_down'), pending, null]
  expect(await polled(answers)).toEqual({ at: [5, 15, 25], end: token })
})

test('asks again when there is no answer, not after a refusal', async () => {
  const away = new OutsideError('away', null)
  expect(await polled([away, null])).toEqual({ at: [5, 10], end: token })
  const declined = refusal('authorization_declined')
  expect(await polled([pending, declined, null])).toEqual({ at: [5, 10], end: declined })
})

test.each([
  [12, 2],
  [0, 179],
])('a code that is valid for %d seconds is asked about %d times', async (seconds, polls) => {
  const { at, end } = await polled([pending], { expires_in: seconds })
  expect(at).toHaveLength(polls)
  expect(String(end)).toBe('Error: The code was not entered in time; sign in again')
})
