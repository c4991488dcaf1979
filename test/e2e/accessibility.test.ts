import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext } from 'playwright-core'
import en from '../../src/web/locales/en.reports.json'
import { findings, openReady } from './accessible.ts'
import { launchBrowser } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'

let fixture: ServiceFixture
let browser: Browser
const paths = {
  overview: '/',
  downloads: '/downloads',
  games: '/games',
  clients: '/clients',
  cache: '/cache',
  'games in the cache': '/cache/games',
  'unidentified titles': '/cache/unnamed',
  'evicted downloads': '/cache/evicted',
  events: '/events',
  'events as a list': '/events?view=list',
  'a new event': '/events?open=new',
  'events to compare': '/events/compare',
  settings: '/settings',
  preferences: '/settings/preferences',
  themes: '/settings/themes',
  accounts: '/settings/accounts',
  'a new account': '/settings/accounts?open=new',
  sessions: '/settings/sessions',
  guests: '/settings/guests',
  keys: '/settings/keys',
  'corrupted files': '/cache/integrity',
  'the doctor of cache files': '/cache/integrity?view=object',
  retention: '/cache/retention',
  logs: '/settings/logs',
  datasources: '/settings/datasources',
  service: '/services/steam?range=all',
  'an unknown operation': '/operations/none',
}

beforeAll(async () => {
  fixture = await openServiceFixture()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
  await fixture.close()
})

describe.each(['dark', 'light'] as const)('%s', (colorScheme) => {
  let context: BrowserContext
  beforeAll(async () => {
    context = await ownWindow(browser, fixture, { colorScheme })
  })
  afterAll(() => context.close())

  test('sign-in', async () => {
    const visit = await browser.newContext({ colorScheme, locale: 'en-GB' })
    const page = await visit.newPage()
    await page.goto(fixture.larder.url)
    await page.locator('input[name="installation-key"]').waitFor()
    expect(await findings(page)).toEqual([])
    await visit.close()
  }, 30_000)

  test.each(Object.entries(paths))(
    '%s',
    async (_name, path) => {
      const page = await context.newPage()
      await openReady(page, fixture.larder.url + path)
      expect(await findings(page)).toEqual([])
      await page.close()
    },
    30_000,
  )

  test('one game', async () => {
    interface Games {
      items: { id: string; service: string }[]
    }
    const path = '/api/downloads/retro?PageSize=1&GroupByGame=true'
    const [game] = (await fixture.owner.read<Games>(path)).items
    const page = await context.newPage()
    const id = encodeURIComponent(game?.id.slice(game.service.length + 1) ?? '')
    await openReady(page, `${fixture.larder.url}/games/${game?.service}/${id}?range=all`)
    await page.getByRole('region', { name: en['game.totals'] }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.close()
  }, 30_000)

  test('one download', async () => {
    interface Rows {
      items: { downloadIds: number[] }[]
    }
    const { items } = await fixture.owner.read<Rows>('/api/downloads/retro?PageSize=1')
    const page = await context.newPage()
    await openReady(page, `${fixture.larder.url}/downloads/${items[0]?.downloadIds[0]}`)
    expect(await findings(page)).toEqual([])
    await page.close()
  }, 30_000)
})
