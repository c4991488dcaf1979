import { describe, expect, test } from 'bun:test'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { AppError } from './errors.ts'
import { createRateLimit } from './rate-limit.ts'

const rule = { attempts: 2, windowSeconds: 60 }

function refusalOf(work: () => void): AppError | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

describe('RateLimit', () => {
  test('refuses requests over the budget and gives the waiting time', async () => {
    const time = new ManualTime()
    const limit = createRateLimit(rule, time)
    limit.take('10.0.0.1')
    await time.advance(10_500)
    limit.take('10.0.0.1')
    const refusal = refusalOf(() => limit.take('10.0.0.1'))
    expect(refusal).toMatchObject({ refusal: 'tooMany', headers: { 'Retry-After': '50' } })
    limit.take('10.0.0.2')
    await time.advance(49_499)
    expect(refusalOf(() => limit.take('10.0.0.1'))?.headers).toEqual({ 'Retry-After': '1' })
    await time.advance(1)
    expect(refusalOf(() => limit.take('10.0.0.1'))).toBeNull()
  })

  test('checking does not count', () => {
    const limit = createRateLimit(rule, new ManualTime())
    for (let n = 0; n < 5; n++) limit.check('10.0.0.1')
    limit.take('10.0.0.1')
    limit.take('10.0.0.1')
    expect(refusalOf(() => limit.check('10.0.0.1'))?.refusal).toBe('tooMany')
  })

  test('one IPv6 network shares a budget, another does not', () => {
    const limit = createRateLimit(rule, new ManualTime())
    limit.take('2001:db8:1:2::1')
    limit.take('2001:db8:1:2:ffff::9')
    expect(refusalOf(() => limit.take('2001:db8:1:2:3:4:5:6'))?.refusal).toBe('tooMany')
    expect(refusalOf(() => limit.take('2001:db8:1:3::1'))).toBeNull()
  })

  test('callers without an address are not limited', () => {
    const limit = createRateLimit(rule, new ManualTime())
    for (let n = 0; n < 5; n++) limit.take(null)
    expect(refusalOf(() => limit.take(null))).toBeNull()
  })

  test.each([-7_200_000, 7_200_000])('changing the clock by %d ms has no effect', async (byMs) => {
    const time = new ManualTime()
    const limit = createRateLimit(rule, time)
    for (let n = 0; n < 2; n++) limit.take('10.0.0.1')
    time.set(byMs)
    expect(refusalOf(() => limit.take('10.0.0.1'))?.refusal).toBe('tooMany')
    await time.advance(rule.windowSeconds * 1000)
    expect(refusalOf(() => limit.take('10.0.0.1'))).toBeNull()
  })

  test('a flood of addresses stays bounded and does not reset the limited one', () => {
    const limit = createRateLimit(rule, new ManualTime())
    const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    for (let n = 0; n < 15_000; n++) limit.take(address(n))
    for (let n = 0; n < 3; n++) refusalOf(() => limit.take('192.0.2.1'))
    for (let n = 15_000; n < 30_000; n++) limit.take(address(n))
    expect(refusalOf(() => limit.take('192.0.2.1'))?.refusal).toBe('tooMany')
  })
})
