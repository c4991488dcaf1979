import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { LinkSite } from '../../../../test/support/link-site.ts'
import { freshDatabase } from '../../../../test/support/postgres.ts'
import { eventually } from '../../../../test/lab/wait.ts'

let site: LinkSite
afterEach(() => site.remove())

const timeoutMs = 60_000
const linesPerRound = 2500

/** Deterministic random numbers. */
function* dice(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    yield state / 2 ** 32
  }
}

/** History, roll-ups, downloads and local counters match the log. */
async function expectExact(): Promise<void> {
  const { expected } = site
  const isThere = async () => Bun.deepEquals((await site.totals()).downloads, expected)
  await eventually(isThere, 'everything is shipped', timeoutMs).catch(() => {})
  expect(await site.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(site.counted()).toEqual(expected)
  // A download that was open when positions were lost continues; it is not split.
  expect(await site.downloadCount()).toBe(site.expectedDownloads.size)
}

const ways = ['power cut', 'deleted', 'emptied', 'older copy', 'much older copy'] as const

test('positions are lost at 25 moments of an import, and every byte counts once', async () => {
  site = new LinkSite(await freshDatabase())
  const random = dice(20_261_122)
  let mismatches = 0
  let healed = 0
  for (let round = 0; round < 25; round++) {
    const way = ways[round % ways.length] ?? 'power cut'
    // A power cut leaves what is on disk when a batch may be in flight.
    site.start(() => site.copyHot('durable'))
    const untilShipped = (count: number) =>
      eventually(() => site.shipped >= count, 'batches are shipped', timeoutMs)
    site.write(linesPerRound)
    // The older copy predates the batches that follow.
    if (way === 'much older copy') site.copyHot('older')
    await untilShipped(1)
    if (way === 'older copy') site.copyHot('older')
    site.write(linesPerRound)
    if (way.includes('older')) await untilShipped(2)
    await Bun.sleep(random.next().value * 60)
    await site.stop()
    if (way === 'power cut') site.replaceHot('durable')
    else if (way === 'deleted') site.replaceHot(null)
    else if (way === 'emptied') {
      site.replaceHot(null)
      writeFileSync(site.hotPath, '')
    } else site.replaceHot('older')
    site.start()
    await eventually(
      () => site.shipped > 0 || site.running.keeper.mismatch !== null,
      'the stores are compared',
      timeoutMs,
    )
    const { mismatch } = site.running.keeper
    if (way === 'deleted' || way === 'emptied') healed++
    if (mismatch !== null) {
      expect(way).toContain('older copy')
      expect(mismatch).toEqual({
        reason: 'positionsOlder',
        choices: ['takePositions', 'goOn', 'rebuild'],
      })
      expect(site.running.loop.status({ lastShippedAt: null, lastError: null }).state).toBe(
        'mismatch',
      )
      mismatches++
      await site.choose('takePositions')
    }
    await site.stop()
  }
  expect({ mismatches, healed }).toEqual({ mismatches: 10, healed: 10 })
  site.start()
  await expectExact()
}, 300_000)
