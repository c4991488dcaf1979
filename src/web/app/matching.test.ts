import { expect, test } from 'bun:test'
import { matching } from './matching.ts'

const candidates = [
  { label: 'Overview' },
  { label: 'living-room', note: '10.0.0.31' },
  { label: 'Übersicht' },
  { label: 'Video' },
]
const labels = (wanted: string) => matching(candidates, wanted).map(({ label }) => label)

test('beginnings come before middles, accents do not matter', () => {
  expect(labels('v')).toEqual(['Video', 'Overview', 'living-room'])
  expect(labels('room')).toEqual(['living-room'])
  expect(labels('uber')).toEqual(['Übersicht'])
})

test('every word has to be there, notes count', () => {
  expect(labels('room 31')).toEqual(['living-room'])
  expect(labels('room 99')).toEqual([])
  expect(labels('  ')).toHaveLength(4)
})
