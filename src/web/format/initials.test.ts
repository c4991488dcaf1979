import { expect, test } from 'bun:test'
import { initialsOf } from './initials.ts'

test('titles of a series differ', () => {
  const titles = {
    'Call of Duty': 'COD',
    'Call of Duty: Black Ops 4': 'BO4',
    'Call of Duty: Black Ops 6': 'BO6',
    'Call of Duty: Black Ops Cold War': 'BOC',
    'Call of Duty: Modern Warfare': 'CMW',
    'Call of Duty: Modern Warfare II': 'MW2',
    'Call of Duty: Modern Warfare III': 'MW3',
    'Call of Duty: Vanguard': 'CVA',
    'The Witcher 3: Wild Hunt': 'TW3',
    'Grand Theft Auto V': 'GT5',
    'Euro Truck Simulator 2': 'ET2',
    '7 Days to Die': '7DT',
  }
  const shown = Object.keys(titles).map((title) => [title, initialsOf(title)])
  expect(Object.fromEntries(shown)).toEqual(titles)
})

test('initials of a title', () => {
  expect(initialsOf('Counter-Strike 2')).toBe('CS2')
  expect(initialsOf('Cyberpunk 2077')).toBe('C77')
  expect(initialsOf('Fortnite')).toBe('FO')
  expect(initialsOf('Baldur’s Gate 3')).toBe('BG3')
  expect(initialsOf('élan')).toBe('ÉL')
  expect(initialsOf('  …')).toBe('?')
})
