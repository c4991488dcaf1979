import { expect, test } from 'bun:test'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { countersOf, kernelName, loadBetween, readCounters } from './load.ts'

const folder = tempFolder('load')
const diskstats = (busyMs: number) =>
  `   8       0 sda 100 0 200 30 5 0 40 10 0 ${busyMs} 60 0 0 0 0 0 0
   8       1 sda1 100 0 200 30 5 0 40 10 0 7 60
 253       0 dm-0 1 2 3 4 5 6 7 8 0 ${2 * busyMs} 9\n`
const stat = (idle: number, waiting: number) =>
  `cpu  100 0 50 ${idle} ${waiting} 0 5 0 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n`

test('the load between two readings of the kernel', () => {
  const before = countersOf(diskstats(1000), stat(800, 40), 5000)
  const after = countersOf(diskstats(1900), stat(820, 120), 6000)
  expect(loadBetween(before, after, 'sda')).toEqual({ busy: 0.9, waiting: 0.8 })
  expect(loadBetween(before, after, 'dm-0').busy).toBe(1)
  expect(loadBetween(before, after, 'sda1').busy).toBe(0)
  // A share or a pool has no device of that name; nothing is made up.
  expect(loadBetween(before, after, 'tank').busy).toBeNull()
  expect(loadBetween(after, before, 'sda')).toEqual({ busy: null, waiting: null })
  const none = countersOf('', '', 0)
  expect(loadBetween(none, none, 'sda')).toEqual({ busy: null, waiting: null })
})

test('a mapped device has the name of the kernel', async () => {
  writeFileSync(join(folder, 'dm-3'), '')
  symlinkSync('dm-3', join(folder, 'vg-cache'))
  expect(await kernelName(join(folder, 'vg-cache'))).toBe('dm-3')
  expect(await kernelName('/dev/none/sdb1')).toBe('sdb1')
  expect(await kernelName('nas:/cache')).toBe('cache')
})

test("this machine's counters are read, and missing ones are none", async () => {
  const here = await readCounters(1)
  expect(here.atMs).toBe(1)
  expect(here.allTicks).toBeGreaterThan(0)
  expect((await readCounters(1, join(folder, 'nowhere'))).allTicks).toBe(0)
})
