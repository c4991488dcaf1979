import { expect, test } from 'bun:test'
import { matching } from './matching.ts'

const candidates = [
  { label: 'Overview' },
  { label: 'living-room', note: '10.0.0.31' },
  { label: 'Übersicht' },
  { label: 'Video' },
]
const labels = (wanted: string) => matching(candidates, wanted).map(({ label }) => label)

test('prefixes come before infixes, accents are ignored', () => {
  expect(labels('v')).toEqual(['Video', 'Overview', 'living-room'])
  expect(labels('room')).toEqual(['living-room'])
  expect(labels('uber')).toEqual(['Übersicht'])
})

test('every word must match, notes included', () => {
  expect(labels('room 31')).toEqual(['living-room'])
  expect(labels('room 99')).toEqual([])
  expect(labels('  ')).toHaveLength(4)
})

test('synonyms find an entry, after entries that are called so', () => {
  const entries = [
    { label: 'Delete everything', words: 'clear cache, empty, purge' },
    { label: 'Clearing history' },
  ]
  const found = (wanted: string) => matching(entries, wanted).map(({ label }) => label)
  expect(found('clear cache')).toEqual(['Delete everything'])
  expect(found('clear')).toEqual(['Clearing history', 'Delete everything'])
})
