import { expect, test } from 'bun:test'
import { antiforgeryToken } from './antiforgery.ts'

test('finds the antiforgery token among other cookies', () => {
  expect(antiforgeryToken('a=1; Svc.Antiforgery=tok_-9; b=2')).toBe('tok_-9')
  expect(antiforgeryToken('XSvc.Antiforgery=no')).toBeNull()
  expect(antiforgeryToken('')).toBeNull()
})
