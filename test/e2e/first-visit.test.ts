import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { history, Traffic } from '../../src/demo/log-generator.ts'
import { installationKey } from '../../src/demo/visitor.ts'
import { Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import {
  copyDashboard,
  launchBrowser,
  shownBytes,
  watchedPage,
  type WatchedPage,
} from './browser.ts'
import { en } from './texts.ts'

const root = tempFolder('e2e')
const account = { username: 'owner', password: 'Browser-Test-2026' }
const days = 5
let larder: Larder
let browser: Browser
let context: BrowserContext
let it: WatchedPage
let traffic: Traffic

beforeAll(async () => {
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  mkdirSync(join(root, 'cache'))
  const untilAt = Math.floor(Date.now() / 1000)
  const fromAt = untilAt - days * 86_400
  const clients = ['192.168.1.21', '192.168.1.22', 'fd00::28']
  traffic = new Traffic({ seed: 3, startAt: fromAt, clients, chunksPerDay: 8000 })
  const lines = [...history(traffic, { fromAt, untilAt })].flat().map(cachelogLine)
  writeFileSync(join(logPath, 'access.log'), `${lines.join('\n')}\n`)
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath }],
    // Not set: the first run asks where to start.
    environment: { WEB_PATH: copyDashboard(root), LogProcessing__StartAt: '' },
  })
  // The outage display is tested elsewhere; here nothing may fail.
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  browser = await launchBrowser()
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  it = await watchedPage(context, larder.url)
})

afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
})

/** Calls the API like the page, with its cookies. */
async function api<T>(path: string): Promise<T> {
  const response = await context.request.get(`${larder.url}${path}`)
  expect(response.status()).toBe(200)
  // The caller knows the endpoint's type.
  return (await response.json()) as T
}

const fill = async (fields: Record<string, string>) => {
  for (const [name, value] of Object.entries(fields)) {
    await it.page.locator(`input[name="${name}"]`).fill(value)
  }
}

const press = (text: string) => it.page.getByRole('button', { name: text, exact: true }).click()

describe('the first visit', () => {
  test('creates the owner and completes the first run', async () => {
    await it.page.goto(larder.url)
    await fill({ 'installation-key': installationKey(larder.dataPath), ...account })
    await it.picture('first-admin')
    await press(en['firstAdmin.create'])
    await it.page.getByText(en['firstRun.title']).waitFor()
    await it.picture('first-run')
    await press(en['firstRun.readAll'])
    await it.page.getByText(en['lead.saved']).waitFor()
  })

  test('the overview matches the API and the generated log', async () => {
    const { hitBytes, missBytes } = traffic.ledger.totals
    interface Figures {
      totalBandwidthSaved: number
      totalAddedToCache: number
    }
    const figures = () => api<Figures>('/api/stats/dashboard')
    await eventually(async () => {
      const { totalBandwidthSaved, totalAddedToCache } = await figures()
      return totalBandwidthSaved === hitBytes && totalAddedToCache === missBytes
    }, 'the whole log is in the history')
    const lead = it.page.locator(`section[aria-label="${en['lead.label']}"]`)
    const saved = lead.locator('> div', { hasText: en['lead.saved'] })
    // The page's own request, repeated: the page chooses its range.
    const [batch] = await Promise.all([
      it.page.waitForResponse((response) => response.url().includes('/api/dashboard/batch')),
      it.page.reload(),
    ])
    // Answers about the present may be a second old.
    await eventually(async () => {
      const { dashboard } = (await (await it.page.request.get(batch.url())).json()) as {
        dashboard: { period: { bandwidthSaved: number } }
      }
      const reported = dashboard.period.bandwidthSaved
      const shown = shownBytes((await saved.innerText()).replace(en['lead.saved'], ''))
      return reported > 0 && Math.abs(shown - reported) / reported < 0.02
    }, 'the page shows the reported figure')
    await it.picture('overview')
  })

  test('a downloads filter is part of the URL and survives a reload', async () => {
    await it.page.goto(`${larder.url}/downloads?service=riot`)
    const main = it.page.locator('main')
    const hosts = /valorant|league of legends|riot games/i
    await eventually(async () => hosts.test(await main.innerText()), 'rows are shown')
    const rows = await main.locator('tbody, [role="rowgroup"], ul, ol').allInnerTexts()
    expect(rows.join('\n')).not.toMatch(/Epic Games|Dota 2|Team Fortress/)
    expect(it.page.url()).toContain('riot')
    await it.page.reload()
    expect(it.page.url()).toContain('riot')
    await it.picture('downloads')
  })

  test('the API reference renders from local files only', async () => {
    interface Document {
      paths: Record<string, { post?: { summary?: string } }>
    }
    const document = await api<Document>('/openapi/v1.json')
    await it.page.goto(`${larder.url}/reference`)
    const login = new RegExp(document.paths['/api/auth/login']?.post?.summary ?? 'no summary')
    await it.page.getByText(login).first().waitFor()
    await it.picture('reference')
  })

  test('a hanging service is called stale and its live figures are dimmed, until it answers', async () => {
    await it.page.goto(larder.url)
    // The badge: other parts of the page are called live, too.
    const live = it.page.getByTitle(en['live.liveHint'])
    await live.waitFor()
    const dimmed = it.page.locator('html[data-stale] .live-figure').first()
    process.kill(larder.pid, 'SIGSTOP')
    try {
      await it.page.getByText(/^Stale, \d+.secs? ago$/).waitFor({ timeout: 30_000 })
      await dimmed.waitFor()
    } finally {
      process.kill(larder.pid, 'SIGCONT')
    }
    await live.waitFor({ timeout: 30_000 })
    await dimmed.waitFor({ state: 'detached' })
  })

  test('no errors in the console', () => {
    // A refused request before signing in tells the page that it has to.
    expect(it.complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  test('a tab from before an update continues with the current dashboard', async () => {
    const page = await context.newPage()
    await page.goto(larder.url)
    await page.getByText(en['lead.saved']).waitFor()
    // It was built from another script, and what it has not loaded no longer exists.
    await page
      .locator('script[type="module"]')
      .evaluate((script) => script.setAttribute('src', '/assets/main-before.js'))
    let isReloaded = false
    page.on('request', (request) => (isReloaded ||= request.isNavigationRequest()))
    await page.route('**/assets/*', (route) =>
      isReloaded ? route.continue() : route.fulfill({ status: 404 }),
    )
    await page.getByRole('link', { name: en['nav.clients'] }).first().click()
    await page.getByText(en['clients.groups']).first().waitFor()
    expect({ isReloaded, at: new URL(page.url()).pathname }).toEqual({
      isReloaded: true,
      at: '/clients',
    })
    await page.close()
  })

  test('signing out leads to the sign-in form, and signing in back', async () => {
    await it.page.goto(larder.url)
    await it.page.getByRole('button', { name: en['account.menu'] }).first().click()
    await press(en['action.signOut'])
    await it.page.locator('input[name="installation-key"]').waitFor()
    await it.picture('sign-in')
    expect((await context.request.get(`${larder.url}/api/stats/dashboard`)).status()).toBe(401)
    await fill({ 'installation-key': installationKey(larder.dataPath), ...account })
    await press(en['action.signIn'])
    await it.page.getByText(en['lead.saved']).waitFor()
  })

  test('no foreign origin was contacted', () => {
    expect(it.foreignRequests).toEqual([])
  })
})
