import { expect, test } from 'bun:test'
import { InFlight } from './in-flight.ts'

/**
 * Runs windows of ten seconds on a disk that gets no faster beyond `best` directories in parallel.
 */
function limits(best: number, windows: number): number[] {
  const inFlight = new InFlight(0)
  const seen: number[] = []
  for (let window = 1; window <= windows; window++) {
    inFlight.note(1000 * Math.min(inFlight.limit, best), window * 10_000)
    seen.push(inFlight.limit)
  }
  return seen
}

test('raises the limit while that helps, and steps back once where it does not', () => {
  expect(limits(16, 5)).toEqual([8, 16, 32, 16, 16])
  expect(limits(4, 3)).toEqual([8, 4, 4])
  expect(limits(1000, 7)).toEqual([8, 16, 32, 64, 64, 64, 64])
})

test('tries again after two minutes', () => {
  expect(limits(16, 17).slice(-2)).toEqual([32, 16])
})

test('draws no conclusion from short windows or few files', () => {
  const inFlight = new InFlight(0)
  inFlight.note(10_000, 4999)
  inFlight.note(10, 5001)
  expect(inFlight.limit).toBe(8)
  inFlight.note(63, 20_000)
  expect(inFlight.limit).toBe(8)
})
