import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { ManualTime } from '../test/support/manual-time.ts'
import { Lockout } from './access/accounts/lockout.ts'
import { RecoveryWindow } from './access/setup/recovery.ts'
import { liveTtlMs, rangeTtlMs, ReportCache } from './downloads/reports/cache.ts'
import { SpeedWindow } from './engines/logs/downloads/speed-window.ts'
import { untilShipped } from './engines/logs/shipped.ts'
import type { HotOutbox } from './engines/logs/outbox.ts'
import { Lookups, nameTtlMs } from './clients/host-names/lookups.ts'
import { ProgressThrottle } from './core/operations/progress.ts'
import { systemClock } from './core/lib/clock.ts'

const dayMs = 24 * 3_600_000
afterEach(() => void setSystemTime())

/** An operator, or a time server, sets the clock of the machine; nothing passes meanwhile. */
describe.each([-dayMs, dayMs])('the clock is set by %d ms', (byMs) => {
  test('answers of reports are kept as long as before', async () => {
    const time = new ManualTime()
    const cache = new ReportCache(time)
    let computed = 0
    const ask = (isLive: boolean) =>
      cache.get(`live ${isLive}`, { isLive }, () => Promise.resolve(++computed))
    await ask(true)
    await ask(false)
    time.set(byMs)
    expect([await ask(true), await ask(false)]).toEqual([1, 2])
    await time.advance(liveTtlMs)
    expect(await ask(true)).toBe(3)
    await time.advance(rangeTtlMs)
    expect(await ask(false)).toBe(4)
  })

  test('progress is passed on as often as before', async () => {
    const time = new ManualTime()
    const passed: unknown[] = []
    const throttle = new ProgressThrottle({ clock: time, timers: time }, (it) => passed.push(it))
    throttle.offer({ percentComplete: 1 })
    time.set(byMs)
    throttle.offer({ percentComplete: 2 })
    expect(passed).toHaveLength(1)
    await time.advance(250)
    expect(passed).toHaveLength(2)
  })

  test('names are looked up again when they are old, and not before', async () => {
    const time = new ManualTime()
    const found = { kind: 'name', name: 'box.lan' } as const
    const lookups = new Lookups(() => Promise.resolve(found), { clock: time, onIdle: () => {} })
    await lookups.find('10.0.0.1')
    time.set(byMs)
    expect(lookups.known('10.0.0.1')).toEqual(found)
    await time.advance(nameTtlMs)
    expect(lookups.known('10.0.0.1')).toBeNull()
  })

  test('an account stays locked for a quarter of an hour, a recovery open for an hour', async () => {
    const time = new ManualTime()
    const lockout = new Lockout(time)
    const recovery = new RecoveryWindow(time)
    for (let count = 0; count < 5; count++) lockout.noteFailure('account')
    recovery.open()
    time.set(byMs)
    expect([lockout.isLocked('account'), recovery.isOpen()]).toEqual([true, true])
    await time.advance(15 * 60_000)
    expect([lockout.isLocked('account'), recovery.isOpen()]).toEqual([false, true])
    await time.advance(45 * 60_000)
    expect(recovery.isOpen()).toBe(false)
  })

  test('traffic of before is not shown as that of now', () => {
    const speeds = new SpeedWindow()
    const nowMs = Date.parse('2026-03-01T12:00:00Z')
    speeds.prepare(nowMs)
    const group = {
      client: { address: '10.0.0.1', isPrefill: false },
      tag: { service: 'test', platform: null },
      title: { key: '', id: 0 },
    } as unknown as Parameters<SpeedWindow['add']>[0]
    speeds.add(group, nowMs / 1000, 1000, 0)
    expect(speeds.snapshot(nowMs).hasActiveDownloads).toBe(true)
    expect(speeds.snapshot(nowMs + byMs).hasActiveDownloads).toBe(false)
  })

  test('the time that passes is not set', () => {
    const beforeMs = systemClock.elapsedMs()
    setSystemTime(new Date(Date.now() + byMs))
    const passedMs = systemClock.elapsedMs() - beforeMs
    expect(passedMs).toBeGreaterThanOrEqual(0)
    expect(passedMs).toBeLessThan(dayMs / 2)
  })
})

test('rows that were put in before the clock was set back are waited for', async () => {
  const outbox = { oldestMs: () => Date.now() + dayMs } as HotOutbox
  expect(await untilShipped(outbox, 0, { isCancelled: () => false })).toBe(false)
})
