import { expect, test } from 'bun:test'
import type { CacheContent } from '../../engines/cache/contract.ts'
import { groupFound, type Facts } from './group.ts'

let nextId = 1
const content = (titleKey: string, facts: Partial<CacheContent> = {}): CacheContent => ({
  id: nextId++,
  datasource: 'default',
  tag: 'steam',
  service: 'steam',
  titleKey,
  files: 2,
  bytes: 100,
  lastStoredAt: 2,
  sampleUris: [`/depot/${titleKey}/b`, '/a'],
  ...facts,
})
const title = (titleKey: string, gameAppId: number | null, gameName: string | null) => ({
  titleKey,
  gameName,
  gameAppId,
  betaAppId: null,
  depotId: titleKey.startsWith('alpha:') ? Number(titleKey.slice(6)) : null,
  imageUrl: null,
})
const group = (facts: Partial<Facts>) =>
  groupFound({ contents: [], titles: [], evicted: [], evictedDetails: [], ...facts })

test('depots of one app are one game; unknown ones are listed by depot id', () => {
  const { games, services } = group({
    contents: [
      content('alpha:9000011'),
      content('alpha:9000012', { datasource: 'second', bytes: 50 }),
      content('alpha:9000099', { bytes: 900 }),
      content('', { service: 'wsus', tag: 'wsus' }),
      content('', { service: 'localhost', tag: '127.0.0.1' }),
      content('alpha:9000013', { files: 0, bytes: 0 }),
    ],
    titles: [title('alpha:9000011', 9, 'Nine'), title('alpha:9000012', 9, 'Nine')],
  })
  expect(games.map(({ identity }) => identity)).toMatchObject([
    { appId: 9000099, name: 'Unknown Game (Depot 9000099)', isUnknown: true },
    { appId: 9, name: 'Nine', isUnknown: false },
  ])
  expect(games[1]).toMatchObject({
    files: 4,
    bytes: 150,
    depotIds: [9000011, 9000012],
    datasources: ['default', 'second'],
    sampleUrls: ['/a', '/depot/alpha:9000011/b', '/depot/alpha:9000012/b'],
    isEvicted: false,
  })
  expect(services.map(({ identity }) => identity)).toEqual([{ kind: 'service', service: 'wsus' }])
})

test('a game is evicted when all its downloads with bytes are', () => {
  const evicted = (titleKey: string, downloads: number, evictedDownloads: number) => ({
    titleKey,
    service: 'steam',
    downloads,
    evictedDownloads,
  })
  const { games } = group({
    contents: [content('alpha:9000011', { bytes: 70 })],
    titles: [
      title('alpha:9000011', 9, 'Nine'),
      title('alpha:9000012', 9, 'Nine'),
      title('alpha:9000021', 20, 'Twenty'),
    ],
    evicted: [
      evicted('alpha:9000011', 1, 0),
      evicted('alpha:9000012', 2, 2),
      evicted('alpha:9000021', 4, 4),
      evicted('alpha:9000031', 5, 0),
    ],
    evictedDetails: [{ titleKey: 'alpha:9000021', service: 'steam', bytes: 77, urls: ['/gone'] }],
  })
  expect(games).toMatchObject([
    { bytes: 70, isEvicted: false, evictedDownloads: 2, evictedDepotIds: [9000012] },
    { files: 0, isEvicted: true, evictedDownloads: 4, evictedBytes: 77, evictedUrls: ['/gone'] },
  ])
  expect(games).toHaveLength(2)
})

test('a service is evicted only when nothing of it remains; samples are listed once', () => {
  const row = (titleKey: string, evictedDownloads: number, service = 'wsus') => ({
    titleKey,
    service,
    downloads: 2,
    evictedDownloads,
  })
  const detail = { titleKey: '', service: 'wsus', bytes: 5, urls: ['/a', '/b'] }
  const { services } = group({
    evicted: [row('', 2), row('', 0), row('gamma:unknown', 2, 'blizzard')],
    evictedDetails: [detail, { ...detail, urls: ['/b', '/c'] }],
  })
  expect(services.map(({ service, isEvicted }) => [service, isEvicted])).toEqual([
    ['blizzard', true],
    ['wsus', false],
  ])
  expect(services[1]).toMatchObject({ evictedBytes: 10, evictedUrls: ['/a', '/b', '/c'] })
})

test('an image of any of its titles is used for the game', () => {
  const { games } = group({
    contents: [content('alpha:9000011'), content('alpha:9000012')],
    titles: [
      title('alpha:9000011', 9, 'Nine'),
      { ...title('alpha:9000012', 9, 'Nine'), imageUrl: 'https://pictures.example/9' },
    ],
  })
  expect(games).toMatchObject([{ imageUrl: 'https://pictures.example/9' }])
})

test('a game whose titles differ in name has the first name, as in reports', () => {
  const titles = [
    title('alpha:9000011', 9, 'Nine'),
    title('alpha:9000012', 9, 'By hand'),
    title('alpha:9000013', 9, 'Other'),
  ]
  const contents = titles.map(({ titleKey }) => content(titleKey))
  const { games } = group({ titles, contents })
  expect(games.map(({ identity }) => identity)).toMatchObject([{ appId: 9, name: 'By hand' }])
})
