import { beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { epsilonApp, epsilonBase, guid, packageOf } from '../../../test/support/epsilon-app.ts'
import { createDescriber } from '../../engines/catalogue/describe.ts'
import type { Trouble } from '../../../test/support/stand-ins/serve-locally.ts'

const isoTime = expect.stringMatching(/^2026-\d\d-\d\dT.*Z$/)
const { xbox, app, user, history, runs, stateOf, read, signIn, refresh, time, idle } =
  await epsilonApp()

describe('scheduled refresh', () => {
  test('asks for packages again, not for what is kept', async () => {
    await signIn()
    xbox.calls.length = 0
    xbox.titles[1] = { productId: '9HALO', name: 'Halo Infinite' }
    await refresh()
    expect(xbox.calls.filter((call) => call === 'product')).toEqual([])
    expect(xbox.calls).toContain('package')
    expect(stateOf('EpsilonGameMappingsUpdated').at(-1)?.data).toMatchObject({
      newGames: 0,
      updatedGames: 1,
    })
    expect(runs()[0]).toMatchObject({ status: 'completed', isSilent: true })
  })

  test('at a restart asks for packages of new titles only, until they are half a day old', async () => {
    await signIn()
    const restart = async () => {
      const before = runs().length
      xbox.calls.length = 0
      app.schedules.unregister('epsilonMapping')
      app.groups.catalogue.start()
      await time.advance(60_000)
      await eventually(() => runs().length > before, 'the run at the start')
      await idle()
      return xbox.calls.filter((call) => call === 'package' || call === 'titles')
    }
    await time.skip(3_600_000)
    expect(await restart()).toEqual(['titles'])
    xbox.titles.push({ productId: '9NEW', name: 'New', packages: { 'content-3': [] } })
    expect(await restart()).toEqual(['titles', 'package'])
    await time.skip(11 * 3_600_000)
    expect(await restart()).toEqual(['titles', 'package', 'package', 'package'])
    await time.skip(3_600_000)
    xbox.calls.length = 0
    const byHand = await user.post('/api/system/schedules/epsilonMapping/run')
    expect(byHand.status).toBe(202)
    await idle()
    expect(xbox.count('package')).toBe(3)
  })

  test('renews the sign-in; a refused one is forgotten, an unreachable service is not', async () => {
    xbox.tokenSeconds = 1
    await signIn()
    xbox.troubles.set('token', 'down')
    await refresh()
    expect(runs()[0]?.status).toBe('failed')
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: true })
    xbox.troubles.clear()
    xbox.refreshToken = 'another'
    await refresh()
    expect(await read('/auth-status')).toMatchObject({ isAuthenticated: false })
    expect(runs()[0]?.error).toBe('Microsoft refused the sign-in; sign in again')
  })

  test.each(['down', 'garbage', 'huge', 'hang'] as Trouble[])(
    'with packages that are %s keeps what it has',
    async (trouble) => {
      xbox.troubles.set('package', trouble)
      await signIn()
      expect(await read('/stats')).toMatchObject({ totalGames: 2 })
      expect(xbox.count('package')).toBeLessThanOrEqual(6)
    },
  )

  test('without a sign-in asks nobody and is skipped', async () => {
    await refresh()
    expect(xbox.calls).toEqual([])
    expect(runs()[0]).toMatchObject({
      status: 'skipped',
      stageKey: 'signalr.epsilonMapping.skippedNotSignedIn',
    })
  })
})

describe('lists', () => {
  beforeEach(signIn)

  test('are ordered by title, in parts', async () => {
    const all = (await read('')) as { title: string }[]
    expect(all.map(({ title }) => title)).toEqual(['Forza', 'Halo'])
    expect(await read('?skip=1&take=5')).toEqual([
      {
        productId: '9HALO',
        title: 'Halo',
        discoveredAtUtc: isoTime,
        lastSeenAtUtc: isoTime,
        imageUrl: 'https://store-images.test/hero?w=460&q=90&format=jpg',
      },
    ])
  })

  test('search regardless of case', async () => {
    const rows = (await read('/search?q=ORZ')) as { productId: string }[]
    expect(rows.map(({ productId }) => productId)).toEqual(['9FORZA'])
    expect((await user.get(`${epsilonBase}/search?q=h`)).status).toBe(400)
    expect((await user.get(`${epsilonBase}/search`)).status).toBe(400)
  })

  test('figures', async () => {
    const [first] = (await read('')) as { lastSeenAtUtc: string }[]
    const lastUpdatedUtc = first?.lastSeenAtUtc
    expect(await read('/stats')).toEqual({ totalGames: 2, lastUpdatedUtc })
  })
})

test('names of downloads come from package fragments with two GUIDs, never from one', async () => {
  await signIn()
  const rows = await history.read(
    (_db, sql) => sql`SELECT title_key AS key, game_name AS name, epsilon_product_id AS id, service
      FROM titles ORDER BY 1`,
  )
  const halo = `epsilon:/filestreamingservice/files/${guid(7)}`.toLowerCase()
  const forza = `epsilon:/9/${packageOf(1)}`.toLowerCase()
  expect([...rows]).toEqual([
    { key: forza, name: 'Forza', id: '9FORZA', service: 'xboxlive' },
    { key: halo, name: 'Halo', id: '9HALO', service: 'wsus' },
  ])
  const describeTitle = createDescriber(join(app.root, 'data'))
  expect(describeTitle(halo, 'wsus')).toMatchObject({ gameName: 'Halo', epsilonProductId: '9HALO' })
})
