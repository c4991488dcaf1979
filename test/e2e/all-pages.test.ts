/**
 * Every page of the demo as the owner and as a guest on a phone, a tablet and a desktop, as a user on
 * one of them. Dark and light alternate from page to page and between phone and desktop, so that each
 * page is checked in both, and what all pages share in both on each size. It takes longest, and its
 * name lets it start before the others of its folder.
 */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Account, Visitor } from '../../src/demo/visitor.ts'
import { startDemo, type Demo } from '../support/demo-process.ts'
import { eventually } from '../support/eventually.ts'
import { findings, shownKeys } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { contradictions } from './figures.ts'
import { signedIn, signInElsewhere } from './service-fixture.ts'
import { en } from './texts.ts'

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1440, height: 900 },
}
/** Movement of a page by itself that is not yet felt. */
const shiftMax = 0.1
/** Screens of the longest page: lists have pages. */
const screensMax = 8
const day = 86_400
const password = 'Walk-Through-2026'

let demo: Demo
let browser: Browser
let owner: Visitor

/** Pages that guests see too, and those of account holders. */
const open = ['/', '/downloads', '/games?view=cards', '/events', '/events/1', '/services/steam']
const forAccounts = [
  '/downloads?group=game&range=7d',
  '/games',
  '/clients',
  '/clients/192.168.1.21?range=7d',
  '/events?view=list',
  '/events/compare?ids=1,2',
  '/operations',
  '/cache',
  '/cache/games',
  '/cache/games?view=list',
  '/cache/unnamed',
  '/cache/evicted',
  '/cache/integrity',
  '/cache/retention',
  '/prefill',
  '/prefill/platforms',
  '/prefill/ready',
  '/prefill/ready?add=suggestions',
  '/prefill/schedules',
  '/prefill/sessions',
  '/settings',
]
const settings = [
  'preferences',
  'themes',
  'accounts',
  'sessions',
  'guests',
  'platform-accounts',
  'keys',
  'sign-in',
  'audit',
  'clients',
  'logs',
  'datasources',
  'nodes',
  'integrations',
  'schedules',
  'metrics',
  'notifications',
  'widgets',
  'log',
  'backup',
  'database',
  'status-check',
  'version',
  'password',
].map((name) => `/settings/${name}`)

beforeAll(async () => {
  demo = await startDemo()
  owner = await demo.owner()
  const now = Math.floor(Date.now() / 1000)
  for (const days of [20, 6]) {
    const event = { name: `Party ${days}`, startTime: now - days * day, endTime: now - day }
    await owner.write('POST', '/api/events', { ...event, colorIndex: 3 })
  }
  await owner.write('POST', '/api/accounts', { username: 'anna', password, role: 'user' })
  browser = await launchBrowser()
})

type Size = keyof typeof sizes
type Scheme = 'dark' | 'light'

/** Sums up the page's movements that no input caused. */
const watchShifts = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources
        .map(({ node, previousRect: from, currentRect: to }) =>
          [from.y, to.y, from.height, to.height, node?.outerHTML?.slice(0, 120)].join(' '))
        .join('; ')
      if (!hadRecentInput) globalThis.shifts.push([value, moved])
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** Larger movements, when their sum is felt. */
async function feltShifts(page: Page): Promise<string[]> {
  const shifts = await page.evaluate<[number, string][]>('globalThis.shifts')
  const sum = shifts.reduce((all, [value]) => all + value, 0)
  if (sum <= shiftMax) return []
  const large = shifts.filter(([value]) => value > 0.02)
  return [
    `moves by ${sum.toFixed(2)}`,
    ...large.map(([value, what]) => `${value.toFixed(2)} ${what}`),
  ]
}

/** Controls with a side below 24 pixels, except links within a text. */
const smallTargets = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('a, button, summary, select, [role="switch"]')]
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect()
        const style = getComputedStyle(control)
        const isShown = width > 1 && height > 1 && style.visibility !== 'hidden'
        const isTarget = style.display !== 'inline' && style.pointerEvents !== 'none'
        return isShown && isTarget && control.tabIndex >= 0 && Math.min(width, height) < 23.5
      })
      .map((control) => control.outerHTML.slice(0, 140))`)

/** Controls that cover each other. A calendar's bars, a field's button and a bar that stays may. */
const coveredNow = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('main :is(a, button, input, select):not(.overflow-y-auto *, .sticky *, [data-day], [data-in-field], [aria-hidden=true])')]
      .map((control) => [control, control.getBoundingClientRect()])
      .filter(([control, { width, height }]) => width > 1 && height > 1 && control.checkVisibility())
      .flatMap(([one, a], index, all) => all.slice(index + 1)
        .filter(([other, b]) => !one.contains(other) &&
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
        .map(([other]) => [one, other].map(({ outerHTML }) => outerHTML.slice(0, 90)).join(' and ')))`)

/** Those that stay covered: a row that news made higher moves the next ones when it is drawn. */
async function coveredControls(page: Page): Promise<string[]> {
  let covered = await coveredNow(page)
  for (let look = 0; look < 10 && covered.length > 0; look++) {
    await page.evaluate(
      'new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)))',
    )
    const now = await coveredNow(page)
    covered = covered.filter((controls) => now.includes(controls))
  }
  return covered
}

/** In one look: between two, a page may begin anew. */
const isSettled = (page: Page) =>
  page.evaluate<boolean>(
    `document.querySelector('main h1') !== null && document.querySelector('main .skeleton') === null`,
  )

/** Opens a page as on a first visit: nothing of it is in the browser's cache. */
async function visit(page: Page, path: string): Promise<void> {
  const tools = await page.context().newCDPSession(page)
  await tools.send('Network.clearBrowserCache')
  await tools.detach()
  await page.goto(demo.url + path)
  await eventually(() => isSettled(page), `${path} is there`)
}

/**
 * Movements of a page on every first visit: on a busy machine parts may arrive in another order, or
 * a download may end while the page loads.
 */
async function repeatedShifts(page: Page, path: string): Promise<string[]> {
  if ((await feltShifts(page)).length === 0) return []
  await visit(page, path)
  return feltShifts(page)
}

/** Opens a page and returns everything that is wrong with it. */
async function faultsOf(watched: WatchedPage, path: string, colorScheme: Scheme) {
  const { page, complaints, foreignRequests } = watched
  complaints.length = 0
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await visit(page, path)
  const theme = await page.evaluate<string>('document.documentElement.dataset.theme')
  const height = await page.evaluate<number>('document.documentElement.scrollHeight / innerHeight')
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
  return [
    ...(await findings(page)).map((finding) => JSON.stringify(finding)),
    ...(theme === colorScheme ? [] : [`${theme} where ${colorScheme} is wanted`]),
    ...(await contradictions(page)),
    ...(await smallTargets(page)).map((control) => `small: ${control}`),
    ...(await coveredControls(page)).map((controls) => `covered: ${controls}`),
    ...(await shownKeys(page)).map((key) => `text missing: ${key}`),
    ...(isWide ? ['wider than the window'] : []),
    ...(height > screensMax ? [`${height.toFixed(1)} screens high`] : []),
    ...complaints.map((text) => `console: ${text}`),
    ...foreignRequests.map((url) => `foreign: ${url}`),
    ...(await repeatedShifts(page, path)),
  ]
}

/** The first page's theme: a guest has the other one than the owner on the same size. */
const turns = { desktop: 0, tablet: 0, phone: 1 }
const themes = ['dark', 'light'] as const

/** All pages that have faults, with these. */
async function walk(context: BrowserContext, firstTheme: number, paths: readonly string[]) {
  await context.addInitScript(watchShifts)
  const watched = await watchedPage(context, demo.url)
  const faults: Record<string, string[]> = {}
  for (const [at, path] of paths.entries()) {
    const scheme = themes[(at + firstTheme) % 2] ?? 'dark'
    const found = await faultsOf(watched, path, scheme)
    if (found.length > 0) faults[`${path}, ${scheme}`] = found
  }
  await context.close()
  return faults
}

const lookOf = (size: Size) => ({
  viewport: sizes[size],
  reducedMotion: 'reduce' as const,
  ...(size === 'phone' && { isMobile: true, hasTouch: true }),
})

/** A window with a session of its own: tokens rotate while a page is used. */
async function windowOf(account: Account | null, size: Size) {
  const dataPath = join(demo.root, 'data')
  const visitor =
    account === null
      ? await demo.owner()
      : await signInElsewhere({ url: demo.url, dataPath }, account)
  return signedIn(browser, { larder: demo, owner: visitor }, lookOf(size))
}

const every = ['desktop', 'tablet', 'phone'] as const

test.each(every)('the owner on a %s', async (size) => {
  const pages = [...open, ...forAccounts, ...settings]
  expect(await walk(await windowOf(null, size), turns[size], pages)).toEqual({})
})

test.each(every)('a user on a %s', async (size) => {
  const context = await windowOf({ username: 'anna', password }, size)
  const pages = [...open, ...forAccounts, '/settings/password']
  const mine = pages.filter((_, index) => index % every.length === every.indexOf(size))
  expect(await walk(context, turns[size], mine)).toEqual({})
})

test.each(every)('a guest on a %s', async (size) => {
  const context = await browser.newContext({ locale: 'en-GB', ...lookOf(size) })
  const { page, complaints } = await watchedPage(context, demo.url)
  await page.goto(demo.url)
  // The first control: most visitors of a party have no account.
  const enter = page.getByRole('button', { name: en['signIn.guest'] })
  await enter.waitFor()
  expect(await page.locator('button, input').first().innerText()).toBe(en['signIn.guest'])
  expect(await findings(page)).toEqual([])
  const enters = async () => {
    const answer = page.waitForResponse((one) => one.request().method() === 'POST')
    await enter.click()
    return (await answer).status() !== 429
  }
  // Only so many sign-ins a minute are allowed.
  await eventually(enters, 'the guest is in')
  complaints.length = 0
  const menu = page
    .getByRole('navigation', { name: en['shell.navigation'] })
    .and(page.locator(':visible'))
  const current = menu.locator('[aria-current="page"]')
  await current.getByText(en['nav.overview']).waitFor()
  // New guests have a theme that the operator chose.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: en['palette.prompt'] }).fill(en['palette.system'])
  const saved = page.waitForResponse((answer) => answer.request().method() !== 'GET')
  await page.keyboard.press('Enter')
  await saved
  expect(complaints).toEqual([])
  await page.close()
  expect(await walk(context, 1 - turns[size], open)).toEqual({})
})

test('drawers and the palette do not move the page, tabs have no scroll bar, pencils have focus', async () => {
  const barred = await launchBrowser({ showsScrollBars: true })
  const owned = { larder: demo, owner: await demo.owner() }
  const { page } = await watchedPage(await signedIn(barred, owned, lookOf('desktop')), demo.url)
  const open = async (path: string) => {
    await page.goto(demo.url + path)
    await eventually(() => isSettled(page), `${path} is there`)
  }
  const places = () =>
    page.evaluate<number[]>(`
      [document.querySelector('main h1'), document.querySelector('main header'), document.body]
        .flatMap((part) => { const { x, y, width } = part.getBoundingClientRect(); return [x, y, width] })`)
  await open('/downloads')
  // The strip of the event that is running comes with an answer of its own.
  await page.getByText('Winter LAN').first().waitFor()
  // Its place is free before.
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/events/active', async (route) => {
    await answer.promise
    await route.continue()
  })
  await open('/downloads')
  expect((await page.locator('[data-running]').boundingBox())?.height).toBe(30)
  answer.resolve()
  await page.getByText('Winter LAN').first().waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(
    await page.evaluate<number>('innerWidth - document.documentElement.clientWidth'),
  ).toBeGreaterThan(0)
  const before = await places()
  for (const name of [en['palette.prompt'], en['nav.operations']]) {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').waitFor()
    expect({ name, places: await places() }).toEqual({ name, places: before })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect({ name, places: await places() }).toEqual({ name, places: before })
  }

  for (const [path, size] of [
    ['/cache', 'desktop'],
    ['/cache', 'phone'],
    ['/prefill', 'phone'],
  ] as const) {
    await page.setViewportSize(sizes[size])
    await open(path)
    const bars = await page.evaluate<number[]>(`
      [...document.querySelectorAll('main nav')].filter(({ scrollWidth }) => scrollWidth > 0)
        .map((tabs) => tabs.offsetHeight - tabs.clientHeight + tabs.scrollHeight - tabs.clientHeight)`)
    expect({ path, size, bars }).toEqual({ path, size, bars: bars.map(() => 0) })
    expect(bars.length).toBeGreaterThan(0)
  }

  await page.setViewportSize(sizes.desktop)
  await open('/clients')
  await page.locator('main [aria-haspopup=dialog]:has(svg.lucide-pencil)').first().click()
  await eventually(
    () => page.locator('[popover]:popover-open input:focus').isVisible(),
    'the field of the pencil has focus',
  )
})
