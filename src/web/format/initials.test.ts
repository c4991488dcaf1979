import { expect, test } from 'bun:test'
import { initialsOf } from './initials.ts'

test('initials of a title', () => {
  expect(initialsOf('Counter-Strike 2')).toBe('CS2')
  expect(initialsOf('Cyberpunk 2077')).toBe('C77')
  expect(initialsOf('Fortnite')).toBe('FO')
  expect(initialsOf('Baldur’s Gate 3')).toBe('BG3')
  expect(initialsOf('élan')).toBe('ÉL')
  expect(initialsOf('  …')).toBe('?')
})
