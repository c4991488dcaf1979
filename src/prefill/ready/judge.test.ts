import { expect, test } from 'bun:test'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { createHours } from './hours.ts'
import { estimate, missingBytesOf, seenBytesOf, stateOf, type Judged, type Sight } from './judge.ts'
import type { State } from './model.ts'

/** A small generator with a seed, so that failures can be repeated. */
function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const below = (max: number) => Math.floor(next() * max)
  const oneOf = <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0]
  return { below, oneOf }
}

const now = new Date('2026-11-25T15:30:00Z')
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

test('a state follows from what is known, in this order', () => {
  const { below, oneOf } = randomOf(7)
  for (let round = 0; round < 20_000; round++) {
    const row = {
      isCurrent: oneOf([null, true, false]),
      totalBytes: oneOf([null, 1000]),
      unavailable: oneOf([null, null, null, 'not in this country']),
      newBuildAt: oneOf([null, at(-1)]),
      fetchedAt: oneOf([null, at(-5)]),
      seenBytes: oneOf([null, 800]),
    }
    const isRead = below(4) > 0
    const sight: Sight = {
      onDiskBytes: isRead ? oneOf([0, 1, 399, 400, 499, 500, 800, 1000]) : null,
      readAt: isRead ? oneOf([at(-6), at(-4)]) : null,
      fetchedBytes: below(10) === 0 ? 600 : null,
      hasSession: below(10) > 0,
    }
    // Every state with all of its conditions, none of which relies on another one.
    const isIdle = sight.fetchedBytes === null
    const isJudged = isIdle && sight.hasSession && row.unavailable === null
    const wasReadSince =
      isRead && (row.fetchedAt === null || sight.readAt?.getTime() === at(-4).getTime())
    const bytes = sight.onDiskBytes ?? 0
    const halfOf = (whole: number) => bytes >= whole / 2
    const hasIt =
      row.fetchedAt === null
        ? wasReadSince && bytes > 0 && (row.totalBytes === null || halfOf(1000))
        : !wasReadSince || row.seenBytes === null || halfOf(800)
    const wasHere = row.fetchedAt !== null || row.newBuildAt !== null || bytes > 0
    const isSure = row.fetchedAt !== null || wasReadSince
    const expected: Record<State, boolean> = {
      fetching: !isIdle,
      unavailable: isIdle && sight.hasSession && row.unavailable !== null,
      ready: isJudged && row.isCurrent === true && isSure && hasIt,
      outdated: isJudged && row.isCurrent === false && wasHere,
      missing:
        isJudged &&
        ((row.isCurrent === true && isSure && !hasIt) || (row.isCurrent === false && !wasHere)),
      unknown:
        isIdle &&
        (!sight.hasSession ||
          (row.unavailable === null && (row.isCurrent === null || (row.isCurrent && !isSure)))),
    }
    const names = Object.entries(expected).flatMap(([name, holds]) => (holds ? [name] : []))
    const state = stateOf(row, sight)
    expect([row, sight, names]).toEqual([row, sight, [state]])
    const missing = missingBytesOf(row, state, sight)
    if (state === 'ready') expect(missing).toBe(0)
    else if (state === 'unknown' || state === 'unavailable') expect(missing).toBeNull()
    else expect(missing === null).toBe(row.totalBytes === null)
    if (missing !== null) expect(missing).toBeWithin(0, 1001)
  }
})

test('what is not recognised in the cache is not fetched for ever, what was evicted is fetched again', () => {
  const row = {
    isCurrent: true,
    totalBytes: 1000,
    unavailable: null,
    newBuildAt: null,
    fetchedAt: null as Date | null,
    seenBytes: null as number | null,
  }
  const seen = (onDiskBytes: number, hours: number): Sight => ({
    onDiskBytes,
    readAt: at(hours),
    fetchedBytes: null,
    hasSession: true,
  })
  expect(stateOf(row, seen(10, 0))).toBe('missing')
  // Fetched; of all its bytes the detection recognises ten.
  row.fetchedAt = at(1)
  expect(stateOf(row, seen(0, 0))).toBe('ready')
  expect(seenBytesOf(row, seen(0, 0))).toBeNull()
  row.seenBytes = seenBytesOf(row, seen(10, 2))
  expect(row.seenBytes).toBe(10)
  expect(stateOf(row, seen(10, 2))).toBe('ready')
  expect(stateOf(row, seen(5, 3))).toBe('ready')
  expect(seenBytesOf(row, seen(5, 3))).toBe(10)
  expect(stateOf(row, seen(4, 4))).toBe('missing')
})

/** The same sums by going through the games second by second of the allowed hours. */
function simulated(
  games: readonly Judged[],
  rate: Partial<Record<Platform, number>>,
  isOpen: (at: Date) => boolean,
) {
  const open = games
    .filter(({ state }) => state !== 'ready' && state !== 'unavailable')
    .sort((a, b) => (a.dueAt?.getTime() ?? 9e15) - (b.dueAt?.getTime() ?? 9e15))
  const stepMs = 60_000
  let [ms, isLate, bytes] = [now.getTime(), false, 0]
  for (const game of open) {
    let left = game.missingBytes ?? 0
    bytes += left
    const perStep = (rate[game.platform] ?? Infinity) * 60
    if (perStep === Infinity) left = 0
    while (left > 0) {
      if (isOpen(new Date(ms))) left -= perStep
      ms += stepMs
    }
    if (game.dueAt !== null && (game.dueAt <= now || ms > game.dueAt.getTime())) isLate = true
  }
  return { bytes, readyMs: ms, isLate }
}

test('sums, times and verdicts are those of a simulation', () => {
  const { below, oneOf } = randomOf(11)
  const seen = new Set<string>()
  for (let round = 0; round < 100; round++) {
    const allowed = oneOf([
      null,
      { start: '22:00', end: '06:00' },
      { start: '09:00', end: '17:00' },
    ])
    const hours = createHours(allowed, oneOf(['UTC', 'Asia/Kolkata']))
    const rates: Partial<Record<Platform, number>> = { alpha: 1000, beta: 500, gamma: 2000 }
    const games = Array.from({ length: below(6) }, (): Judged => {
      const state = oneOf<State>([
        'ready',
        'missing',
        'outdated',
        'missing',
        below(9) ? 'missing' : 'unknown',
      ])
      const minutes = below(400)
      const platform = oneOf(platforms.slice(0, below(9) ? 3 : 5) as [Platform])
      return {
        platform,
        state,
        // Half a minute away from the steps of the simulation.
        dueAt: oneOf([null, null, at(below(60) + 1 / 120), at(-1)]),
        missingBytes:
          state === 'ready'
            ? 0
            : state === 'unknown'
              ? null
              : minutes * 60 * (rates[platform] ?? 1),
      }
    })
    const freeBytes = oneOf([null, 0, 10_000_000, 1e12])
    const evictableBytes = oneOf([null, 0, 30_000_000])
    const rateOf = (platform: Platform) => rates[platform] ?? null
    const found = estimate(games, { now, hours, rateOf, freeBytes, evictableBytes })
    const { bytes, readyMs, isLate } = simulated(games, rates, hours.isOpen)
    const open = games.filter(({ state }) => state !== 'ready')
    const hasSizes = open.every(({ missingBytes }) => missingBytes !== null)
    const hasRates = open.every(
      ({ platform, missingBytes }) =>
        missingBytes === null || missingBytes === 0 || rateOf(platform) !== null,
    )
    expect(found.missingBytes).toBe(hasSizes ? bytes : null)
    expect(found.seconds === null).toBe(!hasSizes || !hasRates)
    if (found.readyAt !== null) {
      // The simulation ends with the minute in which the last byte comes.
      expect(Math.abs(found.readyAt.getTime() - readyMs)).toBeLessThanOrEqual(60_000)
    }
    const canEvict = freeBytes !== null && evictableBytes !== null
    const isTooLarge = canEvict && bytes > freeBytes + evictableBytes
    const fits = isTooLarge
      ? 'no'
      : freeBytes === null || !hasSizes
        ? 'unknown'
        : bytes <= freeBytes
          ? 'yes'
          : canEvict
            ? 'evicts'
            : 'unknown'
    expect(found.fits).toBe(fits)
    const verdict =
      games.length === 0
        ? 'unknown'
        : open.length === 0
          ? 'ready'
          : isTooLarge
            ? 'noSpace'
            : isLate
              ? 'late'
              : hasSizes && hasRates
                ? 'inTime'
                : 'unknown'
    expect([games, found.verdict]).toEqual([games, verdict])
    seen.add(`${verdict} ${fits}`)
  }
  for (const verdict of ['ready', 'inTime', 'late', 'noSpace', 'unknown']) {
    expect([...seen].some((text) => text.startsWith(verdict))).toBe(true)
  }
  for (const fits of ['yes', 'evicts', 'no', 'unknown']) {
    expect([...seen].some((text) => text.endsWith(fits))).toBe(true)
  }
})
