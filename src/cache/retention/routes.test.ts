import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { allEnded } from '../../../test/support/job-end.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { ship, trafficRow } from '../../../test/support/shipped-rows.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { seededRandom } from '../../demo/random.ts'
import type { EvictionOrder } from '../eviction-order/model.ts'
import { createEviction } from '../eviction/eviction.ts'
import { Later } from '../away/later.ts'
import { createPending } from '../removals/pending.ts'
import { createRemovals } from '../removals/service.ts'
import { Retention } from './retention.ts'
import { bodyOf } from '../../../test/support/answers.ts'

const now = '2026-11-21T12:00:00.000Z'
const nowS = Date.parse(now) / 1000
const day = 86_400
const hourMs = 3_600_000

/** A second instance on the application's stores, as after a restart. */
function retentionOf(one: TestApp): Retention {
  const own = { ...one, reports: one.groups.downloads.reports }
  const parts = { ...own, later: new Later(own) }
  const pending = createPending(parts, createEviction(parts, { dropAll() {} }))
  return new Retention(parts, createRemovals(parts, { ...parts, pending }))
}

/** Facts about a game known to the test without asking the service. */
interface Plain {
  key: string
  service: string
  files: string[]
  bytes: number
  storedAt: number
  usedAt: number
}

let isAway = false
const time = new ManualTime(now)
let games: Plain[] = []
const random = seededRandom(7)

/** A game with cache files, titles and downloads. */
async function makeGame(at: number): Promise<Plain> {
  const isSteam = at % 4 !== 0
  const depots = isSteam
    ? Array.from({ length: random.between(1, 3) }, (_, n) => 9000 + at * 10 + n)
    : []
  const files: string[] = []
  let bytes = 0
  let storedAt = 0
  const paths = isSteam
    ? depots.map((depot) => `/depot/${depot}/chunk/${at}`)
    : [`/tpr/game${at}/data/${at}`]
  for (const path of paths) {
    const at = nowS - random.between(1, 200) * day
    const bodyBytes = random.between(1, 900) * 1000
    const stored = {
      key: sliceKey(isSteam ? 'steam' : 'blizzard', path, 0),
      body: new Uint8Array(),
    }
    const file = writeCacheFile(join(app.root, 'cache'), { ...stored, bodyBytes, storedAt: at })
    files.push(file)
    bytes += Bun.file(file).size
    storedAt = Math.max(storedAt, at)
  }
  const titleKeys = isSteam ? depots.map((depot) => `alpha:${depot}`) : [`gamma:game${at}`]
  const service = isSteam ? 'steam' : 'blizzard'
  let usedAt = storedAt
  for (const [n, titleKey] of titleKeys.entries()) {
    const endedAt = nowS - random.between(1, 300) * day
    const isPrefill = random.between(0, 3) === 0
    const gameAppId = isSteam ? 100 + at : null
    if (!isPrefill) usedAt = Math.max(usedAt, endedAt)
    await putTitles(history, { titleKey, service, gameName: `Game ${at}`, gameAppId })
    const times = { startedAt: endedAt - 60, endedAt }
    await putDownloads(history, { id: at * 10 + n, service, titleKey, isPrefill, ...times })
  }
  const key = isSteam ? `alpha:${100 + at}` : `named:blizzard:Game ${at}`
  return { key, service, files, bytes, storedAt, usedAt }
}

const walk = () =>
  app.cache.walk(
    { datasource: null, depth: 'directories', accept: true },
    { signal: new AbortController().signal, progress: () => {} },
  )

const history = await freshHistory()
const readHistory = history.read.bind(history)
history.read = (query) =>
  isAway ? Promise.reject(new HistoryUnavailable('away')) : readHistory(query)
const app = await testApp({ history, isIndexing: true, clock: time })
await Bun.write(join(app.root, 'logs', 'access.log'), '')
const owner = await signInOwner(app)
/** The same rules, driven by the test instead of the clock. */
const retention = retentionOf(app)

async function freshGames(): Promise<void> {
  await history.read(async (_db, sql) => {
    await sql`DELETE FROM downloads`
    await sql`DELETE FROM titles`
  })
  for (const game of games)
    for (const file of game.files)
      await Bun.file(file)
        .delete()
        .catch(() => {})
  games = []
  for (let at = 1; at <= 24; at++) games.push(await makeGame(at))
  await walk()
}

beforeEach(() => {
  isAway = false
  for (const table of ['rule', 'pin']) app.state.sqlite.run(`DELETE FROM retention_${table}`)
})

interface PreviewedRule {
  ruleId: string | null
  abstains: string | null
  games: { gameKey: string; state: string; bytes: number; files: number; lastUsedAtUtc: string }[]
  gameCount: number
  bytes: number
}

const read = async <T>(response: Promise<Response>, status = 200) =>
  bodyOf<T>(await response, status)

const preview = async (rule: object): Promise<PreviewedRule> => {
  const body = { rule: { name: 'test', ...rule } }
  const { rules } = await read<{ rules: PreviewedRule[] }>(
    owner.post('/api/ext/retention/preview', body),
  )
  return rules[0] as PreviewedRule
}
const addRule = (rule: object) =>
  read<{ id: string }>(
    owner.post('/api/ext/retention/rules', { name: 'test', isEnabled: true, ...rule }),
    201,
  )
interface PendingItem {
  id: string
  gameKey: string
  dueAtUtc: string
  startedAtUtc: string | null
  problem: string | null
}
const pending = async () =>
  (await read<{ items: PendingItem[] }>(owner.get('/api/ext/retention/pending'))).items
const ask = () =>
  read<{ listed: number; abstained: number }>(owner.post('/api/ext/retention/ask', {}))
const keysOf = (list: { gameKey: string }[]) => list.map(({ gameKey }) => gameKey).toSorted()
const keys = (list: Plain[]) => list.map(({ key }) => key).toSorted()
const areThere = (game: Plain) => game.files.map((file) => existsSync(file))

/** Reference implementation: longest unused first until the sum is reached. */
function oldestUntil(list: Plain[], over: number): Plain[] {
  const chosen: Plain[] = []
  let sum = 0
  for (const game of list.toSorted((a, b) => a.usedAt - b.usedAt || (a.key < b.key ? -1 : 1))) {
    if (sum >= over) break
    chosen.push(game)
    sum += game.bytes
  }
  return chosen
}

describe('rule selection', () => {
  beforeAll(freshGames)

  test('what is evicted next is what was used the longest ago', async () => {
    const fetched = { firstAt: nowS - 10 * day, missBytes: 30_000, isPrefill: true }
    await ship(history.connection(), { traffic: [trafficRow(fetched)] })
    const order = await read<EvictionOrder>(owner.get('/api/ext/cache/eviction/next'))
    const oldest = oldestUntil(games, Infinity)
    expect(order.total).toBe(games.length)
    expect(order.games.map(({ key, bytes }) => [key, bytes])).toEqual(
      oldest.slice(0, 10).map(({ key, bytes }) => [key, bytes]),
    )
    const { bytesPerDay, roomBytes, basis } = order
    expect([basis, bytesPerDay]).toEqual(['downloads', 3000])
    let before = roomBytes ?? 0
    for (const { inDays, bytes } of order.games) {
      expect(inDays).toBe(before / 3000)
      before += bytes
    }
  })

  test('equals a plain selection for every condition', async () => {
    for (const days of [30, 90, 150]) {
      const stored = await preview({ condition: 'storedLongerThan', days })
      expect(keysOf(stored.games)).toEqual(
        keys(games.filter(({ storedAt }) => nowS - storedAt > days * day)),
      )
      const unused = await preview({ condition: 'unusedFor', days, service: 'steam' })
      expect(keysOf(unused.games)).toEqual(
        keys(games.filter((game) => game.service === 'steam' && nowS - game.usedAt > days * day)),
      )
    }
    const large = await preview({ condition: 'gameLargerThan', bytes: 500_000 })
    const expected = games.filter(({ bytes }) => bytes > 500_000)
    expect(keysOf(large.games)).toEqual(keys(expected))
    expect(large).toMatchObject({
      gameCount: expected.length,
      bytes: expected.reduce((sum, { bytes }) => sum + bytes, 0),
    })
    const steam = games.filter(({ service }) => service === 'steam')
    const total = steam.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const share of [0.3, 0.8, 1.2]) {
      const bytes = Math.floor(total * share)
      const above = await preview({ condition: 'serviceAbove', bytes, service: 'STEAM' })
      expect(keysOf(above.games)).toEqual(keys(oldestUntil(steam, total - bytes)))
    }
    const one = games[3] as Plain
    const only = await preview({ condition: 'gameLargerThan', bytes: 1, gameKey: one.key })
    expect(keysOf(only.games)).toEqual([one.key])
    const disk = await app.disk.space('default')
    const wanted = {
      condition: 'diskBelow',
      bytes: disk.freeBytes + 2 ** 40,
      datasource: 'default',
    }
    expect(keysOf((await preview(wanted)).games)).toEqual(keys(games))
    expect((await preview({ condition: 'diskBelow', bytes: 1 })).games).toEqual([])
    expect(await pending()).toEqual([])
  })

  test('is empty while the history is away or the index is unusable', async () => {
    const rule = { condition: 'gameLargerThan', bytes: 1 }
    isAway = true
    expect(await preview(rule)).toMatchObject({
      games: [],
      abstains: 'the database is unavailable',
    })
    await addRule(rule)
    expect(await ask()).toEqual({ listed: 0, abstained: 1 })
    isAway = false
    renameSync(join(app.root, 'cache'), join(app.root, 'gone'))
    try {
      await app.cache.walk(
        { datasource: null, depth: 'directories' },
        { signal: new AbortController().signal, progress: () => {} },
      )
      expect((await preview(rule)).games).toEqual([])
      expect((await preview({ ...rule, datasource: 'default' })).abstains).toStartWith('default: ')
      expect(await ask()).toMatchObject({ listed: 0 })
    } finally {
      renameSync(join(app.root, 'gone'), join(app.root, 'cache'))
    }
    expect(games.flatMap(areThere).every(Boolean)).toBe(true)
  })
})

describe('listed games', () => {
  beforeEach(freshGames)

  test('wait, can be kept, are removed when due, and nothing else is', async () => {
    const steam = games.filter(({ service }) => service === 'steam')
    const [pinned, kept, ...others] = steam as [Plain, Plain, ...Plain[]]
    await read(owner.put('/api/ext/retention/pins', { gameKey: pinned.key, name: 'Mine' }))
    await addRule({ condition: 'gameLargerThan', bytes: 1, service: 'steam' })
    expect(await ask()).toEqual({ listed: steam.length - 1, abstained: 0 })
    expect(await ask()).toEqual({ listed: 0, abstained: 0 })
    const listed = await pending()
    expect(keysOf(listed)).toEqual(keys([kept, ...others]))
    const due = new Date(time.now().getTime() + 24 * hourMs).toISOString()
    expect(new Set(listed.map(({ dueAtUtc }) => dueAtUtc))).toEqual(new Set([due]))
    const row = listed.find(({ gameKey }) => gameKey === kept.key)
    await read(owner.delete(`/api/ext/retention/pending/${row?.id ?? ''}`))
    await retention.removeDue()
    expect(games.flatMap(areThere).every(Boolean)).toBe(true)

    await time.advance(25 * hourMs)
    expect(await ask()).toEqual({ listed: 0, abstained: 0 })
    await retention.removeDue()
    await allEnded(app.operations)
    retention.settle()
    expect(await pending()).toEqual([])
    expect(others.flatMap(areThere).some(Boolean)).toBe(false)
    const rest = games.filter((game) => !others.includes(game))
    expect(rest.flatMap(areThere).every(Boolean)).toBe(true)
  })

  test('are judged again: games used meanwhile stay', async () => {
    const days = 100
    const old = games.filter(({ usedAt }) => time.now().getTime() / 1000 - usedAt > days * day)
    const [used] = old as [Plain, ...Plain[]]
    await addRule({ condition: 'unusedFor', days })
    expect((await ask()).listed).toBe(old.length)
    const titleKey = await history.read(async (_db, sql) => {
      const name = /\d+$/.exec(used.key)?.[0] ?? ''
      const rows = used.key.startsWith('alpha')
        ? await sql<{ k: string }[]>`SELECT title_key AS k FROM titles WHERE game_app_id = ${name}`
        : await sql<
            { k: string }[]
          >`SELECT title_key AS k FROM titles WHERE game_name = ${`Game ${name}`}`
      return rows[0]?.k ?? ''
    })
    await history.read(
      (_db, sql) => sql`
        UPDATE downloads SET is_prefill = false, ended_at = to_timestamp(${time.now().getTime() / 1000})
        WHERE title_key = ${titleKey}`,
    )
    await time.advance(25 * hourMs)
    await retention.removeDue()
    await allEnded(app.operations)
    retention.settle()
    expect(await pending()).toEqual([])
    expect(areThere(used).every(Boolean)).toBe(true)
    expect(old.slice(1).flatMap(areThere).some(Boolean)).toBe(false)
  })

  test('survive a restart, even in the middle of a removal', async () => {
    const [first, second] = games as [Plain, Plain, ...Plain[]]
    await addRule({ condition: 'gameLargerThan', bytes: 1, gameKey: first.key })
    await addRule({ condition: 'gameLargerThan', bytes: 1, gameKey: second.key })
    expect((await ask()).listed).toBe(2)
    // As a killed process leaves it: started, and its operation gone.
    app.state.sqlite.run(
      'UPDATE retention_pending SET started_at = ?, operation_id = ? WHERE game_key = ?',
      [time.now().getTime(), crypto.randomUUID(), first.key],
    )
    const later = retentionOf(app)
    await later.removeDue()
    await allEnded(app.operations)
    later.settle()
    expect(keysOf(await pending())).toEqual([second.key])
    expect([first, second].map((game) => areThere(game).some(Boolean))).toEqual([false, true])
    const [row] = await pending()
    const path = `/api/ext/retention/pending/${row?.id ?? ''}/now`
    await read(owner.post(path, {}), 202)
    await allEnded(app.operations)
    later.settle()
    expect(areThere(second).some(Boolean)).toBe(false)
    expect((await owner.post(path, {})).status).toBe(404)
  })

  test('a depot whose game is learnt meanwhile is removed as that game, when it was all of it', async () => {
    const known = await history.read(
      (_db, sql) => sql<{ app: string; keys: string[] }[]>`
      SELECT game_app_id::text AS app, array_agg(title_key) AS keys FROM titles
      WHERE game_app_id IS NOT NULL GROUP BY 1`,
    )
    const withDepots = (count: number) => known.find(({ keys }) => keys.length === count)
    const name = (titleKeys: string[], gameAppId: number | null) =>
      history.read(
        (_db, sql) => sql`
        UPDATE titles SET game_app_id = ${gameAppId}, game_name = ${gameAppId && 'Learnt'}
        WHERE title_key = ANY(${titleKeys}::text[])`,
      )
    const nowPath = async () => `/api/ext/retention/pending/${(await pending())[0]?.id ?? ''}/now`
    for (const count of [1, 2]) {
      const { app: appId = '', keys: titleKeys = [] } = withDepots(count) ?? {}
      const game = games.find(({ key }) => key === `alpha:${appId}`) as Plain
      const [depot = ''] = titleKeys
      await name(titleKeys, null)
      const { id } = await addRule({ condition: 'gameLargerThan', bytes: 1, gameKey: depot })
      expect(await ask()).toMatchObject({ listed: 1 })
      await name(titleKeys, Number(appId))
      const path = await nowPath()
      if (count === 2) {
        const refused = await read<{ error: string }>(owner.post(path, {}), 409)
        expect(refused.error).toMatch(/^Unknown Game .* is part of Learnt now, which has more/)
        expect(await pending()).toMatchObject([{ gameKey: game.key, bytes: game.bytes }])
        expect(areThere(game).every(Boolean)).toBe(true)
      }
      await read(owner.post(path, {}), 202)
      await allEnded(app.operations)
      retention.settle()
      expect(areThere(game).some(Boolean)).toBe(false)
      expect(await pending()).toEqual([])
      await read(owner.delete(`/api/ext/retention/rules/${id}`))
    }
  })
})
