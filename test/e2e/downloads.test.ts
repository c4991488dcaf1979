import { beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import {
  follow,
  launchBrowser,
  shownBytes,
  undo,
  watchedPage,
  type WatchedPage,
} from './browser.ts'
import { missOf, openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const day = 86_400

interface Row {
  alphaAppId: number | null
  id: string
  appName: string
  service: string
  totalBytes: number
  downloadIds: number[]
}

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage
let eventId: number

beforeAll(async () => {
  const longAgo = Math.floor(Date.now() / 1000) - 5 * day
  const sessions = [0, 1, 2].map((hour) => missOf(longAgo + hour * 3600, `update-${hour}`))
  fixture = await openServiceFixture({}, sessions)
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
  const now = Math.floor(Date.now() / 1000)
  const event = { name: 'Tagged ones', startTime: now - 999 * day, endTime: now - 998 * day }
  await fixture.owner.write('POST', '/api/events', event)
  const [made] = await fixture.owner.read<{ id: number }[]>('/api/events')
  eventId = made?.id ?? 0
  const [row] = await rows('Sort=largest')
  const id = row?.downloadIds[0] ?? 0
  await fixture.owner.write('POST', `/api/events/${eventId}/downloads/${id}`)
})

/** With the page's session, whose token changes while the page is used. */
const rows = async (query: string): Promise<Row[]> => {
  const url = `${fixture.larder.url}/api/downloads/retro?${query}`
  const answer = await owner.page.request.get(url)
  // Our own endpoint.
  return ((await answer.json()) as { items: Row[] }).items
}
const go = (path: string) => follow(owner.page, fixture.larder.url + path)
const search = () => Object.fromEntries(new URL(owner.page.url()).searchParams)
const rangeButton = new RegExp(`^${en['range.label']}: `)
const list = () => owner.page.locator('[role="row"][data-index]')

/** Pages with a range, by the kind of their address. */
const kinds = {
  overview: /^\/$/,
  downloads: /^\/downloads$/,
  sessions: /^\/downloads\/sessions$/,
  download: /^\/downloads\/\d+$/,
  games: /^\/games$/,
  game: /^\/games\/[^/]+\/[^/]+$/,
  service: /^\/services\/[^/]+$/,
  clients: /^\/clients$/,
  client: /^\/clients\/[^/]+$/,
}

const kindOf = (pathname: string) =>
  Object.entries(kinds).find(([, pattern]) => pattern.test(pathname))?.[0]

/** The page's links to pages with a range. */
async function rangedLinks(): Promise<URL[]> {
  const { page } = owner
  await page.locator('main h1').waitFor()
  await eventually(async () => (await page.locator('main .skeleton').count()) === 0, 'it is there')
  const hrefs = await page
    .locator('a[href^="/"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  const urls = hrefs.map((href) => new URL(href, fixture.larder.url))
  return urls.filter(({ pathname }) => kindOf(pathname) !== undefined)
}

test.each(['range', 'event'])('every kind of link keeps the %s', async (name) => {
  const value = name === 'range' ? '7d' : String(eventId)
  const scope = `${name}=${value}`
  const pages = [`/?${scope}`, `/downloads?group=service&${scope}`]
  const followed = new Set<string>()
  for (let next = pages.shift(); next !== undefined; next = pages.shift()) {
    await go(next)
    for (const link of await rangedLinks()) {
      expect(link.searchParams.get(name), `${next} leads to ${link.href}`).toBe(value)
      const kind = kindOf(link.pathname) ?? ''
      if (followed.has(kind)) continue
      followed.add(kind)
      pages.push(`${link.pathname}${link.search}`)
    }
  }
  // The event has a single download.
  const expected = Object.keys(kinds).filter((kind) => name === 'range' || kind !== 'sessions')
  expect([...followed].sort()).toEqual(expected.sort())
  // Pages without a range keep it for their links.
  await owner.page.getByRole('link', { name: en['nav.settings'], exact: true }).click()
  await owner.page.waitForURL(/\/settings$/)
  for (const link of await rangedLinks()) expect(link.searchParams.get(name)).toBe(value)
})

test("an event's page leads to its downloads, games and clients", async () => {
  // Not from a page whose event its navigation keeps.
  await owner.page.goto(`${fixture.larder.url}/events/${eventId}`)
  const wanted = ['client', 'download', 'downloads', 'game']
  await eventually(async () => {
    const links = (await rangedLinks()).filter(({ search }) => search === `?event=${eventId}`)
    const found = new Set(links.map(({ pathname }) => kindOf(pathname) ?? ''))
    return Bun.deepEquals([...found].sort(), wanted)
  }, 'all kinds of links, with the event')
})

test('range and event stay in the URL across pages, and Back restores them', async () => {
  const { page } = owner
  const menu = page.getByRole('navigation', { name: en['shell.navigation'] }).first()
  await go('/')
  await page.getByRole('button', { name: rangeButton }).click()
  await page.getByRole('button', { name: en['range.span.7d'], exact: true }).click()
  await page.waitForURL(/\?range=7d$/)
  await menu.getByRole('link', { name: en['nav.downloads'] }).click()
  await page.waitForURL(/\/downloads\?range=7d$/)
  await menu.getByRole('link', { name: en['nav.settings'] }).click()
  await page.waitForURL(/\/settings$/)
  await menu.getByRole('link', { name: en['nav.games'] }).click()
  await page.waitForURL(/\/games\?range=7d$/)
  // The page before stays visible until this one is loaded.
  await page.getByRole('heading', { name: en['nav.games'], level: 1 }).waitFor()
  await page.getByRole('button', { name: rangeButton }).click()
  await page.getByRole('button', { name: 'Tagged ones', exact: true }).click()
  await page.waitForURL(new RegExp(`/games\\?event=${eventId}$`))
  await eventually(async () => (await list().count()) === 1, 'only the tagged one is left')
  await menu.getByRole('link', { name: en['nav.overview'] }).click()
  await page.waitForURL(new RegExp(`/\\?event=${eventId}$`))
  const [row] = await rows(`EventId=${eventId}`)
  const lead = page.getByRole('region', { name: en['lead.label'] })
  await eventually(async () => {
    const served = /of ([\d.]+ \w+) served/.exec(await lead.innerText())?.[1]
    const shown = served === undefined ? 0 : shownBytes(served)
    return Math.abs(shown - (row?.totalBytes ?? 0)) < 0.01 * (row?.totalBytes ?? 0)
  }, 'the figures are those of the event')
  for (const expected of [/\/games\?event=/, /\/games\?range=7d$/, /\/settings$/]) {
    await page.goBack()
    await page.waitForURL(expected)
  }
})

test('filters and grouping are part of the URL; a link shows the same rows', async () => {
  const { page } = owner
  await go('/downloads?range=all')
  await eventually(async () => (await list().count()) > 1, 'the list is there')
  await page.getByLabel(en['filter.service']).selectOption('steam')
  await page.getByLabel(en['filter.group']).selectOption('game')
  await page.getByRole('button', { name: en['filter.more'] }).click()
  await page.getByRole('switch', { name: en['filter.hideUnknown'] }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: en['column.bytes'], exact: true }).click()
  const wanted = { range: 'all', service: 'steam', group: 'game', unknown: 'hide', sort: 'largest' }
  await eventually(() => Bun.deepEquals(search(), wanted), 'the address says it all')
  const known = await rows('Service=steam&GroupByGame=true&HideUnknown=true&Sort=largest')
  const shows = async () => {
    const texts = await list().allInnerTexts()
    return (
      texts.length === known.length &&
      known.every(({ appName }, index) => texts[index]?.includes(appName))
    )
  }
  await eventually(shows, 'the rows of the endpoint')
  await page.reload()
  await eventually(shows, 'the same after loading the address')
  await page.getByRole('button', { name: en['filter.clear'] }).click()
  await eventually(() => Bun.deepEquals(search(), { range: 'all', sort: 'largest' }), 'cleared')
})

test('filters are saved under a name, restored from it, and a deletion is undone', async () => {
  const { page } = owner
  await go('/downloads?range=30d&hits=miss')
  const menu = page.getByRole('button', { name: en['views.label'] })
  await menu.click()
  await page.getByLabel(en['views.name']).fill('Misses of the month')
  await page.getByRole('button', { name: en['views.save'], exact: true }).click()
  await eventually(async () => (await menu.innerText()).includes('Misses of the month'), 'saved')
  await page.goto(`${fixture.larder.url}/downloads`)
  await menu.click()
  await page.getByRole('button', { name: 'Misses of the month', exact: true }).click()
  await eventually(() => Bun.deepEquals(search(), { range: '30d', hits: 'miss' }), 'it is back')
  await menu.click()
  await page.getByRole('button', { name: `${en['views.delete']}: Misses of the month` }).click()
  const kept = async () => (await fixture.owner.read<unknown[]>('/api/ext/views')).length
  await eventually(async () => (await kept()) === 0, 'deleted')
  await page.keyboard.press('Escape')
  await undo(owner.page, fill(en['views.wasDeleted'], { name: 'Misses of the month' }))
  await eventually(async () => (await kept()) === 1, 'back again')
})

test('the filtered list is exported as a file', async () => {
  const { page } = owner
  await go('/downloads?range=all&service=steam')
  await page.getByRole('button', { name: en['export.label'] }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'JSON' }).click(),
  ])
  const saved: unknown = await Bun.file(await download.path()).json()
  expect(Array.isArray(saved)).toBe(true)
  const services = new Set((saved as { service: string }[]).map(({ service }) => service))
  expect([...services]).toEqual(['steam'])
})

test("mouse, keyboard and touch open a figure's explanation and its terms", async () => {
  const { page } = owner
  await go('/?range=all')
  const name = en['lead.saved']
  const ask = page.getByRole('button', { name: en['explain.open'].replace('{name}', name) })
  await ask.click()
  const panel = page.getByRole('dialog', { name })
  await panel.getByText(en['formula.hit']).waitFor()
  await owner.picture('explain')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  // The focus returns to where it was, so that keyboard navigation continues there.
  const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")')
  const label = en['explain.open'].replace('{name}', name)
  await eventually(async () => (await focused()) === label, 'the focus is back')
  await page.keyboard.press('Enter')
  const more = panel.getByRole('link', { name: en['explain.definitions'] })
  const definitions = await page.request.get(
    new URL((await more.getAttribute('href')) ?? '', page.url()).href,
  )
  expect(definitions.headers()['content-type']).toStartWith('text/plain')
  expect(await definitions.text()).toStartWith('# Numbers')
  const storageState = await page.context().storageState()
  const options = { storageState, hasTouch: true, viewport: { width: 390, height: 844 } }
  const phone = await watchedPage(
    await browser.newContext({ ...options, locale: 'en-GB' }),
    fixture.larder.url,
  )
  await phone.page.goto(`${fixture.larder.url}/downloads?range=all`)
  const clients = en['explain.open'].replace('{name}', en['nav.clients'])
  await phone.page.getByRole('button', { name: clients }).tap()
  await phone.page.getByRole('dialog').getByText(en['formula.clients']).waitFor()
  await phone.picture('explain-phone')
  expect(phone.complaints).toEqual([])
  await phone.page.context().close()
})

/** Checks that the page's figure is explained with its source. */
async function explained(picture: 'game' | 'service'): Promise<void> {
  const { page } = owner
  const name = en['column.bytes']
  const totals = page.getByRole('region', { name: en[`${picture}.totals`] })
  await totals.getByRole('button', { name: en['explain.open'].replace('{name}', name) }).click()
  const panel = page.getByRole('dialog', { name })
  await panel.getByText(en['source.listed']).waitFor()
  await owner.picture(`explain-${picture}`)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
}

test('games and services have pages of the range; artwork comes from this service', async () => {
  const { page } = owner
  await go('/games?range=all&view=cards')
  const games = await rows('GroupByGame=true&Sort=largest')
  const game = games.find(({ alphaAppId }) => alphaAppId !== null)
  const card = page.getByRole('link', { name: game?.appName ?? '' })
  const artwork = card.locator('.artwork, img')
  await artwork.waitFor()
  expect(await artwork.count()).toBe(1)
  await card.click()
  const totals = page.getByRole('region', { name: en['game.totals'] })
  const bytes = game?.totalBytes ?? 0
  const isRight = async () => Math.abs(shownBytes(await totals.innerText()) - bytes) < 0.01 * bytes
  await totals.waitFor()
  await eventually(isRight, 'the bytes of the game')
  await owner.picture('game')
  await explained('game')
  await totals.getByRole('link').click()
  await page.getByRole('region', { name: en['service.totals'] }).waitFor()
  const { pathname } = new URL(page.url())
  expect(pathname).toBe(`/services/${game?.service}`)
  // The range changes every figure but those of all time.
  const service = page.getByRole('region', { name: en['service.totals'] })
  const ever = page.getByRole('region', { name: en['range.span.all'], exact: true })
  await ever.waitFor()
  const [before, whole] = [await service.innerText(), await ever.innerText()]
  await go(`${pathname}?range=6h`)
  await eventually(async () => (await service.innerText()) !== before, 'the header follows')
  expect(await ever.innerText()).toBe(whole)
  await go(`${pathname}?range=all`)
  await service.waitFor()
  await explained('service')
  await go('/games/steam/name-no%20such%20game')
  await page.getByText(en['game.gone']).waitFor()
})

test('the header follows the filters', async () => {
  const { page } = owner
  await go('/downloads?range=all&service=steam')
  const head = page.getByRole('region', { name: en['downloads.head'] })
  const steam = await rows('Service=steam&PageSize=200')
  const bytes = steam.reduce((sum, row) => sum + row.totalBytes, 0)
  const isSum = async () => Math.abs(shownBytes(await head.innerText()) - bytes) < 0.01 * bytes
  await eventually(isSum, 'the bytes of the service')
  await page.getByRole('region', { name: en['now.title'] }).waitFor()
})

test('a row of several sessions opens them, and a session leads back', async () => {
  const { page } = owner
  await go('/downloads?range=all&group=service')
  const services = await rows('GroupByService=true')
  const at = services.findIndex(({ downloadIds }) => downloadIds.length > 1)
  const ids = services[at]?.downloadIds ?? []
  expect(ids.length).toBeGreaterThan(1)
  await eventually(async () => (await list().count()) === services.length, 'one row per service')
  await list().nth(at).click()
  await page.waitForURL(/\/downloads\/sessions\?/)
  const grid = page.getByRole('grid', { name: en['download.steps'] })
  const isWhole = async () => (await grid.getAttribute('aria-rowcount')) === String(ids.length + 1)
  await eventually(isWhole, 'one row per session')
  await owner.picture('sessions-of-a-row')
  await list().first().click()
  await page.waitForURL(/\/downloads\/\d+\?/)
  await page.getByRole('link', { name: `All ${ids.length} sessions` }).click()
  await page.waitForURL(/\/downloads\/sessions\?/)
})

test('a download says what limited it and why it missed; a list without rows offers the next step', async () => {
  const { page } = owner
  const [last] = await rows('Service=wsus&Sort=latest')
  await go(`/downloads/${last?.downloadIds[0]}`)
  await page.getByRole('button', { name: en['download.readLog'] }).click()
  await page.getByRole('term').filter({ hasText: en['miss.first'] }).waitFor()
  await page.getByRole('heading', { name: en['limit.title'] }).waitFor()
  await page.getByText(en['limit.shortText']).waitFor()
  await owner.picture('download-log')
  await go('/downloads?range=all&search=no+such+game')
  await page.getByRole('button', { name: en['downloads.clearFilters'] }).click()
  await list().first().waitFor()
})

test('the list fits a narrow window, and / and ? work', async () => {
  const { page } = owner
  await page.setViewportSize({ width: 820, height: 900 })
  await go('/downloads?range=all&service=steam')
  await list().first().waitFor()
  const overflow = await page
    .locator('html')
    .evaluate((root) => root.scrollWidth - root.clientWidth)
  expect(overflow).toBe(0)
  // Neither a name nor an address is cut off.
  const cut = await page
    .locator('[role=row][data-index] :is(a, span)')
    .evaluateAll((all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
        .map((one) => one.textContent),
    )
  expect(cut).toEqual([])
  // The tab order is the visual one.
  const order = await page.getByRole('search', { name: en['filter.label'] }).evaluate((filters) => {
    const controls = [...filters.querySelectorAll('input, select, button:not([popover] *)')]
    const boxes = controls
      .map((one) => one.getBoundingClientRect())
      .filter(({ width }) => width > 0)
    return boxes.every((box, index) => {
      const next = boxes[index + 1]
      return next === undefined || next.top >= box.bottom || next.left >= box.left
    })
  })
  expect(order).toBe(true)
  await owner.picture('downloads-820')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('/')
  const field = page.getByRole('searchbox', { name: en['filter.search'] })
  await eventually(() => field.evaluate((own) => own.matches(':focus')), 'it has focus')
  await page.keyboard.type('?')
  expect(await field.inputValue()).toBe('?')
  await field.fill('')
  await field.blur()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: en['shortcuts.title'] }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('purge')
  await page.getByRole('option', { name: en['palette.clear'] }).click()
  await page.waitForURL(/\/cache#clear$/)
})

test('no errors in the console', () => {
  expect(owner.complaints.filter((text) => !text.includes('404'))).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
