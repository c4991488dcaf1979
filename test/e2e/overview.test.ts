import { beforeAll, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import type { ClientStats } from '../../src/downloads/stats/model.ts'
import { eventually } from '../support/eventually.ts'
import { findings, followReady, openReady } from './accessible.ts'
import { launchBrowser, watchedPage } from './browser.ts'
import { contradictions } from './figures.ts'
import { missOf, openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const hour = 3600
let fixture: ServiceFixture
let browser: Browser
/** Sign-ins are limited, so most tests share a window. */
let page: Page
let complaints: string[]

beforeAll(async () => {
  // The invented traffic has no hits.
  const hits = Array.from({ length: 30 }, (_, at) => ({
    ...missOf(Math.floor(Date.now() / 1000) - 84 * hour + at, `saved-${at}`),
    cacheStatus: 'HIT' as const,
    bytes: 37_000_000,
  }))
  fixture = await openServiceFixture({}, hits)
  browser = await launchBrowser()
  ;({ page, complaints } = await newPage({ timezoneId: 'UTC' }))
})

const newPage = async (options: Parameters<typeof ownWindow>[2] = {}) =>
  watchedPage(await ownWindow(browser, fixture, options), fixture.larder.url)

/** The overview after the first movement, with which the parts that serve it are loaded. */
async function openOverview(page: Page): Promise<Locator> {
  await followReady(page, `${fixture.larder.url}/`)
  await page.keyboard.press('Shift')
  const brush = page.getByRole('slider', { name: en['flow.brush'] })
  await brush.waitFor({ state: 'attached' })
  return brush
}

/** Points at shares of the chart's width. */
async function pointsAt(brush: Locator, shares: readonly number[]) {
  const box = await brush.boundingBox()
  if (box === null) throw new Error('the chart has no size')
  return shares.map((share) => ({ x: box.x + share * box.width, y: box.y + box.height / 2 }))
}

/** The range in the address, in hours before now. */
async function hoursAgo(page: Page): Promise<number[]> {
  await page.waitForURL(/start=/)
  const { searchParams } = new URL(page.url())
  return ['start', 'end'].map((name) => (Date.now() / 1000 - Number(searchParams.get(name))) / hour)
}

async function expectMiddle(page: Page): Promise<void> {
  const [start = 0, end = 0] = await hoursAgo(page)
  // The axis begins with a whole bucket.
  expect(Math.abs(start - 18)).toBeLessThan(0.5)
  expect(Math.abs(end - 6)).toBeLessThan(0.5)
}

test('a part of the chart becomes the range of all figures, and there are two ways back', async () => {
  const brush = await openOverview(page)
  const [from, to] = await pointsAt(brush, [0.75, 0.25])
  await page.mouse.move(from?.x ?? 0, from?.y ?? 0)
  await page.mouse.down()
  await page.mouse.move(to?.x ?? 0, to?.y ?? 0, { steps: 4 })
  await page.mouse.up()
  await expectMiddle(page)
  // All figures are of this range.
  const request = page.waitForRequest((one) => one.url().includes('/api/dashboard/batch'))
  await page.reload()
  const asked = new URL((await request).url()).searchParams
  const { searchParams } = new URL(page.url())
  expect(asked.get('startTime')).toBe(searchParams.get('start'))
  expect(asked.get('endTime')).toBe(searchParams.get('end'))
  await eventually(async () => (await page.locator('main .skeleton').count()) === 0, 'all is there')
  expect(await contradictions(page)).toEqual([])
  await page.goBack()
  await page.waitForURL(`${fixture.larder.url}/`)
  // A click selects nothing.
  await page.mouse.click(from?.x ?? 0, from?.y ?? 0)
  expect(page.url()).toBe(`${fixture.larder.url}/`)
  expect(complaints).toEqual([])
})

test('keys select as well, and a button leads back', async () => {
  const brush = await openOverview(page)
  await brush.focus()
  const step = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await step('Home', 'Shift+PageDown', 'Shift+PageDown')
  const text = () => brush.getAttribute('aria-valuetext')
  expect(await text()).toContain('–')
  await step('Escape', 'Enter')
  expect(page.url()).toBe(`${fixture.larder.url}/`)
  const place = async () => Number(await brush.getAttribute('aria-valuenow'))
  await step('Home', 'Shift+End')
  const last = await place()
  await step('Shift+PageUp')
  expect(await place()).toBeLessThan(last)
  await step('Shift+End', 'Enter')
  const [start = 0, end = 0] = await hoursAgo(page)
  expect(start).toBeGreaterThan(end + 15)
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: `‹ ${en['range.span.24h']}` }).click()
  await page.waitForURL(`${fixture.larder.url}/`)
})

test('a finger selects sideways', async () => {
  const phone = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true })
  const brush = await openOverview(phone.page)
  // Clear of the bar at the bottom.
  await brush.evaluate((chart) => chart.scrollIntoView({ block: 'center' }))
  const points = await pointsAt(brush, [0.25, 0.4, 0.6, 0.75])
  const tools = await phone.page.context().newCDPSession(phone.page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: typeof points) =>
    tools.send('Input.dispatchTouchEvent', { type, touchPoints })
  // The browser drops touches of a page that it has only just drawn.
  await eventually(async () => {
    for (const [at, point] of points.entries()) {
      await touch(at === 0 ? 'touchStart' : 'touchMove', [point])
    }
    await touch('touchEnd', [])
    return phone.page.url().includes('start=')
  }, 'the finger has selected')
  await expectMiddle(phone.page)
})

const names = ['flow', 'now', 'games', 'clients', 'hours'] as const
const standard = [...names]

/** The cards below the key figures, in the order of reading. */
async function cardsOf(page: Page): Promise<string[]> {
  const known = new Map<string, string>(names.map((name) => [en[`${name}.title`], name]))
  const titles = await page.locator('main .card h2').allInnerTexts()
  return titles.flatMap((title) => known.get(title) ?? [])
}

async function arrange(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: new RegExp(`^${en['arrange.label']}`) }).click()
  const panel = page.getByRole('dialog', { name: en['arrange.label'] })
  await panel.getByRole('button', { name: en['arrange.reset'] }).waitFor()
  return panel
}
const handle = (panel: Locator, name: 'games' | 'hours' | 'flow') =>
  panel.getByRole('button', { name: fill(en['arrange.move'], { card: en[`${name}.title`] }) })

test('cards are hidden and ordered by key and by pointer, for the account in every browser', async () => {
  await openOverview(page)
  expect(await cardsOf(page)).toEqual(standard)
  const panel = await arrange(page)
  const stored = () =>
    page.waitForResponse(
      (one) => one.url().includes('/api/ext/views/') || one.request().method() === 'POST',
    )
  let answer = stored()
  await panel.getByLabel(en['clients.title'], { exact: true }).uncheck()
  expect((await answer).status()).toBe(201)
  answer = stored()
  await handle(panel, 'hours').focus()
  await page.keyboard.press('ArrowUp')
  await answer
  answer = stored()
  const [grip, goal] = await Promise.all([
    handle(panel, 'games').boundingBox(),
    handle(panel, 'flow').boundingBox(),
  ])
  await page.mouse.move((grip?.x ?? 0) + 5, (grip?.y ?? 0) + 5)
  await page.mouse.down()
  await page.mouse.move((goal?.x ?? 0) + 5, (goal?.y ?? 0) + 5, { steps: 5 })
  await page.mouse.up()
  expect((await answer).status()).toBe(200)
  const own = ['games', 'flow', 'now', 'hours']
  expect(await cardsOf(page)).toEqual(own)
  expect(await findings(page)).toEqual([])

  // Another browser knows nothing yet, and shows no other order meanwhile.
  const second = await newPage()
  await second.page.addInitScript(`
    globalThis.orders = new Set()
    setInterval(() => {
      const titles = [...document.querySelectorAll('main .card h2')].map((one) => one.textContent)
      orders.add(titles.filter((title) => ${JSON.stringify(names.map((name) => en[`${name}.title`]))}.includes(title)).join())
    }, 5)`)
  await openReady(second.page, `${fixture.larder.url}/`)
  expect(await cardsOf(second.page)).toEqual(own)
  const orders = await second.page.evaluate<string[]>('[...orders].filter((order) => order !== "")')
  expect(orders).toEqual([own.map((name) => en[`${name as 'flow'}.title`]).join()])

  answer = stored()
  await panel.getByRole('button', { name: en['arrange.reset'] }).click()
  await answer
  expect(await cardsOf(page)).toEqual(standard)
  await page.reload()
  await eventually(async () => (await cardsOf(page)).length === 5, 'the cards are there')
  expect(await cardsOf(page)).toEqual(standard)
  expect(complaints).toEqual([])
})

test('a service among the downloads is no title without a name', async () => {
  await followReady(page, `${fixture.larder.url}/downloads?group=service&range=7d`)
  const list = page.getByRole('grid', { name: en['nav.downloads'] })
  await list.getByText('Battle.net').first().waitFor()
  expect(await list.innerText()).not.toContain(en['downloads.untitled'])
})

test('saved bytes are hours and money once the line and its price are set', async () => {
  await followReady(page, `${fixture.larder.url}/`)
  const lead = page.getByRole('region', { name: en['lead.label'] })
  expect(await lead.locator('[data-converted]').count()).toBe(0)
  await lead.getByRole('link', { name: en['lead.setSavings'] }).click()
  const field = (id: 'savings.line' | 'savings.price') =>
    page.locator(`[data-setting="${id}"] input`)
  const toast = page.getByText(en['prefs.saved']).first()
  await field('savings.line').fill('0.7')
  await page.keyboard.press('Enter')
  await toast.waitFor()
  await field('savings.price').fill('-1')
  await page.locator('[data-setting="savings.price"] [role="alert"]').waitFor()
  await field('savings.price').fill('12,5')
  await page.keyboard.press('Enter')
  await eventually(async () => {
    const { pricePerGb } = await fixture.owner.read<{ pricePerGb: number | null }>(
      '/api/ext/savings',
    )
    return pricePerGb === 12.5
  }, 'the price is stored')
  for (const range of ['', '?range=7d', '?range=all']) {
    await openReady(page, `${fixture.larder.url}/${range}`)
    await eventually(async () => (await lead.locator('[data-converted]').count()) === 2, 'both')
    expect(await lead.innerText()).toMatch(/(minutes?|hours?|days?)[\s·]+[\d.]+\sEUR/)
    expect(await contradictions(page)).toEqual([])
  }
  // 1.11 GB at 0.7 Mbit/s.
  expect(await lead.innerText()).toMatch(/1.11\sGB[\s·]+3.5\shours[\s·]+14\sEUR/)
})

test("yesterday's busiest client and its hit rate are three clicks away", async () => {
  await followReady(page, `${fixture.larder.url}/`)
  let clicks = 0
  const click = async (target: Locator) => {
    clicks++
    await target.click()
  }
  await click(page.getByRole('button', { name: new RegExp(`^${en['range.label']}`) }))
  await click(page.getByRole('button', { name: en['range.span.yesterday'], exact: true }))
  await page.waitForURL(/range=yesterday/)
  const today = new Date().setUTCHours(0, 0, 0, 0) / 1000
  const query = `startTime=${today - 86_400}&endTime=${today - 1}&limit=1`
  const [top] = await fixture.owner.read<ClientStats[]>(`/api/stats/clients?${query}`)
  const clients = page.getByRole('region', { name: en['clients.title'] })
  const first = clients.locator(`li a[href*="${encodeURIComponent(top?.clientIp ?? '')}"]`).first()
  await first.waitFor()
  expect(await clients.locator('li a').first().innerText()).toBe(await first.innerText())
  await click(first)
  const rate = page.locator('[data-figure="client.period.cacheHitPercent"]')
  const shown = rate.locator('xpath=../..')
  const percent = top?.cacheHitPercent ?? -1
  await eventually(async () => {
    const [, text] = /([\d.]+)\s%/.exec(await shown.innerText()) ?? []
    return Math.abs(Number(text) - percent) <= 0.5
  }, `the hit rate ${percent} is shown`)
  expect(clicks).toBe(3)
})
