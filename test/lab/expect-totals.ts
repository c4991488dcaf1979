import { expect } from 'bun:test'
import type { Larder } from './larder.ts'
import type { CountTable } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'

/** How long all bytes may take to arrive, and how long the totals must then stay the same. */
const arriveTimeoutMs = 60_000
const settleMs = 700

async function reached(
  read: () => Promise<CountTable>,
  expected: () => CountTable,
  timeoutMs: number,
): Promise<void> {
  const isSame = async () => Bun.deepEquals(await read(), expected())
  // The comparison below shows the difference, which a timeout cannot.
  await eventually(isSame, 'totals', timeoutMs).catch(() => {})
  expect(await read()).toEqual(expected())
}

/**
 * SQLite and Postgres have exactly these totals, and keep them. A proxy's log is counted by a
 * function, again at each look: nginx writes a line after its client has the last byte.
 */
export async function expectTotals(
  larder: Larder,
  datasource: string,
  totals: CountTable | (() => CountTable),
  timeoutMs = arriveTimeoutMs,
): Promise<void> {
  const expected = typeof totals === 'function' ? totals : () => totals
  expect(Object.keys(expected()).length).toBeGreaterThan(0)
  const committed = async () => larder.committed(datasource)
  const shipped = () => larder.shipped(datasource).catch((): CountTable => ({}))
  await reached(committed, expected, timeoutMs)
  await reached(shipped, expected, timeoutMs)
  // Bytes that are counted twice often arrive late.
  await Bun.sleep(settleMs)
  expect(await committed()).toEqual(expected())
  expect(await shipped()).toEqual(expected())
}
