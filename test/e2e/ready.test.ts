import { beforeAll, expect, test } from 'bun:test'
import type { Browser, Locator } from 'playwright-core'
import { servePrefill } from '../../src/demo/prefill-site.ts'
import type { ReadyBoard } from '../../src/prefill/ready/model.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { findingsInThemes, followReady, openReady } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { de, en, fill } from './texts.ts'

/** From the overview until the games are being fetched. */
const clicksMax = 4
const site = servePrefill(() => {}, { delayMs: 5 })

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage

beforeAll(async () => {
  atEnd(async () => void (await site.stop()))
  fixture = await openServiceFixture(site.environment)
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
})

const readBoard = () => fixture.owner.read<ReadyBoard>('/api/ext/prefill/ready')
const open = (path: string) => followReady(owner.page, fixture.larder.url + path)
const main = () => owner.page.getByRole('main')
const rowOf = (name: string) => main().getByRole('listitem').filter({ hasText: name })

test('without games and sessions it says where to begin, and follows the first session', async () => {
  const { page } = owner
  await open('/prefill/ready')
  await page.getByText(en['ready.empty'], { exact: true }).waitFor()
  await page.getByRole('button', { name: en['ready.choose'], exact: true }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel(en['ready.from']).selectOption('gamma')
  const start = fill(en['ready.startSession'], { platform: 'Battle.net' })
  await panel.getByRole('link', { name: start, exact: true }).waitFor()
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('ready-empty')
  await fixture.owner.write('POST', '/api/system/prefill/persistent/start', { service: 'gamma' })
  await panel.getByLabel(en['ready.from']).selectOption('suggestions')
  await panel.getByRole('checkbox', { name: 'Diablo IV', exact: true }).waitFor()
})

test(`from the overview to games that are ready: ${clicksMax} clicks`, async () => {
  const { page } = owner
  await openReady(page, `${fixture.larder.url}/`)
  let clicks = 0
  const click = async (control: Locator) => {
    await control.click()
    clicks += 1
  }
  await click(page.getByRole('link', { name: en['nav.prefill'], exact: true }).first())
  await click(page.getByRole('link', { name: en['prefill.tabReady'], exact: true }))
  await click(page.getByRole('button', { name: en['ready.addMostUsed'], exact: true }))
  await rowOf('Diablo IV').waitFor()
  await click(page.getByRole('button', { name: en['ready.make'], exact: true }))
  expect(clicks).toBeLessThanOrEqual(clicksMax)
  await page.getByText(en['ready.isReady'], { exact: true }).waitFor()
  await rowOf('Diablo IV').getByText(en['ready.stateReady'], { exact: true }).waitFor()
  // Larder cannot fetch games of platforms without a session, and does not offer them.
  expect(await readBoard()).toMatchObject({
    games: [{ name: 'Diablo IV', state: 'ready', missingBytes: 0 }],
    isWanted: false,
  })
  await owner.picture('ready')
})

test('a moment, hours and a further game: one sentence says whether that fits', async () => {
  const { page } = owner
  await open('/prefill/ready?add=gamma')
  const panel = page.getByRole('dialog')
  await panel.getByRole('searchbox').fill('hearthst')
  const game = panel.getByRole('checkbox', { name: 'Hearthstone', exact: true })
  await game.click()
  await panel.locator('[aria-checked=true]').waitFor()
  await page.keyboard.press('Escape')
  await rowOf('Hearthstone').getByText(en['ready.stateMissing'], { exact: true }).waitFor()
  const due = page.locator('[data-setting="ready.due"]')
  const label = en['ready.due']
  const field = (text: 'time.dayOf' | 'time.timeOf') =>
    due.getByRole('textbox', { name: fill(en[text], { label }), exact: true })
  await field('time.dayOf').fill('2099-12-11')
  await field('time.timeOf').fill('18:00')
  await due.getByRole('button', { name: en['prefill.save'], exact: true }).click()
  await page
    .getByText(/^Ready by 11 Dec 2099, 18:00: [\d.]+ .?B to download, about .*, fits/)
    .waitFor()
  await page.getByRole('button', { name: en['ready.onlyBetween'], exact: true }).click()
  await page.getByLabel(en['prefill.windowStart']).waitFor()
  expect(await readBoard()).toMatchObject({
    dueAtUtc: '2099-12-11T18:00:00.000Z',
    hours: { start: '01:00', end: '09:00' },
    verdict: 'inTime',
  })
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('ready-in-time')
  await page.getByRole('button', { name: en['ready.anyTime'], exact: true }).click()
  const name = fill(en['ready.remove'], { name: 'Hearthstone' })
  await page.getByRole('button', { name, exact: true }).click()
  await rowOf('Hearthstone').waitFor({ state: 'detached' })
})

test('a new build is shown with its size and the clients that will want it', async () => {
  const { page } = owner
  await open('/prefill/ready')
  const row = rowOf('Diablo IV')
  await row.getByText(en['ready.stateReady'], { exact: true }).waitFor()
  site.renew('fenris')
  await page.getByRole('button', { name: en['ready.check'], exact: true }).click()
  await row.getByText(/New build just now · [\d.]+ .?B for \d clients?$/).waitFor()
  await row.getByText(en['ready.stateOutdated'], { exact: true }).waitFor()
  await owner.picture('ready-new-build')
  await page.evaluate("localStorage.setItem('larder.locale', 'de')")
  await page.setViewportSize({ width: 390, height: 844 })
  await openReady(page, `${fixture.larder.url}/prefill/ready`)
  await row.getByText(de['ready.stateOutdated'], { exact: true }).waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  await owner.picture('ready-phone-german')
  await page.evaluate("localStorage.removeItem('larder.locale')")
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.reload()
})

test('an event leads to its games', async () => {
  const { page } = owner
  const now = Math.floor(Date.now() / 1000)
  const times = { startTime: now - 3 * 86_400, endTime: now + 3600 }
  await fixture.owner.write('POST', '/api/events', { name: 'Autumn LAN', ...times, colorIndex: 2 })
  await open('/events/1')
  await page.getByRole('link', { name: en['events.makeReady'], exact: true }).click()
  const panel = page.getByRole('dialog')
  await panel.getByText(en['ready.mostUsed'], { exact: true }).waitFor()
  await eventually(
    async () => (await panel.getByRole('checkbox', { name: 'Diablo IV' }).count()) > 0,
    'the games are listed',
  )
})

test('nothing complained, and no request left the origin', () => {
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
