import { beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { DownloadsSummary } from '../../src/downloads/games/model.ts'
import { eventually } from '../support/eventually.ts'
import { findings, findingsInThemes, openReady, shownKeys } from './accessible.ts'
import { follow, launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const hour = 3600
const day = 24 * hour

interface Event {
  id: number
  name: string
  startTimeUtc: string
  endTimeUtc: string
  colorIndex: number
}

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage
/** To the second, like requests. */
let now: number

beforeAll(async () => {
  fixture = await openServiceFixture()
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
  now = Math.floor(Date.now() / 1000)
})

const events = () => fixture.owner.read<Event[]>('/api/events')
const eventNamed = async (name: string) => (await events()).find((event) => event.name === name)

async function makeEvent(name: string, startTime: number, endTime: number, colorIndex = 2) {
  await fixture.owner.write('POST', '/api/events', { name, startTime, endTime, colorIndex })
  const event = await eventNamed(name)
  if (event === undefined) throw new Error(`${name} was not made`)
  return event
}

const go = (path: string) => follow(owner.page, fixture.larder.url + path)
const pathOf = (page: Page) => page.url().slice(fixture.larder.url.length)
const two = (value: number) => String(value).padStart(2, '0')

test('clicking a day creates an event, which the URL, the bar and the list then show', async () => {
  const { page } = owner
  await go('/events')
  const date = new Date(now * 1000)
  const key = `${date.getFullYear()}-${two(date.getMonth() + 1)}-15`
  await page.locator(`[data-day="${key}"]`).click()
  expect(pathOf(page)).toBe(`/events?open=new&day=${key}`)

  await page.getByRole('textbox', { name: en['events.name'] }).fill('Summer LAN')
  const end = (key: 'time.dayOf' | 'time.timeOf') =>
    page.getByLabel(fill(en[key], { label: en['events.end'] }), { exact: true })
  await end('time.dayOf').fill(`${key.slice(0, 8)}17`)
  await end('time.timeOf').fill('22:00')
  await page.getByRole('radio', { name: 'Colour 5' }).check({ force: true })
  await page.getByRole('button', { name: en['events.create'] }).click()
  const bar = page.getByRole('link', { name: 'Summer LAN' }).first()
  await bar.waitFor()
  expect(await bar.getAttribute('data-hue')).toBe('5')
  const made = await eventNamed('Summer LAN')
  expect(made?.startTimeUtc).toBe(new Date(`${key}T18:00`).toISOString())

  // Back leads from the list to the month.
  await page.getByRole('button', { name: en['events.viewList'], exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Summer LAN' }).waitFor()
  await page.goBack()
  await bar.click()
  await page.getByRole('heading', { level: 1, name: 'Summer LAN' }).waitFor()
  expect(pathOf(page)).toBe(`/events/${made?.id}`)
})

test('the arrow keys move between days and months', async () => {
  const { page } = owner
  await go('/events?month=2026-03')
  await page.locator('[data-day="2026-03-01"]').focus()
  for (const key of ['ArrowLeft', 'PageUp', 'ArrowDown']) await page.keyboard.press(key)
  const focused = () => page.evaluate('document.activeElement?.dataset.day')
  await eventually(async () => (await focused()) === '2026-02-04', 'the fourth of February')
  expect(new URL(page.url()).searchParams.get('month')).toBe('2026-02')
})

test('edits and deletions are undone; without undo the event is deleted', async () => {
  const { page } = owner
  const event = await makeEvent('Wrong name', now + 2 * day, now + 3 * day)
  await go(`/events/${event.id}`)
  await page.getByRole('button', { name: en['events.edit'] }).click()
  await page.getByRole('textbox', { name: en['events.name'] }).fill('Right name')
  await page.getByRole('button', { name: en['events.save'] }).click()
  await page.getByRole('heading', { level: 1, name: 'Right name' }).waitFor()
  await undo(owner.page, fill(en['events.wasChanged'], { name: 'Right name' }))
  await page.getByRole('heading', { level: 1, name: 'Wrong name' }).waitFor()
  expect((await eventNamed('Wrong name'))?.id).toBe(event.id)

  const remove = page.getByRole('button', { name: en['events.delete'] })
  await remove.click()
  await page.waitForURL(`${fixture.larder.url}/events`)
  const bars = page.getByRole('link', { name: 'Wrong name' })
  await eventually(async () => (await bars.count()) === 0, 'it looks deleted')
  await undo(owner.page, fill(en['events.wasDeleted'], { name: 'Wrong name' }))
  await eventually(async () => (await bars.count()) > 0, 'it is back')
  expect((await eventNamed('Wrong name'))?.id).toBe(event.id)

  await bars.first().click()
  await remove.click()
  await page.waitForURL(`${fixture.larder.url}/events`)
  // Leaving the application ends the time for undo.
  await page.goto(fixture.larder.url)
  await eventually(async () => (await eventNamed('Wrong name')) === undefined, 'it is gone')
})

test('downloads are tagged and untagged, and a running event is shown on every page', async () => {
  const { page } = owner
  const event = await makeEvent('Three days', now - 4 * day, now + hour)
  const listed = async (query = '') =>
    (await fixture.owner.read<unknown[]>(`/api/events/${event.id}/downloads${query}`)).length
  const tagged = () => listed('?taggedOnly=true')
  const all = await listed()
  await eventually(async () => (await tagged()) === all, 'what began inside is tagged')
  await go(`/events/${event.id}`)
  await page.getByRole('complementary', { name: en['events.running'] }).waitFor()
  await page.getByRole('button', { name: en['events.tagged'], exact: true }).click()
  const untag = page.getByRole('button', { name: en['events.untag'] }).first()
  await untag.click()
  await eventually(async () => (await tagged()) === all - 1, 'it is taken out')
  await page.getByRole('button', { name: en['events.inside'] }).click()
  await page.getByRole('button', { name: en['events.doTag'] }).first().click()
  await eventually(async () => (await tagged()) === all, 'it is tagged')
  // Earlier toasts, which have an undo of their own, do not survive this.
  await page.goto(`${fixture.larder.url}/events/${event.id}`)
  await untag.click()
  await page.locator('[data-toast]').getByRole('button', { name: en['action.undo'] }).click()
  await eventually(async () => (await tagged()) === all, 'it is back')
  await page
    .getByRole('region', { name: en['events.totals'] })
    .getByText(/[1-9].*[kMG]B/)
    .waitFor()
  await owner.picture('event')

  const file = page.getByRole('link', { name: en['events.export'] })
  const answer = await fixture.owner.request('GET', (await file.getAttribute('href')) ?? '')
  expect((await answer.text()).trim().split('\n')).toHaveLength(all + 1)
})

test('two events are overlaid for every figure', async () => {
  const { page } = owner
  const other = await makeEvent('The one before', now - 3 * day, now - 2 * day, 7)
  const first = await eventNamed('Three days')
  await go('/events/compare')
  await page.getByText(en['compare.few']).waitFor()
  await page.getByRole('button', { name: en['compare.choice'] }).click()
  for (const name of ['Three days', 'The one before']) {
    await page.getByRole('checkbox', { name }).click()
    await page.getByRole('checkbox', { name, checked: true }).waitFor()
  }
  await page.keyboard.press('Escape')
  const chart = page.locator(`svg[aria-label="${en['compare.chart']}"]`)
  await eventually(async () => (await chart.locator('path.hue').count()) === 2, 'two lines')
  expect(pathOf(page)).toBe(`/events/compare?ids=${first?.id},${other.id}`)
  await page.getByRole('button', { name: en['compare.metric.misses'], exact: true }).click()
  await page.waitForURL(/metric=misses/)
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    en['compare.figure'],
    'Three days',
    'The one before',
  ])
  await owner.picture('events-compared')
})

/** A window without a session, on a phone. */
const visitor = async () =>
  watchedPage(
    await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-GB' }),
    fixture.larder.url,
  )

test('a report is shared by a link, which shows it to a visitor, prints, and is revoked', async () => {
  const { page } = owner
  const event = await eventNamed('The one before')
  await go(`/events/${event?.id}?view=report`)
  const totals = (on: Page) => on.getByRole('region', { name: en['events.totals'] })
  await totals(page).waitFor()
  await page
    .getByRole('heading', { name: fill(en['report.before'], { name: 'Three days' }) })
    .waitFor()
  await owner.picture('report')
  await page.getByRole('button', { name: en['share.open'], exact: true }).click()
  await page.getByRole('textbox', { name: en['share.label'] }).fill('Our chat')
  await page.getByRole('button', { name: en['share.create'] }).click()
  const address = await page.getByRole('textbox', { name: en['share.address'] }).inputValue()
  expect(address).toStartWith(`${fixture.larder.url}/s#`)
  await page.getByRole('img', { name: en['share.code'] }).waitFor()
  await owner.picture('report-share')
  expect(await findings(page)).toEqual([])

  const guest = await visitor()
  const asked: string[] = []
  guest.page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && !pathname.startsWith('/api/game-images/'))
      asked.push(pathname)
    expect(`${request.url()} ${request.headers()['referer']}`).not.toContain(address.slice(-20))
  })
  await guest.page.goto(address)
  await totals(guest.page).waitFor()
  expect(new Set(asked)).toEqual(
    new Set(['/api/ext/links/own', `/api/ext/events/${event?.id}/report`]),
  )
  expect(await guest.page.getByRole('navigation').count()).toBe(0)
  expect(await guest.page.getByText('192.168.1.21').count()).toBe(0)
  expect(await guest.page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  expect(await findingsInThemes(guest.page)).toEqual({ dark: [], light: [] })
  expect(await shownKeys(guest.page)).toEqual([])
  await guest.picture('report-shared-phone')

  const paper = await guest.page.pdf({ preferCSSPageSize: true })
  const text = paper.toString('latin1')
  expect(text).toContain('/MediaBox [0 0 594.95996 841.91998]')
  expect([...text.matchAll(/\/Type \/Page\b/g)].length).toBeLessThanOrEqual(2)
  await guest.page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const ground = "getComputedStyle(document.querySelector('.report .card')).backgroundColor"
  await eventually(
    async () => (await guest.page.evaluate(ground)) === 'rgb(255, 255, 255)',
    'the paper is white',
  )
  expect(await guest.page.getByRole('button').count()).toBe(0)
  await guest.page.emulateMedia({ media: 'screen' })

  await page.getByRole('button', { name: en['share.revoke'] }).click()
  await page.getByRole('group', { name: en['share.revoke'] }).getByRole('button').first().click()
  await page.getByText(en['share.none']).waitFor()
  await guest.page.reload()
  await guest.page.getByText(en['share.over']).waitFor()
  expect(guest.complaints.filter((text) => !/401/.test(text))).toEqual([])
  expect(guest.foreignRequests).toEqual([])
  await guest.page.context().close()
  await page.keyboard.press('Escape')
})

test('on a phone a day first lists its events; a guest cannot change anything', async () => {
  const phone = await watchedPage(
    await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-DE' }),
    fixture.larder.url,
  )
  const { page } = phone
  await page.goto(`${fixture.larder.url}/events`)
  await page.getByRole('button', { name: 'Als Gast fortfahren' }).click()
  const date = new Date((now - day) * 1000)
  const key = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  await page.goto(`${fixture.larder.url}/events?month=${key.slice(0, 7)}`)
  await page.locator(`[data-day="${key}"]`).click()
  await page.getByRole('link', { name: /Three days.*Läuft/ }).waitFor()
  expect(new URL(page.url()).searchParams.get('day')).toBe(key)
  expect(await page.getByRole('button', { name: 'Neues Ereignis' }).count()).toBe(0)
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  expect(isWide).toBe(false)
  await phone.picture('events-phone')
  expect(phone.complaints.filter((text) => !/40[13]/.test(text))).toEqual([])
  await page.context().close()
})

test('the figures of a report that grow keep their places on a phone', async () => {
  const narrow = { viewport: { width: 390, height: 844 } }
  const { page } = await watchedPage(await ownWindow(browser, fixture, narrow), fixture.larder.url)
  const placesWith = async (count: number) => {
    await page.route('**/downloads/summary?*', async (route) => {
      const answer = await route.fetch()
      // Our own endpoint.
      const summary = (await answer.json()) as DownloadsSummary
      const totals = { ...summary.totals, hitBytes: count * 1234, missBytes: 0, downloads: count }
      await route.fulfill({ json: { ...summary, totals, clients: count, games: count } })
    })
    await openReady(page, `${fixture.larder.url}/downloads`)
    const head = `main section[aria-label="${en['downloads.head']}"]`
    const text = new Intl.NumberFormat('en-GB').format(count)
    await page.locator(head).getByText(text, { exact: true }).first().waitFor()
    return page.locator(`${head} > *, ${head} + *`).evaluateAll((all) =>
      all.map((one) => {
        const { x, y } = one.getBoundingClientRect()
        return [x, y]
      }),
    )
  }
  const before = await placesWith(1)
  expect(before.length).toBeGreaterThan(4)
  expect(await placesWith(234_567_890)).toEqual(before)
  await page.context().close()
})

test('no errors in the console', () => {
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
