import { afterAll, describe, expect, test } from 'bun:test'
import { hashing } from '../../../test/support/cheap-hashing.ts'
import { AppError } from '../../core/http/errors.ts'
import type * as Passwords from './password.ts'
import { passwordFault, usernameFault, usernameKey } from './credential-rules.ts'

hashing.isCheap = false
afterAll(() => void (hashing.isCheap = true))
// An instance of its own, whose decoy no other file has made.
const own = './password.ts?own'
const { hashPassword, verifyPassword } = (await import(own)) as typeof Passwords

describe('passwords', () => {
  test('are hashed with argon2id and the chosen parameters', async () => {
    const hash = await hashPassword('Correct-Horse-42')
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(await verifyPassword('Correct-Horse-42', hash)).toBe(true)
    expect(await verifyPassword('correct-Horse-42', hash)).toBe(false)
    expect(await verifyPassword('Correct-Horse-42', null)).toBe(false)
  })

  test('an overlong password is wrong even when its beginning is right', async () => {
    const long = `Aa1-${'x'.repeat(252)}`
    const hash = await hashPassword(long)
    expect(await verifyPassword(long, hash)).toBe(true)
    expect(await verifyPassword(`${long}y`, hash)).toBe(false)
  })

  test('a flood is refused instead of exhausting memory', async () => {
    const hash = await hashPassword('Correct-Horse-42')
    const flood = Array.from({ length: 90 }, () => verifyPassword('Correct-Horse-42', hash))
    const results = await Promise.allSettled(flood)
    const refused = results.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(90 - 4 - 64)
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(AppError)
      expect(reason).toMatchObject({ refusal: 'unavailable' })
    }
    expect(results.filter((one) => one.status === 'fulfilled' && one.value)).toHaveLength(68)
    expect(await verifyPassword('Correct-Horse-42', hash)).toBe(true)
  })

  test('an unknown name takes as long as a wrong password', async () => {
    const hash = await hashPassword('Correct-Horse-42')
    // Processor time, by turns: other programs on the machine delay one of the two.
    const spent = { unknown: 0, wrong: 0 }
    for (let n = 0; n < 9; n++) {
      for (const [name, against] of [
        ['unknown', null],
        ['wrong', hash],
      ] as const) {
        const before = process.cpuUsage()
        await verifyPassword('Wrong-Horse-42', against)
        const { user, system } = process.cpuUsage(before)
        spent[name] += user + system
      }
    }
    const ratio = spent.unknown / spent.wrong
    // Without the decoy the ratio is below one hundredth.
    expect(ratio).toBeGreaterThan(0.4)
    expect(ratio).toBeLessThan(2.5)
  })
})

describe('rules', () => {
  test.each(['Abcdefgh-123', 'пароль-ПАРОЛЬ-9', 'x'.repeat(250) + 'X-1'])(
    '%s is accepted',
    (text) => expect(passwordFault(text, 'somebody')).toBeNull(),
  )
  test.each([
    'Abcdefg-123',
    'abcdefghijk1',
    'ABCDEFGHIJ-K',
    'x'.repeat(254) + 'X-1',
    'Some-Body-01',
  ])('%s is rejected', (text) => expect(passwordFault(text, 'some-body-01')).not.toBeNull())
  test('names may use any script', () => {
    expect(usernameFault('Ada Lovelace')).toBeNull()
    expect(usernameFault('管理者')).toBeNull()
    expect(usernameFault('ad\u200bmin')).not.toBeNull()
    expect(usernameFault('ad\u202emin')).not.toBeNull()
    expect(usernameKey('Ä')).toBe(usernameKey('A\u0308'))
  })
})
