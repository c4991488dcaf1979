import { expect, test } from 'bun:test'
import { Pause } from './pause.ts'
import { endsWithin, orLate, within } from './within.ts'

const never = new Promise<never>(() => {})
const failed = () => Promise.reject(new Error('broken'))

test('a result in time, a timeout and an error are distinguished', async () => {
  expect(await orLate(Promise.resolve(1), 60_000, 'late')).toBe(1)
  expect(await orLate(never, 1, 'late')).toBe('late')
  expect(await endsWithin(Promise.resolve(), 60_000)).toBe(true)
  expect(await endsWithin(never, 1)).toBe(false)
  expect(await endsWithin(failed(), 60_000).catch(String)).toContain('broken')
  expect(await within(failed(), 60_000, 2)).toBe(2)
  expect(await within<number>(never, 1, 2)).toBe(2)
})

test('a pause ends after its time, or early', async () => {
  const pause = new Pause()
  await pause.wait(1)
  const waited = pause.wait(60_000)
  pause.end()
  expect(await endsWithin(waited, 30_000)).toBe(true)
})
