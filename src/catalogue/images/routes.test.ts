import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { imageBytes, imageOrigin } from '../../../test/support/image-origin.ts'
import { jobEnd } from '../../../test/support/job-end.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles, type PutTitle } from '../../../test/support/put-downloads.ts'
import { Browser, signInAs } from '../../../test/support/sign-in.ts'

const base = '/api/game-images'

const time = new ManualTime()

const jpeg = (shade = 0) => new Response(imageBytes('jpeg', { shade }))
const serve = (path: string, answer: () => Response | Promise<Response>) =>
  origin.answers.set(path, answer)

/** The history's titles; each has a download. */
async function seed(...titles: PutTitle[]): Promise<void> {
  await history.read((_db, sql) => sql`TRUNCATE titles, downloads CASCADE`)
  for (const [index, title] of titles.entries()) {
    await putTitles(history, title)
    const { titleKey, service = 'steam' } = title
    await putDownloads(history, { id: index + 1, titleKey, service })
  }
}

const portal: PutTitle = { titleKey: 'alpha:401', gameName: 'Portal', gameAppId: 400 }
const portalHeader = '/alpha/400/header.jpg'

const origin = imageOrigin()
const history = await freshHistory()
const app = await testApp({ history, clock: time, environment: origin.environment })
const anyone = new Browser(app)
const user = await signInAs(app, 'user')
beforeEach(() => {
  origin.answers.clear()
  origin.requests.splice(0)
})
/** Nothing stays remembered for the next test. */
afterEach(async () => {
  await seed()
  await user.delete(`${base}/cache`)
})

const clear = async () => {
  const answer = await user.delete(`${base}/cache`)
  return (await answer.json()) as { message: string; cacheGeneration: number }
}
const available = async () => (await (await anyone.get(`${base}/available`)).json()) as string[]
const header = (path: string, headers?: Record<string, string>) =>
  anyone.send('GET', `${base}/${path}/header`, headers && { headers })
const paths = () => origin.requests.map(({ path }) => path)
const isOver = async () => {
  while (app.operations.active('gameImageFetch') !== null) await Bun.sleep(5)
}

/** A scheduled run. */
async function fetchAll(): Promise<void> {
  app.groups.catalogue.fetchImages()
  await isOver()
}

describe('GET {appId}/header', () => {
  test('answers the stored image with its tag, to callers without a session', async () => {
    serve(portalHeader, () => jpeg(7))
    await seed(portal)
    await fetchAll()
    const answer = await header('400')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/jpeg')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(
      Buffer.from(imageBytes('jpeg', { shade: 7 })),
    )
    const tag = answer.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"image-[0-9a-f]{64}"$/)
    for (const held of [tag, `"other", ${tag}`, '*']) {
      const same = await header('400', { 'If-None-Match': held })
      expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', tag])
    }
    expect((await header('400', { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('404 without an image, 400 for what is no number; neither asks outside', async () => {
    await seed(portal)
    const missing = await header('400')
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { error: 'There is no image of this game' },
    ])
    const wrong = await header('abc')
    expect(wrong.status).toBe(400)
    expect(wrong.headers.get('content-type')).toContain('application/problem+json')
    expect(paths()).toEqual([])
  })

  test('the smaller capsule stands in for a missing header', async () => {
    serve('/alpha/400/capsule_616x353.jpg', () => jpeg())
    await seed(portal)
    await fetchAll()
    expect(paths()).toEqual([portalHeader, '/alpha/400/capsule_616x353.jpg'])
    expect((await header('400')).status).toBe(200)
  })

  test('a file changed on disk is not served, and is fetched again', async () => {
    serve(portalHeader, () => jpeg())
    await seed(portal)
    await fetchAll()
    const folder = join(app.config.dataPath, 'cache', 'images')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'changed')
    expect((await header('400')).status).toBe(404)
    await fetchAll()
    expect((await header('400')).status).toBe(200)
  })
})

describe('GET beta/{betaAppId}/header', () => {
  test('answers the image that the catalogue names, or that of the same game on Steam', async () => {
    serve('/beta/spt-assets/a.png?w=640', () => new Response(imageBytes('png')))
    serve('/alpha/1145360/header.jpg', () => jpeg())
    await seed(
      {
        titleKey: 'beta:/Builds/A',
        service: 'epicgames',
        gameName: 'Alone',
        betaAppId: 'Alone',
        imageUrl: 'https://cdn1.epicgames.com/spt-assets/a.png?w=640',
      },
      { titleKey: 'beta:/Builds/H', service: 'epicgames', gameName: 'Hades', betaAppId: 'Min' },
    )
    await fetchAll()
    const own = await header('beta/Alone')
    expect([own.status, own.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await header('beta/Min')).headers.get('content-type')).toBe('image/jpeg')
    expect(await available()).toEqual(expect.arrayContaining(['Alone', 'Min']))
    expect((await header('beta/Other')).status).toBe(404)
  })

  test.each([
    'https://127.0.0.1/secret.png',
    'http://cdn1.epicgames.com/a.png',
    'https://cdn1.epicgames.com:8443/a.png',
    'https://epicgames.com.example/a.png',
    'https://user@example/epicgames.com',
    'file:///etc/hostname',
    'not an address',
  ])('the address %s is not asked', async (imageUrl) => {
    const title = { service: 'epicgames', gameName: 'B', betaAppId: 'B', imageUrl }
    await seed({ titleKey: 'beta:/B', ...title })
    await fetchAll()
    expect(paths()).toEqual([])
    expect((await header('beta/B')).status).toBe(404)
  })

  test.each(['..%2f..%2fstate.sqlite', '%252e%252e', 'index.json', 'a%00b', '__proto__'])(
    'the id %s leads to no file',
    async (id) => {
      const answer = await header(`beta/${id}`)
      expect([400, 404]).toContain(answer.status)
    },
  )
})

describe('GET name/{service}/{slug}/header', () => {
  test('prefers the image on Steam, then the stored one, then a drawn banner', async () => {
    const xbox = {
      titleKey: 'epsilon:a',
      service: 'wsus',
      gameName: 'Sea of Thieves',
      imageUrl: 'https://store-images.s-microsoft.com/image/apps.1?w=460',
    }
    serve('/epsilon/image/apps.1?w=460', () => new Response(imageBytes('png')))
    await seed(xbox)
    await fetchAll()
    for (const service of ['xbox', 'XboxLive', 'microsoft']) {
      const answer = await header(`name/${service}/Sea%20of%20Thieves`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    }
    serve('/alpha/1172620/header.jpg', () => jpeg())
    await clear()
    const better = await header('name/xbox/sea-of-thieves')
    expect(better.headers.get('content-type')).toBe('image/jpeg')
    expect(await available()).toContain('sea-of-thieves')
  })

  test.each([
    ['battle.net', 'world-of-warcraft', '>WOW<'],
    ['riotgames', 'league-of-legends', '>LOL<'],
  ])('%s: %s has a banner drawn by Larder', async (service, slug, letters) => {
    const answer = await header(`name/${service}/${slug}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(await answer.text()).toContain(letters)
    const held = answer.headers.get('etag') ?? ''
    expect((await header(`name/${service}/${slug}`, { 'If-None-Match': held })).status).toBe(304)
    expect(await available()).not.toContain(slug)
  })

  test('404 for other services and unknown games', async () => {
    const long = `xbox/${'x'.repeat(300)}`
    const names = ['steam/portal', 'riot/world-of-warcraft', 'xbox/unheard-of', 'riot/%20', long]
    for (const path of names) {
      expect((await header(`name/${path}`)).status).toBe(404)
    }
  })
})

describe('DELETE cache', () => {
  test('discards everything, counts up the version and fetches again', async () => {
    serve(portalHeader, () => jpeg(1))
    await seed(portal)
    await fetchAll()
    const before = (await (await anyone.get(`${base}/cache-version`)).json()) as object
    serve(portalHeader, () => jpeg(2))
    const answer = await user.delete(`${base}/cache`)
    const body = (await answer.json()) as { message: string; cacheGeneration: number }
    expect([answer.status, body as object]).toEqual([
      200,
      {
        message: 'All images were discarded; 1 were fetched again',
        betaImageUrlsRefreshed: 0,
        cacheGeneration: expect.any(Number),
      },
    ])
    expect(before).toEqual({ version: expect.any(Number) })
    expect(body.cacheGeneration).toBeGreaterThan((before as { version: number }).version)
    expect(await (await anyone.get(`${base}/cache-version`)).json()).toEqual({
      version: body.cacheGeneration,
    })
    const content = new Uint8Array(await (await header('400')).arrayBuffer())
    expect(content.at(-1)).toBe(2)
    await seed()
    await clear()
    expect((await header('400')).status).toBe(404)
  })
})

describe('what is fetched', () => {
  test('images of named games with downloads, one request at a time, by Larder', async () => {
    await seed(
      portal,
      { titleKey: 'alpha:402', gameName: 'Portal', gameAppId: 400 },
      { titleKey: 'alpha:221', gameName: 'Half-Life 2', gameAppId: 220 },
      { titleKey: 'alpha:999999', gameName: null },
      { titleKey: 'delta:lol', service: 'riot', gameName: 'League of Legends' },
    )
    // No client has downloaded it.
    await putTitles(history, { titleKey: 'alpha:9', gameName: 'Unseen', gameAppId: 8 })
    await fetchAll()
    expect(new Set(paths())).toEqual(
      new Set(
        [400, 220].flatMap((app) => [
          `/alpha/${app}/header.jpg`,
          `/alpha/${app}/capsule_616x353.jpg`,
        ]),
      ),
    )
    expect(origin.requests).toHaveLength(4)
    expect(origin.mostActive()).toBe(1)
    expect(origin.requests.every(({ userAgent }) => userAgent?.startsWith('Larder/'))).toBe(true)
  })

  test('missing images are not asked for again until tomorrow, old ones after a week', async () => {
    await seed(portal)
    await fetchAll()
    await fetchAll()
    expect(paths()).toHaveLength(2)
    serve(portalHeader, () => jpeg(1))
    await time.advance(25 * 3_600_000)
    await fetchAll()
    expect(paths()).toHaveLength(3)
    await fetchAll()
    expect(paths()).toHaveLength(3)
    serve(portalHeader, () => new Response('', { status: 404 }))
    await time.advance(8 * 24 * 3_600_000)
    await fetchAll()
    expect(paths()).toHaveLength(5)
    expect((await header('400')).status).toBe(200)
  })

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const typed = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
    new Response(body, { headers: { 'Content-Type': type } })
  test.each<[string, () => Response]>([
    ['a vector image', () => typed(svg.padEnd(6000), 'image/svg+xml')],
    ['a vector image called JPEG', () => typed(svg.padEnd(6000), 'image/jpeg')],
    ['a page called PNG', () => typed('<html>'.padEnd(6000), 'image/png')],
    ['a grey placeholder', () => new Response(imageBytes('jpeg', { bytes: 4999 }))],
    ['more than two megabytes', () => new Response(imageBytes('png', { bytes: 2 * 2 ** 20 + 1 }))],
    ['a redirect', () => Response.redirect(`${origin.url}/elsewhere`)],
    ['nothing', () => new Response('')],
  ])('%s is refused', async (_, answer) => {
    serve(portalHeader, answer)
    serve('/elsewhere', () => jpeg())
    await seed(portal)
    await fetchAll()
    expect((await header('400')).status).toBe(404)
    expect(paths()).not.toContain('/elsewhere')
  })

  test('a run that a person starts is an operation from the start', async () => {
    const answer = await user.post('/api/system/schedules/gameImageFetch/run')
    const { operationId } = (await answer.json()) as { operationId: string }
    expect(app.operations.get(operationId)).toMatchObject({ type: 'gameImageFetch' })
    expect(await jobEnd(app.operations, operationId)).toMatchObject({ status: 'completed' })
  })

  test('a failing server is asked a few times only, and is not remembered as missing', async () => {
    const apps = Array.from({ length: 20 }, (_, index) => 1000 + index * 10)
    for (const id of apps) {
      serve(`/alpha/${id}/header.jpg`, () => new Response('', { status: 503 }))
      serve(`/alpha/${id}/capsule_616x353.jpg`, () => new Response('', { status: 503 }))
    }
    await seed(
      ...apps.map((gameAppId) => ({
        titleKey: `alpha:${gameAppId + 1}`,
        gameName: `Game ${gameAppId}`,
        gameAppId,
      })),
    )
    await fetchAll()
    // Three images with three attempts each.
    expect(paths()).toHaveLength(9)
    for (const id of apps) serve(`/alpha/${id}/header.jpg`, () => jpeg())
    await fetchAll()
    expect((await header('1000')).status).toBe(200)
  })

  test('while a server hangs, stored images are answered and the run can be ended', async () => {
    serve(portalHeader, () => jpeg())
    await seed(portal)
    await fetchAll()
    const arrived = Promise.withResolvers<void>()
    serve('/alpha/220/header.jpg', () => {
      arrived.resolve()
      return new Promise(() => {})
    })
    await seed(portal, { titleKey: 'alpha:221', gameName: 'Half-Life 2', gameAppId: 220 })
    app.groups.catalogue.fetchImages()
    await arrived.promise
    expect((await header('400')).status).toBe(200)
    expect((await header('220')).status).toBe(404)
    const active = app.operations.active('gameImageFetch')
    app.operations.cancel(active?.id ?? '')
    await isOver()
    expect(app.operations.get(active?.id ?? '')?.status).toBe('cancelled')
  })

  test('an image is one file, named by a hash, and an entry of the index', async () => {
    serve(portalHeader, () => jpeg())
    await seed(portal)
    await fetchAll()
    const folder = join(app.config.dataPath, 'cache', 'images')
    const index = readFileSync(join(folder, 'index.json'), 'utf8')
    expect(index).toContain('"alpha:400"')
    expect(readdirSync(folder).toSorted()).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      'index.json',
    ])
  })
})
