import { expect, test } from 'bun:test'
import { kindOfName, kindOfServices, type DeviceKind } from './guess.ts'

test.each<[name: string, kind: DeviceKind]>([
  ['steamdeck', 'handheld'],
  ['ROG-Ally-X', 'handheld'],
  ['XBOX-SystemOS', 'console'],
  ['PS5-123', 'console'],
  ['Living room TV', 'tv'],
  ['Android-TV-7', 'tv'],
  ['LAPTOP-9K2LQ', 'laptop'],
  ['Annas-MBP.fritz.box', 'laptop'],
  ['Pauls-iPhone', 'phone'],
  ['Pixel-7a', 'phone'],
  ['nas.home.lan', 'server'],
  ['DiskStation', 'server'],
  ['DESKTOP-4F7GH2K', 'computer'],
  ['sofa-pc', 'computer'],
  ['WIN-8SK2', 'computer'],
])('%s is a %s', (name, kind) => expect(kindOfName(name)).toBe(kind))

test.each(['', 'anna', 'atv', 'winter', 'nasa', 'epcot', 'really', 'psst', 'box'])(
  '%s says nothing: words count from their start to their end',
  (name) => expect(kindOfName(name)).toBeNull(),
)

test('services say what a client is only when they leave no doubt', () => {
  expect(kindOfServices(['xboxlive'])).toBe('console')
  expect(kindOfServices(['sony', 'nintendo'])).toBe('console')
  expect(kindOfServices(['xboxlive', 'wsus'])).toBe('computer')
  expect(kindOfServices(['steam'])).toBe('computer')
  expect(kindOfServices(['sony', 'example.org'])).toBeNull()
  expect(kindOfServices([])).toBeNull()
})
