import { expect, test } from 'bun:test'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { createSoon } from './soon.ts'

/** A job that ends on command. */
function fixture(delayMs: number) {
  const time = new ManualTime()
  let runs = 0
  let finish = () => {}
  const soon = createSoon({
    timers: time,
    delayMs,
    gapMs: 1000,
    run() {
      runs++
      return new Promise<void>((resolve) => (finish = resolve))
    },
  })
  const end = async () => {
    finish()
    await time.advance(0)
  }
  return { time, soon, end, runs: () => runs }
}

test('requests within the delay share one run', async () => {
  const { time, soon, runs } = fixture(100)
  soon.request()
  await time.advance(50)
  soon.request()
  expect(runs()).toBe(0)
  await time.advance(50)
  expect(runs()).toBe(1)
})

test('a request during a run leads to another one after the gap; no request to none', async () => {
  const { time, soon, end, runs } = fixture(0)
  soon.request()
  soon.request()
  soon.request()
  await time.advance(5000)
  expect(runs()).toBe(1)
  await end()
  await time.advance(999)
  expect(runs()).toBe(1)
  await time.advance(1)
  expect(runs()).toBe(2)
  await end()
  await time.advance(5000)
  expect(runs()).toBe(2)
  soon.request()
  expect(runs()).toBe(3)
})

test('after the stop nothing runs', async () => {
  const { time, soon, end, runs } = fixture(100)
  soon.request()
  await time.advance(100)
  soon.request()
  soon.stop()
  await end()
  await time.advance(5000)
  soon.request()
  await time.advance(5000)
  expect(runs()).toBe(1)
  expect(time.pending).toBe(0)
})
