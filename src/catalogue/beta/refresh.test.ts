import { beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { titleName } from '../../../db/state/schema/titles.ts'
import { betaApp, betaBase, betaPath } from '../../../test/support/beta-app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { createDescriber } from '../../engines/catalogue/describe.ts'

const hourMs = 3_600_000
const { epic, time, app, user, history, runs, answer, complete, signIn, read, refresh } =
  await betaApp()
const names = async () => ((await read('')) as { name: string }[]).map(({ name }) => name)

describe('scheduled refresh', () => {
  test('asks for nothing that is stored', async () => {
    await signIn()
    epic.calls.length = 0
    await refresh()
    expect(epic.calls).toEqual(['assets', 'freeGames'])
    expect(runs()[0]).toMatchObject({ status: 'completed', isSilent: true })
  })

  test('finds new builds, new games and free games', async () => {
    await signIn()
    epic.calls.length = 0
    const fox = { appName: 'Fox', title: 'Fox and Hound', buildVersion: '2' }
    const ant = { appName: 'Ant', title: 'Ant Farm', buildVersion: '1', basePath: betaPath('ant') }
    epic.assets = [{ ...fox, basePath: betaPath('fox2') }, ant]
    epic.freeGames = [
      { id: 'gift', title: 'A gift' },
      { id: 'sale', title: 'Only cheaper', isFree: false },
    ]
    await refresh()
    expect(epic.calls).toEqual(['assets', 'manifest', 'item', 'manifest', 'freeGames'])
    expect(await names()).toContain('Ant Farm')
    expect(await names()).toContain('A gift')
    expect(await names()).not.toContain('Only cheaper')
    expect(await read('/stats')).toMatchObject({ cdnPatterns: 4, distinctSources: 3 })
  })

  test('discarding all images asks for the address of every image again', async () => {
    const clear = async () => {
      const response = await user.delete('/api/game-images/cache')
      return ((await response.json()) as { betaImageUrlsRefreshed: number }).betaImageUrlsRefreshed
    }
    expect(await clear()).toBe(0)
    expect(epic.calls).toEqual([])
    const imageOf = (path: string) => [
      { type: 'OfferImageWide', url: `https://cdn1.epicgames.com/${path}.jpg` },
    ]
    epic.assets = [
      { appName: 'Fox', title: 'Fox and Hound', images: imageOf('old') },
      { appName: 'Owl', title: 'Owl Watch' },
    ]
    await signIn()
    epic.assets = [
      { appName: 'Fox', title: 'Fox and Hound', images: imageOf('new') },
      { appName: 'Owl', title: 'Owl Watch' },
    ]
    expect(await clear()).toBe(1)
    const games = (await read('')) as { appId: string; imageUrl: string | null }[]
    expect(games.find(({ appId }) => appId === 'Fox')?.imageUrl).toContain('/new.jpg')
  })

  test('learns new names within a week', async () => {
    epic.assets = [{ appName: 'Fox', title: 'Fox and Hound' }]
    await signIn()
    epic.assets = [{ appName: 'Fox', title: 'Fox and Hounds' }]
    await refresh()
    expect(await names()).toContain('Fox and Hound')
    time.set(7 * 24 * hourMs)
    await refresh()
    expect(await names()).toContain('Fox and Hounds')
  })

  test('continues where it was interrupted', async () => {
    epic.troubles.set('manifest', 'down')
    expect((await signIn()).status).toBe(200)
    expect(await read('/stats')).toMatchObject({ totalGames: 3, cdnPatterns: 0 })
    epic.troubles.clear()
    epic.calls.length = 0
    await refresh()
    expect(epic.count('item')).toBe(0)
    expect(epic.count('manifest')).toBe(2)
    expect(await read('/stats')).toMatchObject({ cdnPatterns: 2 })
  })

  test('renews the sign-in; a refused one is forgotten, an unreachable service is not', async () => {
    epic.expiresIn = 1
    await signIn()
    epic.troubles.set('token', 'down')
    await refresh()
    expect(runs()[0]?.status).toBe('failed')
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: true })
    // Tried again after a minute, however long the interval is.
    app.settings.set('beta.intervalHours', 12)
    const { nextRefreshIn } = (await read('/schedule')) as { nextRefreshIn: number }
    expect(nextRefreshIn).toBeLessThanOrEqual(60)
    epic.troubles.set('token', 'refuse')
    await refresh()
    expect(runs()[0]?.error).toBe('Epic Games refused the sign-in; sign in again')
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: false })
  })

  test('without a sign-in asks nobody and is skipped', async () => {
    await refresh()
    expect(epic.calls).toEqual([])
    expect(runs()[0]).toMatchObject({
      status: 'skipped',
      stageKey: 'signalr.betaMapping.skippedNotSignedIn',
    })
  })

  test('is not postponed by a code that Epic refuses', async () => {
    await signIn()
    await time.advance(hourMs)
    expect((await complete({ authorizationCode: 'x' })).status).toBe(400)
    expect(await read('/schedule')).toMatchObject({ nextRefreshIn: (11 * hourMs) / 1000 })
  })

  test('follows its interval', async () => {
    const set = async (hours: unknown) =>
      answer(await user.put(`${betaBase}/schedule/interval`, hours))
    expect(await set(2.5)).toEqual({
      status: 200,
      body: { intervalHours: 2.5, message: 'Refreshed every 2.5 h' },
    })
    await signIn()
    expect(await read('/schedule')).toEqual({
      refreshIntervalHours: 2.5,
      isProcessing: false,
      lastRefreshTime: time.now().toISOString(),
      nextRefreshIn: 9000,
      isAuthenticated: true,
      operationId: null,
      status: 'Completed',
      progressPercent: 0,
      statusMessage: null,
      showNotification: false,
    })
    await set(0)
    expect(await read('/schedule')).toMatchObject({ refreshIntervalHours: 0, nextRefreshIn: 0 })
    epic.calls.length = 0
    await time.advance(hourMs)
    expect(epic.calls).toEqual([])
    for (const wrong of [-1, 8761, '3', null, true]) expect((await set(wrong)).status).toBe(400)
  })
})

test('a person starts one, which others join', async () => {
  await signIn()
  epic.troubles.set('assets', 'hang')
  const start = async () => answer(await user.post('/api/ext/beta/game-mappings/refresh'))
  const first = await start()
  expect(first).toMatchObject({ status: 200, body: { alreadyRunning: false } })
  const { operationId } = first.body
  expect((await start()).body).toEqual({ operationId, alreadyRunning: true })
  expect(app.operations.get(String(operationId))?.isSilent).toBe(false)
})

describe('lists', () => {
  beforeEach(() => signIn().then(() => {}))

  test('are ordered by name, in parts', async () => {
    const [, second] = (await read('')) as object[]
    expect(await read('?skip=1&take=1')).toEqual([second])
    expect(second).toEqual({
      appId: 'Fox',
      name: 'Fox and Hound',
      discoveredAtUtc: time.now().toISOString(),
      lastSeenAtUtc: time.now().toISOString(),
      source: 'mapping-login',
      imageUrl: null,
    })
    expect((await user.get(`${betaBase}?skip=-1`)).status).toBe(400)
  })

  test.each([
    ['hOuNd', ['Fox']],
    ['OWL', ['Owl']],
    ['%25%25', []],
    ['kit', ['Kit']],
  ])('search for %s', async (q, found) => {
    const rows = (await read(`/search?q=${q}`)) as { appId: string }[]
    expect(rows.map(({ appId }) => appId)).toEqual(found)
  })

  test.each([['?q=a'], ['?q=%20%20'], ['']])('search%s is 400', async (query) => {
    expect((await user.get(`${betaBase}/search${query}`)).status).toBe(400)
  })
})

describe('names of downloads', () => {
  const seed = (titleKey: string) =>
    history.read(
      (_db, sql) => sql`INSERT INTO titles (title_key, service, platform, updated_at)
        VALUES (${titleKey}, 'epicgames', 'beta', now())`,
    )
  const titles = () =>
    history.read(
      (_db, sql) => sql<{ key: string; name: string | null; id: string | null }[]>`
        SELECT title_key AS key, game_name AS name, beta_app_id AS id FROM titles ORDER BY 1`,
    )

  test('are those of their base path, or of one above; other downloads have none', async () => {
    epic.assets = [
      { appName: 'Deep', title: 'Deep', buildVersion: '1', basePath: '/Builds/D/a/b/c/d' },
      { appName: 'Flat', title: 'Flat', buildVersion: '1', basePath: '/Builds/Flat' },
      { appName: 'Fox', title: 'Fox', buildVersion: '1', basePath: betaPath('fox') },
    ]
    await seed('beta:/Builds/Flat/Extra')
    await seed('beta:/Builds/Flatter/Extra')
    await seed(`beta:${betaPath('fox')}`)
    await signIn()
    expect([...(await titles())]).toEqual([
      { key: 'beta:/Builds/D/a/b/c', name: 'Deep', id: 'Deep' },
      { key: 'beta:/Builds/Flat', name: 'Flat', id: 'Flat' },
      { key: 'beta:/Builds/Flat/Extra', name: 'Flat', id: 'Flat' },
      { key: 'beta:/Builds/Flatter/Extra', name: null, id: null },
      { key: `beta:${betaPath('fox')}`, name: 'Fox', id: 'Fox' },
    ])
  })

  test('are known to the log engine before the history has a row', async () => {
    epic.assets = [{ appName: 'Flat', title: 'Flat', buildVersion: '1', basePath: '/Builds/Flat' }]
    await signIn()
    const describeTitle = createDescriber(join(app.root, 'data'))
    expect(describeTitle('beta:/Builds/Flat/Extra', 'epicgames')).toMatchObject({
      gameName: 'Flat',
      betaAppId: 'Flat',
    })
    const unknown = { gameName: null, betaAppId: null }
    expect(describeTitle('beta:/Builds/Flatter', 'epicgames')).toMatchObject(unknown)
  })

  test('are written again when the history is available again', async () => {
    await signIn()
    await history.read((_db, sql) => sql`DELETE FROM titles`)
    history.credentialsChanged()
    const count = () =>
      titles().then(
        (rows) => rows.length,
        () => 0,
      )
    await eventually(async () => (await count()) === 2, 'both names, as soon as it is back')
  })

  test('are written although the run fails at other games', async () => {
    await signIn()
    await history.read((_db, sql) => sql`DELETE FROM titles`)
    const more = [1, 2, 3].map((n) => ({ appName: `New${n}`, title: 'New', buildVersion: '1' }))
    epic.assets = [...epic.assets, ...more]
    epic.troubles.set('item', 'garbage')
    await refresh()
    expect(runs()[0]?.status).toBe('failed')
    expect((await titles()).map(({ name }) => name)).toEqual(['Fox and Hound', 'Owl Watch'])
  })

  test('given by hand stay', async () => {
    const titleKey = `beta:${betaPath('fox')}`
    await seed(titleKey)
    const name = { titleKey, service: 'epicgames', gameName: 'My fox', namedAt: time.now() }
    app.state.db.insert(titleName).values(name).run()
    await history.read((_db, sql) => sql`UPDATE titles SET game_name = 'My fox'`)
    await signIn()
    const [fox] = await titles()
    app.state.db.delete(titleName).run()
    expect(fox).toEqual({ key: titleKey, name: 'My fox', id: 'Fox' })
  })
})
