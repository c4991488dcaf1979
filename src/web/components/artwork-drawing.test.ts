import { expect, test } from 'bun:test'
import { drawingOf, lettersOf } from './artwork-drawing.ts'

test('initials of a title', () => {
  expect(lettersOf('Counter-Strike 2')).toBe('CS2')
  expect(lettersOf('Fortnite')).toBe('FO')
  expect(lettersOf('Baldur’s Gate 3')).toBe('BSG')
  expect(lettersOf('élan')).toBe('ÉL')
  expect(lettersOf('  …')).toBe('?')
})

test('the same name, ignoring case, gives the same drawing; others differ', () => {
  expect(drawingOf('Portal').shapes).toEqual(drawingOf('PORTAL').shapes)
  const angles = ['Portal', 'Portal 2', 'Dota 2', 'Rust', 'Quake'].map(
    (name) => drawingOf(name).angle,
  )
  expect(new Set(angles).size).toBe(angles.length)
})
