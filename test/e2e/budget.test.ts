import { beforeAll, expect, test } from 'bun:test'
import type { Browser, Response } from 'playwright-core'
import { openTestClient } from '../support/postgres.ts'
import en from '../../src/web/locales/en.json'
import { eventually } from '../support/eventually.ts'
import { launchBrowser, watchedPage } from './browser.ts'
import { openServiceFixture, signedIn, type ServiceFixture } from './service-fixture.ts'

/** All scripts of the first screen, gzipped at the highest level. */
const budgetBytes = 150 * 1024

/** Smaller files are sent as they are. */
const compressBytesMin = 1024

let fixture: ServiceFixture
let browser: Browser

beforeAll(async () => {
  fixture = await openServiceFixture()
  browser = await launchBrowser()
})

const gzipBytes = async (response: Response) =>
  Bun.gzipSync(new Uint8Array(await response.body()), { level: 9 }).length

test('the overview stays within the budget and the origin, without console errors', async () => {
  const context = await signedIn(browser, fixture)
  const { page, complaints, foreignRequests } = await watchedPage(context, fixture.larder.url)
  const scripts: Response[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response)
  })
  await page.addInitScript(`
    globalThis.calls = []
    const call = fetch
    globalThis.fetch = (url, ...others) => (calls.push(url), call(url, ...others))
    globalThis.WebSocket = class extends WebSocket {
      constructor(url) { super(url); calls.push(new URL(url).pathname) }
    }`)
  await page.goto(fixture.larder.url)
  const lead = page.locator(`section[aria-label="${en['lead.label']}"]`)
  await eventually(async () => /\d/.test(await lead.innerText()), 'the lead figures are there')
  await page.locator(`svg[aria-label="${en['flow.label']}"]`).waitFor()
  // What is read before the socket is open is read again.
  const calls = await page.evaluate<string[]>('calls')
  expect(calls.slice(0, 3)).toEqual(['/api/auth/status', '/api/system/setup', '/hubs/downloads'])

  const sizes = await Promise.all(
    scripts.map(async (response) => ({
      path: new URL(response.url()).pathname,
      bytes: await gzipBytes(response),
      isPlain: (await response.headerValue('content-encoding')) === null,
      length: (await response.body()).length,
    })),
  )
  const plain = sizes.filter(({ isPlain }) => isPlain)
  expect(plain.filter(({ length }) => length >= compressBytesMin)).toEqual([])
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  // A missing file would be answered with the page and lower the sum.
  expect(total).toBeGreaterThan(50_000)
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(budgetBytes)
  // German texts and those of unopened pages are not loaded.
  expect(sizes.filter(({ path }) => /\/(de|en\.settings)\b/.test(path))).toEqual([])
  expect(foreignRequests).toEqual([])
  expect(complaints).toEqual([])
  await context.close()
})

/** Twelve days of hourly sizes with constant daily growth up to today's. */
async function keepSizes(perDay: number): Promise<void> {
  const { usedCacheSize, totalCacheSize } = await fixture.owner.read<{
    usedCacheSize: number
    totalCacheSize: number
  }>('/api/cache')
  // Nearly nothing, where the disk is the machine's memory.
  const endBytes = Math.max(usedCacheSize, 13 * perDay)
  const sizes = Array.from({ length: 12 * 24 + 1 }, (_, hours) => ({
    taken_at: new Date(Date.now() - hours * 3_600_000).toISOString(),
    used_bytes: Math.round(endBytes - (hours * perDay) / 24),
    total_bytes: totalCacheSize,
    used_ratio: 0,
  }))
  const sql = openTestClient(fixture.larder.historyTarget())
  await sql`insert into cache_snapshots ${sql(sizes)}`
  await sql.end()
}

test('the overview shows when the cache is full, from its measured growth', async () => {
  await keepSizes(1e8)
  // An unmeasured answer may stay cached for two seconds.
  const isKnown = async () => {
    const forecast = await fixture.owner.read<{ growthBytesPerDay: number | null }>(
      '/api/ext/cache/forecast',
    )
    return Math.round((forecast.growthBytesPerDay ?? 0) / 1e6) === 100
  }
  await eventually(isKnown, 'the growth is known')
  const context = await signedIn(browser, fixture)
  const { page } = await watchedPage(context, fixture.larder.url)
  await page.goto(fixture.larder.url)
  const lead = page.locator(`section[aria-label="${en['lead.label']}"]`)
  await lead.getByText(/100\sMB per day, measured over 12 days/).waitFor()
  expect(await lead.innerText()).toMatch(/\d\s*days/)
  await context.close()
})
