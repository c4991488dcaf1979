import { expect, test } from 'bun:test'
import { Heartbeat } from './heartbeat.ts'

function world() {
  let asked = 0
  const heartbeat = new Heartbeat(0, () => asked++)
  const seconds = (...times: number[]) => times.map((time) => heartbeat.check(time * 1000) / 1000)
  return { heartbeat, seconds, asked: () => asked }
}

test('a service that sends nothing is asked once, and its figures are old after five seconds', () => {
  const { heartbeat, seconds, asked } = world()
  expect(seconds(1)).toEqual([0])
  expect(asked()).toBe(0)
  expect(seconds(2, 3, 4, 5, 6, 12)).toEqual([0, 0, 0, 5, 6, 12])
  expect(asked()).toBe(1)
  heartbeat.heard(12_500)
  expect(seconds(13, 14)).toEqual([0, 0])
})

test('a service that answers stays fresh, however quiet it is', () => {
  const { heartbeat, seconds, asked } = world()
  for (let at = 1; at <= 60; at++) {
    expect(seconds(at)).toEqual([0])
    if (asked() > 0 && at % 3 === 0) heartbeat.heard(at * 1000)
  }
  expect(asked()).toBeGreaterThan(10)
})

test('a tab that slept asks before it calls anything old', () => {
  const { seconds, asked } = world()
  expect(seconds(60, 61)).toEqual([0, 0])
  expect(asked()).toBe(1)
  expect(seconds(63)).toEqual([63])
})
