import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { HistoryLinkFixture } from '../../../../test/support/history-link-fixture.ts'
import { freshDatabase } from '../../../../test/support/postgres.ts'
import { eventually } from '../../../../test/support/eventually.ts'

let fixture: HistoryLinkFixture
afterEach(() => fixture.stop())

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
  const { expected } = fixture
  const isThere = async () => Bun.deepEquals((await fixture.totals()).downloads, expected)
  await eventually(isThere, 'everything is shipped', timeoutMs).catch(() => {})
  expect(await fixture.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(fixture.counted()).toEqual(expected)
  // A download that was open when positions were lost continues; it is not split.
  expect(await fixture.downloadCount()).toBe(fixture.expectedDownloads.size)
}

const ways = ['power cut', 'deleted', 'emptied', 'older copy', 'much older copy'] as const

test('positions are lost at ten moments of an import, and every byte counts once', async () => {
  fixture = new HistoryLinkFixture(await freshDatabase())
  const random = dice(20_261_122)
  let mismatches = 0
  let healed = 0
  for (let round = 0; round < 10; round++) {
    const way = ways[round % ways.length] ?? 'power cut'
    // A power cut leaves what is on disk when a batch may be in flight.
    fixture.start(() => fixture.copyHot('durable'))
    const untilShipped = (count: number) =>
      eventually(() => fixture.shipped >= count, 'batches are shipped', timeoutMs)
    fixture.write(linesPerRound)
    // The older copy predates the batches that follow.
    if (way === 'much older copy') fixture.copyHot('older')
    await untilShipped(1)
    if (way === 'older copy') fixture.copyHot('older')
    // One batch may be in flight while the copy is made; the one after it is newer than the copy.
    const copied = fixture.shipped
    for (const batch of [1, 2]) {
      fixture.write(linesPerRound / 2)
      if (way.includes('older')) await untilShipped(copied + batch)
    }
    await Bun.sleep(random.next().value * 60)
    await fixture.stop()
    if (way === 'power cut') fixture.replaceHot('durable')
    else if (way === 'deleted') fixture.replaceHot(null)
    else if (way === 'emptied') {
      fixture.replaceHot(null)
      writeFileSync(fixture.hotPath, '')
    } else fixture.replaceHot('older')
    fixture.start()
    await eventually(
      () => fixture.isLinked || fixture.running.keeper.mismatch !== null,
      'the stores are compared',
      timeoutMs,
    )
    const { mismatch } = fixture.running.keeper
    if (way === 'deleted' || way === 'emptied') healed++
    if (mismatch !== null) {
      expect(way).toContain('older copy')
      expect(mismatch).toEqual({
        reason: 'positionsOlder',
        choices: ['takePositions', 'goOn', 'rebuild'],
      })
      expect(fixture.running.loop.status({ lastShippedAt: null, lastError: null }).state).toBe(
        'mismatch',
      )
      mismatches++
      await fixture.choose('takePositions')
    }
    await fixture.stop()
  }
  expect({ mismatches, healed }).toEqual({ mismatches: 4, healed: 4 })
  fixture.start()
  await expectExact()
})
