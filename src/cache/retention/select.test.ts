import { describe, expect, test } from 'bun:test'
import { seededRandom } from '../../demo/random.ts'
import type { Rule, StoredGame, CacheState } from './rule.ts'
import { skipReason } from './skip-reasons.ts'
import { select, type Protection } from './select.ts'
import { isGameKey } from './target.ts'

const day = 86_400
const nowS = 1_795_000_000
const random = seededRandom(11)

const rule = (facts: Partial<Rule>): Rule => ({
  id: 'r',
  name: 'r',
  isEnabled: true,
  position: 0,
  service: null,
  gameKey: null,
  datasource: null,
  condition: 'gameLargerThan',
  days: null,
  bytes: null,
  ...facts,
})

function makeCacheState(): CacheState {
  const games = Array.from({ length: random.between(0, 30) }, (_, at): StoredGame => {
    const places = [['one'], ['two'], ['one', 'two']][random.between(0, 2)] as string[]
    const bytesOn = Object.fromEntries(places.map((place) => [place, random.between(1, 100)]))
    const lastStoredAt = nowS - random.between(1, 300) * day
    return {
      key: `alpha:${at}`,
      name: `Game ${at}`,
      service: random.pick(['steam', 'riot']),
      datasources: places,
      files: 1,
      bytes: Object.values(bytesOn).reduce((sum, bytes) => sum + bytes, 0),
      bytesOn,
      lastStoredAt,
      lastUsedAt: Math.min(nowS, lastStoredAt + random.between(0, 100) * day),
    }
  })
  const totalOf = (service: string) =>
    games.filter((game) => game.service === service).reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    nowS,
    games,
    serviceBytes: { steam: totalOf('steam') + 50, riot: totalOf('riot') },
    disks: [
      { name: '/a', datasources: ['one'], freeBytes: random.between(0, 500) },
      { name: '/b', datasources: ['two'], freeBytes: random.between(0, 500) },
    ],
    silent: {},
    ofDepots: new Map(),
  }
}

const some = ({ games }: CacheState, share: number) =>
  new Set(games.filter(() => random.between(0, 99) < share).map(({ key }) => key))

const makeProtection = (cache: CacheState): Protection => ({
  pinned: some(cache, 15),
  spared: some(cache, 10),
  leaving: some(cache, 15),
})

const none: Protection = { pinned: new Set(), spared: new Set(), leaving: new Set() }

describe('total limits', () => {
  test('get below the limit with the longest unused games and no more than needed', () => {
    for (let round = 0; round < 300; round++) {
      const cache = makeCacheState()
      const protection = makeProtection(cache)
      const limit = random.between(0, 1200)
      const { verdicts } = select(
        rule({ condition: 'serviceAbove', service: 'steam', bytes: limit }),
        cache,
        protection,
      )
      const steam = cache.games.filter(({ service }) => service === 'steam')
      const isProtected = ({ key }: StoredGame) =>
        protection.pinned.has(key) || protection.spared.has(key)
      const chosen = verdicts.filter(({ state }) => state === 'leaves').map(({ game }) => game)
      expect(chosen.some((game) => isProtected(game) || protection.leaving.has(game.key))).toBe(
        false,
      )
      const going = steam.filter((game) => protection.leaving.has(game.key) && !isProtected(game))
      const sum = (list: StoredGame[]) => list.reduce((total, { bytes }) => total + bytes, 0)
      const free = steam
        .filter((game) => !isProtected(game) && !protection.leaving.has(game.key))
        .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt || (a.key < b.key ? -1 : 1))
      const over = (cache.serviceBytes['steam'] ?? 0) - limit - sum(going)
      // The shortest prefix that is enough, or all candidates.
      let count = 0
      while (count < free.length && sum(free.slice(0, count)) < over) count++
      expect(chosen.map(({ key }) => key)).toEqual(free.slice(0, count).map(({ key }) => key))
      const next = new Set([...protection.leaving, ...chosen.map(({ key }) => key)])
      const again = select(
        rule({ condition: 'serviceAbove', service: 'steam', bytes: limit }),
        cache,
        { ...protection, leaving: next },
      )
      expect(again.verdicts.filter(({ state }) => state === 'leaves')).toEqual([])
    }
  })

  test('of a disk count the content on it', () => {
    for (let round = 0; round < 300; round++) {
      const cache = makeCacheState()
      const limit = random.between(0, 1500)
      const { verdicts } = select(rule({ condition: 'diskBelow', bytes: limit }), cache, none)
      for (const { datasources, freeBytes } of cache.disks) {
        const place = datasources[0] ?? ''
        const freed = verdicts.reduce((sum, { game }) => sum + (game.bytesOn[place] ?? 0), 0)
        const all = cache.games.reduce((sum, game) => sum + (game.bytesOn[place] ?? 0), 0)
        const isEnough = (freeBytes ?? 0) + freed >= limit || freed === all
        expect(isEnough).toBe(true)
      }
    }
  })
})

describe('scope of a rule', () => {
  const steamCache = (): CacheState => {
    const made = { ...makeCacheState(), silent: {} }
    while (made.games.length < 10) Object.assign(made, makeCacheState())
    return made
  }

  test('a datasource: only games stored nowhere else', () => {
    const made = steamCache()
    const { verdicts } = select(rule({ bytes: 0, datasource: 'ONE' }), made, none)
    const expected = made.games.filter(({ datasources }) => datasources.join() === 'one')
    expect(verdicts).toHaveLength(expected.length)
  })

  test('no content of an unusable index', () => {
    const made = {
      ...steamCache(),
      silent: { two: skipReason('treeEmpty', { datasource: 'two' }) },
    }
    const { verdicts } = select(rule({ bytes: 0 }), made, none)
    expect(verdicts.some(({ game }) => game.datasources.includes('two'))).toBe(false)
    const total = rule({ condition: 'serviceAbove', service: 'steam', bytes: 1 })
    expect(select(total, made, none)).toMatchObject({
      abstains: { text: 'two: the cache folder is empty' },
      verdicts: [],
    })
    const own = rule({ bytes: 0, datasource: 'two' })
    expect(select(own, made, none).abstains?.text).toBe('two: the cache folder is empty')
  })

  test('no disk whose free space is unknown', () => {
    const made = steamCache()
    const disks = [{ name: 'two', datasources: ['two'], freeBytes: null }]
    const low = rule({ condition: 'diskBelow', bytes: 1000 })
    expect(select(low, { ...made, disks }, none).abstains?.text).toContain('unknown')
  })
})

test.each([
  ['alpha:730', true],
  ['beta:o-1', true],
  ['named:blizzard:Diablo IV: Vessel', true],
  ['service:wsus', false],
  ['alpha:x', false],
  ['named::x', false],
  [`beta:${'a'.repeat(500)}`, false],
])('%p selects a game: %p', (key, expected) => {
  expect(isGameKey(key)).toBe(expected)
})
