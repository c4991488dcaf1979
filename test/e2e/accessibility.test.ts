import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import en from '../../src/web/locales/en.json'
import { eventually } from '../lab/wait.ts'
import { launchBrowser } from './browser.ts'
import { openHouse, signedIn, type House } from './house.ts'

interface Finding {
  id: string
  impact: string | null
  nodes: string[]
}

let house: House
let browser: Browser
const paths = {
  overview: '/',
  downloads: '/downloads',
  games: '/games',
  clients: '/clients',
  settings: '/settings',
  preferences: '/settings/preferences',
  themes: '/settings/themes',
  accounts: '/settings/accounts',
  'a new account': '/settings/accounts?open=new',
  sessions: '/settings/sessions',
  guests: '/settings/guests',
  keys: '/settings/keys',
  service: '/services/steam?range=all',
  'an unknown operation': '/operations/none',
}

beforeAll(async () => {
  house = await openHouse()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
  await house.leave()
})

/** What the checker calls serious or critical on the page as it is now. */
async function findings(page: Page): Promise<Finding[]> {
  // As text: the policy of the page forbids foreign script tags, not the driver.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    interface Checker {
      run(): Promise<{
        violations: { id: string; impact: string | null; nodes: { html: string }[] }[]
      }>
    }
    // The line above put it there.
    const { axe: checker } = globalThis as unknown as { axe: Checker }
    const { violations } = await checker.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)),
      }))
  })
}

/** Looks when data stand on the page, not bars in their place. */
async function openReady(page: Page, path: string): Promise<void> {
  await page.goto(`${house.larder.url}${path}`)
  const isReady = async () =>
    (await page.locator('h1').count()) > 0 && (await page.locator('main .skeleton').count()) === 0
  await eventually(isReady, `${path} is there`)
}

describe.each(['dark', 'light'] as const)('%s', (colorScheme) => {
  test('sign-in', async () => {
    const context = await browser.newContext({ colorScheme, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(house.larder.url)
    await page.locator('input[name="installation-key"]').waitFor()
    expect(await findings(page)).toEqual([])
    await context.close()
  }, 30_000)

  test.each(Object.entries(paths))(
    '%s',
    async (_name, path) => {
      const context = await signedIn(browser, house, { colorScheme })
      const page = await context.newPage()
      await openReady(page, path)
      expect(await findings(page)).toEqual([])
      await context.close()
    },
    30_000,
  )

  test('one game', async () => {
    interface Games {
      items: { id: string; service: string }[]
    }
    const path = '/api/downloads/retro?PageSize=1&GroupByGame=true'
    const [game] = (await house.owner.read<Games>(path)).items
    const context = await signedIn(browser, house, { colorScheme })
    const page = await context.newPage()
    const id = encodeURIComponent(game?.id.slice(game.service.length + 1) ?? '')
    await openReady(page, `/games/${game?.service}/${id}?range=all`)
    await page.getByRole('region', { name: en['game.totals'] }).waitFor()
    expect(await findings(page)).toEqual([])
    await context.close()
  }, 30_000)

  test('one download', async () => {
    interface Rows {
      items: { downloadIds: number[] }[]
    }
    const { items } = await house.owner.read<Rows>('/api/downloads/retro?PageSize=1')
    const context = await signedIn(browser, house, { colorScheme })
    const page = await context.newPage()
    await openReady(page, `/downloads/${items[0]?.downloadIds[0]}`)
    expect(await findings(page)).toEqual([])
    await context.close()
  }, 30_000)
})
