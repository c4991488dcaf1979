import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { servePrefill } from '../../src/demo/prefill-site.ts'
import type { ShelfRun } from '../../src/prefill/shelf/model.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { findingsInThemes, followReady, openReady } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { de, en, fill } from './texts.ts'

/** From the overview until the game is being fetched. */
const prefillClicksMax = 3
/** From the page of the cache until the game is being removed. */
const removalClicksMax = 4
const site = servePrefill(() => {}, { delayMs: 5 })

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage

beforeAll(async () => {
  atEnd(async () => void (await site.stop()))
  fixture = await openServiceFixture(site.environment)
  const cachePath = join(fixture.larder.dataPath, '../cache')
  for (let at = 0; at < 3; at++) {
    const uri = `/depot/571/chunk/${String(at).padStart(40, '0')}`
    const key = sliceKey('steam', uri, 0)
    writeCacheFile(cachePath, { key, body: new Uint8Array(40_000), storedAt: 1_795_000_000 })
  }
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
})

const open = (path: string) => followReady(owner.page, fixture.larder.url + path)
const main = () => owner.page.getByRole('main')
const cover = (name: string) => main().getByRole('checkbox', { name, exact: true })
const button = (name: string) => main().getByRole('button', { name, exact: true })
const bar = () => main().getByRole('region', { name: en['shelf.bar'], exact: true })
const readRun = () => fixture.owner.read<ShelfRun>('/api/ext/prefill/shelf/run')

/** Counts clicks. */
function clicker() {
  let clicks = 0
  return {
    click: async (control: Locator) => {
      await control.click()
      clicks += 1
    },
    count: () => clicks,
  }
}

test('games appear without a session that was started before; those behind a sign-in say so', async () => {
  const { page } = owner
  await open('/prefill')
  await cover('Diablo IV').waitFor()
  await cover('Valorant').waitFor()
  for (const platform of ['Steam', 'Epic Games', 'Xbox']) {
    await main().getByText(fill(en['shelf.signIn'], { platform })).waitFor()
  }
  expect(await button(en['nav.prefill']).isDisabled()).toBe(true)
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
})

test(`from the overview to a game that is being fetched: ${prefillClicksMax} clicks`, async () => {
  const { page } = owner
  await open('/')
  const { click, count } = clicker()
  await click(page.getByRole('link', { name: en['nav.prefill'], exact: true }).first())
  await click(cover('Diablo IV'))
  await bar()
    .getByText(fill(en['count.games.one'], { count: 1 }))
    .waitFor()
  await click(button(en['nav.prefill']))
  expect(count()).toBeLessThanOrEqual(prefillClicksMax)
  await eventually(async () => (await readRun()).games[0]?.state === 'done', 'it is fetched')
  const tile = main()
    .getByRole('listitem')
    .filter({ has: page.getByRole('checkbox', { name: 'Diablo IV', exact: true }) })
  await tile.getByText(en['shelf.state.cached'], { exact: true }).first().waitFor()
  await owner.picture('shelf')
})

test('size, time and room are said before the click; keys choose, and the choice is kept', async () => {
  const { page } = owner
  await page.getByRole('searchbox').fill('hearth')
  await cover('Diablo IV').waitFor({ state: 'detached' })
  await cover('Hearthstone').focus()
  await page.keyboard.press('Space')
  await bar()
    .getByText(/^1 game · [\d.]+ .?B · .*fits$/)
    .waitFor()
  await page.getByRole('searchbox').fill('')
  await cover('Diablo IV').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await bar()
    .getByText(/^2 games/)
    .waitFor()
  await openReady(page, `${fixture.larder.url}/prefill?show=chosen`)
  await bar()
    .getByText(/^2 games/)
    .waitFor()
  expect(await main().getByRole('checkbox').count()).toBe(2)
  await button(en['prefill.selectNone']).click()
})

test('what fails says why and what to do', async () => {
  await open('/prefill')
  // The site has no content for it.
  await cover('Crash Bandicoot 4').click()
  await button(en['nav.prefill']).click()
  await bar()
    .getByText(fill(en['shelf.failed.one'], { count: 1 }))
    .click()
  const failures = main().getByRole('region', { name: en['shelf.failures'] })
  await failures.getByText(/^Crash Bandicoot 4/).waitFor()
  await failures.getByText(en['prefill.failedAdvice']).waitFor()
  expect(await findingsInThemes(owner.page)).toEqual({ dark: [], light: [] })
  await button(en['shelf.dismiss']).click()
  await failures.waitFor({ state: 'detached' })
})

test(`from the cache to a game that is being removed: ${removalClicksMax} clicks`, async () => {
  const { page } = owner
  await fixture.owner.write('POST', '/api/games/detect?forceRefresh=true', {})
  await open('/cache')
  const { click, count } = clicker()
  await click(page.getByRole('link', { name: en['cache.tabGames'], exact: true }))
  await click(cover('Dota 2'))
  const chosen = main().getByRole('region', { name: en['cache.selection'] })
  await chosen.getByText(/1 selected · 12\d kB will be freed/).waitFor()
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('shelf-cache')
  await click(button(en['removal.ask']))
  await click(page.getByRole('dialog').getByRole('button', { name: /^Remove \d/ }))
  expect(count()).toBeLessThanOrEqual(removalClicksMax)
  await page.getByRole('dialog', { name: en['nav.operations'] }).waitFor()
  await page.keyboard.press('Escape')
  await cover('Dota 2').waitFor({ state: 'detached' })
})

test('on a phone nothing overflows, in German', async () => {
  const { page } = owner
  await page.evaluate("localStorage.setItem('larder.locale', 'de')")
  await page.setViewportSize({ width: 390, height: 844 })
  const bars = { '/prefill': de['shelf.bar'], '/cache/games': de['cache.selection'] }
  await page.reload()
  for (const [path, name] of Object.entries(bars)) {
    await open(path)
    await main().getByRole('region', { name, exact: true }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  }
  await open('/prefill')
  await main()
    .getByText(fill(de['shelf.signIn'], { platform: 'Steam' }))
    .waitFor()
  await owner.picture('shelf-phone-german')
  await page.evaluate("localStorage.removeItem('larder.locale')")
})

test('nothing complained, and no request left the origin', () => {
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
