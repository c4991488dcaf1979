import { beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findingsInThemes, openReady } from './accessible.ts'
import { launchBrowser } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

let fixture: ServiceFixture
let browser: Browser
let page: Page
/**
 * Pages without rows, and those that need an address of this service; `all-pages` checks the others,
 * and `settings-controls` those with settings.
 */
const paths = {
  cache: '/cache',
  'games in the cache': '/cache/games',
  'games in the cache as a list': '/cache/games?view=list',
  'unidentified titles': '/cache/unnamed',
  events: '/events',
  'events as a list': '/events?view=list',
  'a new event': '/events?open=new',
  'events to compare': '/events/compare',
  'prefill: games': '/prefill',
  'prefill: sessions': '/prefill/sessions',
  'a new account': '/settings/accounts?open=new',
  'corrupted files': '/cache/integrity',
  'the doctor of cache files': '/cache/integrity?view=object',
  'an unknown operation': '/operations/none',
}

/** What a list without rows offers. */
const nextSteps: Partial<Record<keyof typeof paths, string>> = {
  'events as a list': en['events.new'],
  'corrupted files': en['corruption.paletteCheck'],
}

const clean = { dark: [], light: [] }

beforeAll(async () => {
  fixture = await openServiceFixture()
  browser = await launchBrowser()
  const context = await ownWindow(browser, fixture)
  page = await context.newPage()
})

test('sign-in', async () => {
  const visit = await browser.newContext({ locale: 'en-GB' })
  const signIn = await visit.newPage()
  await signIn.goto(fixture.larder.url)
  await signIn.locator('input[name="installation-key"]').waitFor()
  expect(await findingsInThemes(signIn)).toEqual(clean)
  await visit.close()
})

// The keys of the literal above.
test.each(Object.keys(paths) as (keyof typeof paths)[])('%s', async (name) => {
  await openReady(page, fixture.larder.url + paths[name])
  const step = nextSteps[name]
  if (step !== undefined) {
    const empty = page.locator('main').getByRole('status')
    await empty.locator('a, button').filter({ hasText: step }).waitFor()
  }
  expect(await findingsInThemes(page)).toEqual(clean)
})

test('one game', async () => {
  interface Games {
    items: { id: string; service: string }[]
  }
  const path = '/api/downloads/retro?PageSize=1&GroupByGame=true'
  const [game] = (await fixture.owner.read<Games>(path)).items
  const id = encodeURIComponent(game?.id.slice(game.service.length + 1) ?? '')
  await openReady(page, `${fixture.larder.url}/games/${game?.service}/${id}?range=all`)
  await page.getByRole('region', { name: en['game.totals'] }).waitFor()
  expect(await findingsInThemes(page)).toEqual(clean)
})

test('one download', async () => {
  interface Rows {
    items: { downloadIds: number[] }[]
  }
  const { items } = await fixture.owner.read<Rows>('/api/downloads/retro?PageSize=1')
  await openReady(page, `${fixture.larder.url}/downloads/${items[0]?.downloadIds[0]}`)
  expect(await findingsInThemes(page)).toEqual(clean)
})
