import { expect, test } from 'bun:test'
import { cleanCode, nextStep } from './login-step.ts'

const asked = {
  success: false,
  message: null,
  requiresTwoFactor: false,
  requiresEmailCode: false,
  sessionExpired: false,
}

test("Steam's answer decides the next step", () => {
  expect(nextStep({ ...asked, success: true }, false).step).toBe('done')
  expect(nextStep({ ...asked, requiresEmailCode: true }, false)).toEqual({
    step: 'email',
    note: null,
  })
  expect(nextStep({ ...asked, requiresTwoFactor: true }, true)).toEqual({
    step: 'device',
    note: 'steam.wrongCode',
  })
  expect(nextStep({ ...asked, requiresTwoFactor: true, sessionExpired: true }, false)).toEqual({
    step: 'device',
    note: 'steam.expired',
  })
  expect(nextStep(asked, false).step).toBe('credentials')
})

test('codes may be typed with spaces and in lower case', () => {
  expect(cleanCode(' a1-b2c ')).toBe('A1B2C')
  expect(cleanCode('x'.repeat(40))).toHaveLength(10)
})
