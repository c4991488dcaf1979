import { expect, test } from 'bun:test'
import { clientsSearch } from './search.ts'

test('keeps valid values that differ from the default', () => {
  expect(clientsSearch({ sort: 'largest', show: 'all', search: '  ' })).toEqual({})
  expect(clientsSearch({ sort: 'miss', show: 'left-out', search: 'tv', range: '7d' })).toEqual({
    sort: 'miss',
    show: 'left-out',
    search: 'tv',
    range: '7d',
  })
  expect(clientsSearch({ sort: 'nonsense', show: 5, search: 7, range: 'x' })).toEqual({})
  expect(clientsSearch({ search: 'a'.repeat(500) }).search).toHaveLength(100)
})
