import { expect, test } from 'bun:test'
import { downloadsQuery, downloadsSearch, parseAddress, writeAddress } from './search-state.ts'

test('parses a full URL', () => {
  const address =
    '?range=7d&page=3&size=100&sort=largest&service=steam&client=10.0.0.9&search=%20half%20life%20&hits=miss&group=game&unknown=hide&local=hide&empty=hide&prefill=show&event=4'
  const search = downloadsSearch(parseAddress(address))
  expect(search).toEqual({
    range: '7d',
    page: 3,
    size: 100,
    sort: 'largest',
    service: 'steam',
    client: '10.0.0.9',
    search: 'half life',
    hits: 'miss',
    group: 'game',
    unknown: 'hide',
    local: 'hide',
    empty: 'hide',
    prefill: 'show',
    event: 4,
  })
  expect(downloadsSearch(parseAddress(writeAddress({ ...search })))).toEqual(search)
})

test('default and invalid values are dropped', () => {
  const senseless = '?page=1&size=50&sort=latest&hits=maybe&group=none&search=%20&range=24h'
  expect(downloadsSearch(parseAddress(senseless))).toEqual({})
  expect(downloadsSearch(parseAddress('?page=-2&size=33&sort=up'))).toEqual({})
  expect(downloadsSearch(parseAddress('?page=1e9'))).toEqual({})
  expect(writeAddress({ page: undefined })).toBe('')
})

test('a client that looks like a number stays text', () => {
  expect(downloadsSearch(parseAddress('?client=1234&search=5')).search).toBe('5')
})

test('parameters of the endpoint', () => {
  expect(downloadsQuery({})).toEqual({
    Page: 1,
    PageSize: 50,
    Sort: 'latest',
    Service: undefined,
    Client: undefined,
    Search: undefined,
    HitMiss: undefined,
    GroupByGame: undefined,
    GroupByService: undefined,
    HideUnknown: undefined,
    HideLocalhost: undefined,
    ShowZeroBytes: undefined,
    includePrefill: undefined,
    includeExcluded: undefined,
  })
  expect(
    downloadsQuery({ unknown: 'hide', local: 'hide', empty: 'hide', prefill: 'show' }),
  ).toMatchObject({
    HideUnknown: true,
    HideLocalhost: true,
    ShowZeroBytes: false,
    includePrefill: true,
  })
  expect(downloadsQuery({ group: 'service', page: 2 })).toMatchObject({
    Page: 2,
    GroupByService: true,
    includeExcluded: false,
  })
  const ofOne = downloadsQuery({ group: 'game', client: '10.0.0.9' })
  expect(ofOne.includeExcluded).toBeUndefined()
})
