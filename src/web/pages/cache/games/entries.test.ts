import { beforeAll, describe, expect, test } from 'bun:test'
import type { CachedDetection, DetectedGame } from '../../../api/cache-queries.ts'
import en from '../../../locales/en.reports.json'
import { setTexts } from '../../../locales/translate.ts'
import { entriesOf, reportOf, shownEntries, sumOf } from './entries.ts'

const game = (part: Partial<DetectedGame>): DetectedGame => ({
  game_app_id: 0,
  game_name: 'A game',
  cache_files_found: 1,
  total_size_bytes: 100,
  last_stored_at: null,
  depot_ids: [],
  sample_urls: [],
  cache_file_paths: [],
  datasources: ['default'],
  service: 'steam',
  image_url: null,
  beta_app_id: null,
  is_evicted: false,
  evicted_downloads_count: 0,
  evicted_bytes: 0,
  evicted_sample_urls: [],
  evicted_depot_ids: [],
  ...part,
})

const detection: CachedDetection = {
  hasCachedResults: true,
  games: [
    game({ game_app_id: 570, game_name: 'Dota 2', depot_ids: [571], total_size_bytes: 900 }),
    game({ game_app_id: 441, game_name: 'Unknown Game (Depot 441)', depot_ids: [441] }),
    game({
      game_name: 'Diablo IV',
      service: 'blizzard',
      total_size_bytes: 300,
      last_stored_at: '2026-11-20T10:00:00.000Z',
      datasources: ['nas'],
    }),
    game({
      game_app_id: 3_000_000_000,
      game_name: 'Fortnite',
      beta_app_id: 'x1',
      service: 'epicgames',
      cache_files_found: 0,
      total_size_bytes: 0,
      evicted_downloads_count: 4,
    }),
  ],
  services: [
    {
      service_name: 'wsus',
      cache_files_found: 7,
      total_size_bytes: 500,
      last_stored_at: null,
      sample_urls: [],
      cache_file_paths: [],
      datasources: ['default'],
      is_evicted: false,
      evicted_downloads_count: 0,
      evicted_bytes: 0,
      evicted_sample_urls: [],
    },
  ],
  totalGamesDetected: 3,
  totalServicesDetected: 1,
  lastDetectionTime: null,
  games_on_disk_bytes: 1300,
  games_on_disk_count: 3,
  identified_cache_bytes: 1800,
  identified_service_bytes: 500,
  detection_summary_computed_at: null,
  detection_stale: false,
}

const entries = entriesOf(detection)
const shown = (search: Parameters<typeof shownEntries>[1]) =>
  shownEntries(entries, search).map(({ name }) => name)

beforeAll(() => setTexts(en))

test("an entry has the server's key", () => {
  expect(entries.map(({ key }) => key)).toEqual([
    'alpha:570',
    'alpha:441',
    'named:blizzard:Diablo IV',
    'beta:x1',
    'service:wsus',
  ])
  expect(entries.map(({ unnamedDepot }) => unnamedDepot)).toEqual([null, 441, null, null, null])
})

test('games in the reports link to their page', () => {
  expect(entries.map(reportOf)).toEqual([
    { service: 'steam', id: 'app-570' },
    null,
    { service: 'blizzard', id: 'name-diablo iv' },
    { service: 'epicgames', id: 'beta-x1' },
    null,
  ])
})

describe('the list', () => {
  test('is sorted by size by default', () => {
    expect(shown({})).toEqual([
      'Dota 2',
      'wsus',
      'Diablo IV',
      'Unknown Game (Depot 441)',
      'Fortnite',
    ])
    expect(shown({ sort: 'smallest' }).at(0)).toBe('Fortnite')
    expect(shown({ sort: 'latest' }).at(0)).toBe('Diablo IV')
    expect(shown({ sort: 'name-last' }).at(0)).toBe('wsus')
    // By display name.
    expect(shown({ sort: 'name' }).at(0)).toBe('Unknown Game (Depot 441)')
    expect(shown({ sort: 'files' }).at(0)).toBe('wsus')
    expect(shown({ sort: 'evicted' }).at(0)).toBe('Fortnite')
  })

  test('is filtered by the URL', () => {
    expect(shown({ service: 'steam' })).toEqual(['Dota 2', 'Unknown Game (Depot 441)'])
    expect(shown({ source: 'nas' })).toEqual(['Diablo IV'])
    expect(shown({ show: 'evicted' })).toEqual(['Fortnite'])
    expect(shown({ show: 'services' })).toEqual(['wsus'])
    expect(shown({ show: 'games', service: 'epicgames' })).toEqual([])
  })

  test('is searched by name, depot, number and service display name', () => {
    expect(shown({ search: ' 571 ' })).toEqual(['Dota 2'])
    expect(shown({ search: 'windows' })).toEqual(['wsus'])
    expect(shown({ search: 'X1' })).toEqual(['Fortnite'])
  })
})

test('sums cover the entries shown', () => {
  expect(sumOf(entries)).toEqual({ bytes: 1800, files: 10 })
})
