import { expect, test } from 'bun:test'
import { antiforgeryToken, pathWithQuery } from './http.ts'

test('finds the antiforgery token among other cookies', () => {
  expect(antiforgeryToken('a=1; Svc.Antiforgery=tok_-9; b=2')).toBe('tok_-9')
  expect(antiforgeryToken('XSvc.Antiforgery=no')).toBeNull()
  expect(antiforgeryToken('')).toBeNull()
})

test('leaves out empty parameters and escapes the rest', () => {
  expect(pathWithQuery('/x')).toBe('/x')
  expect(pathWithQuery('/x', { a: undefined, b: '', c: 0, d: false })).toBe('/x?c=0&d=false')
  expect(pathWithQuery('/x', { Search: 'a&b =ü' })).toBe('/x?Search=a%26b+%3D%C3%BC')
})
