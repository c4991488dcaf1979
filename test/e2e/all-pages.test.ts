/**
 * Every page of the demo as the owner on a phone, a tablet and a desktop, as a user on a desktop and
 * one of the others, and as a guest on all three. The owner and guests load each page as on a first
 * visit, a user goes from page to page; the window then changes its size. Dark and light alternate from page to page and between phone and desktop, so that
 * each page is checked in both, and what all pages share in both on each size. What the demo itself
 * promises stands here, too, because its start takes long. The file takes longest, and its name lets
 * it start before the others of its folder.
 */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Visitor } from '../../src/demo/visitor.ts'
import { startDemo, type Demo } from '../support/demo-process.ts'
import { eventually } from '../support/eventually.ts'
import { findings, shownKeys } from './accessible.ts'
import { follow, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { testEndOfDemo, testFilledDemo } from './demo-promises.ts'
import { contradictions } from './figures.ts'
import { coveredControls, feltShifts, scrolls, smallTargets, watchShifts } from './layout.ts'
import { signedIn, signInElsewhere } from './service-fixture.ts'
import { en } from './texts.ts'

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1440, height: 900 },
}
/** Rules whose result depends on the room that a page has; all others depend on what it shows. */
const overflowRules = ['scrollable-region-focusable']
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

/** In one look: between two, a page may begin anew. */
const isSettled = (page: Page) =>
  page.evaluate<boolean>(
    `document.querySelector('main h1') !== null && document.querySelector('main .skeleton') === null`,
  )

/** A window that can be each of the devices. */
interface Window extends WatchedPage {
  tools: CDPSession
}

async function openWindow(context: BrowserContext): Promise<Window> {
  await context.addInitScript(watchShifts)
  const watched = await watchedPage(context, demo.url)
  return { ...watched, tools: await context.newCDPSession(watched.page) }
}

/** The page is drawn when it resolves. */
async function show(
  { page, tools }: Window,
  [size, colorScheme]: readonly [Size, Scheme, ...unknown[]],
) {
  const isPhone = size === 'phone'
  const metrics = { ...sizes[size], deviceScaleFactor: 1, mobile: isPhone }
  await tools.send('Emulation.setDeviceMetricsOverride', metrics)
  await tools.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
}

type Visit = (window: Window, path: string) => Promise<void>

/** Opens a page as on a first visit: nothing of it is in the browser's cache. */
const firstVisit: Visit = async ({ page, tools }, path) => {
  await tools.send('Network.clearBrowserCache')
  await page.goto(demo.url + path)
  await eventually(() => isSettled(page), `${path} is there`)
}

/** Opens a page from another one, with what that one has loaded. */
const nextVisit: Visit = async ({ page }, path) => {
  await follow(page, demo.url + path)
  await eventually(() => isSettled(page), `${path} is there`)
}

/**
 * Movements of a page on every first visit: on a busy machine parts may arrive in another order, or
 * a download may end while the page loads.
 */
async function repeatedShifts(window: Window, path: string): Promise<string[]> {
  if ((await feltShifts(window.page)).length === 0) return []
  await firstVisit(window, path)
  return feltShifts(window.page)
}

const themeOf = (page: Page) => page.evaluate<string>('document.documentElement.dataset.theme')

/** A window's size and theme; `isSeen`: what the page shows was checked in another one. */
type Look = readonly [size: Size, scheme: Scheme, isSeen: boolean]

/** Of the checker. What was seen may lack only room. */
async function findingsOn(page: Page, isSeen: boolean) {
  if (!isSeen) return findings(page)
  return (await scrolls(page)) ? findings(page, overflowRules) : []
}

/** What is wrong with the page that is shown. */
async function faultsOn(page: Page, [, colorScheme, isSeen]: Look): Promise<string[]> {
  const theme = await themeOf(page)
  const height = await page.evaluate<number>('document.documentElement.scrollHeight / innerHeight')
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
  return [
    ...(await findingsOn(page, isSeen)).map((finding) => JSON.stringify(finding)),
    ...(theme === colorScheme ? [] : [`${theme} where ${colorScheme} is wanted`]),
    ...(await contradictions(page)),
    ...(await smallTargets(page)).map((control) => `small: ${control}`),
    ...(await coveredControls(page)).map((controls) => `covered: ${controls}`),
    ...(await shownKeys(page)).map((key) => `text missing: ${key}`),
    ...(isWide ? ['wider than the window'] : []),
    ...(height > screensMax ? [`${height.toFixed(1)} screens high`] : []),
  ]
}

interface Opening {
  path: string
  visit: Visit
  looks: readonly [Look, ...Look[]]
}

/** Opens a page with the first look and returns everything that is wrong with it in all of them. */
async function faultsOf(window: Window, { path, visit, looks: [first, ...others] }: Opening) {
  const { page, complaints, foreignRequests } = window
  complaints.length = 0
  const faults: string[] = []
  const check = async (look: Look) => {
    const found = await faultsOn(page, look)
    faults.push(...found.map((fault) => `${look[0]}, ${look[1]}: ${fault}`))
  }
  await show(window, first)
  await visit(window, path)
  await check(first)
  if (visit === firstVisit) faults.push(...(await repeatedShifts(window, path)))
  for (const look of others) {
    const [size, scheme] = look
    await show(window, look)
    const isShown = async () => (await themeOf(page)) === scheme && (await isSettled(page))
    await eventually(isShown, `${path} is there on a ${size} and ${scheme}`)
    await check(look)
  }
  return [
    ...faults,
    ...complaints.map((text) => `console: ${text}`),
    ...foreignRequests.map((url) => `foreign: ${url}`),
  ]
}

/** The first page's theme: a guest has the other one than the owner on the same size. */
const turns = { desktop: 0, tablet: 0, phone: 1 }
const themes = ['dark', 'light'] as const

interface Walk {
  paths: readonly string[]
  /** Sizes of a page, by its place; it is opened on the first. */
  sizesOf: (at: number) => readonly [Size, ...Size[]]
  /** Sizes that show only what another one shows. */
  seen: readonly Size[]
  visit?: Visit
  firstTheme?: number
}

/** All pages that have faults, with these. */
async function walk(
  window: Window,
  { paths, sizesOf, seen, visit = firstVisit, firstTheme = 0 }: Walk,
) {
  const faults: Record<string, string[]> = {}
  for (const [at, path] of paths.entries()) {
    const themeAt = (size: Size) => themes[(at + firstTheme + turns[size]) % 2] ?? 'dark'
    const lookOf = (size: Size): Look => [size, themeAt(size), seen.includes(size)]
    const [first, ...others] = sizesOf(at)
    const looks = [lookOf(first), ...others.map(lookOf)] as const
    const found = await faultsOf(window, { path, visit, looks })
    if (found.length > 0) faults[path] = found
  }
  await window.page.context().close()
  return faults
}

/** A window with a session of its own: tokens rotate while a page is used. */
const windowOf = async (visitor: Visitor) =>
  openWindow(await signedIn(browser, { larder: demo, owner: visitor }))

testFilledDemo(() => ({ demo, owner }))

test('the owner', async () => {
  const paths = [...open, ...forAccounts, ...settings]
  const window = await windowOf(await demo.owner())
  const sizesOf: Walk['sizesOf'] = () => ['phone', 'tablet', 'desktop']
  expect(await walk(window, { paths, sizesOf, seen: ['tablet'] })).toEqual({})
})

test('a user', async () => {
  const place = { url: demo.url, dataPath: join(demo.root, 'data') }
  const window = await windowOf(await signInElsewhere(place, { username: 'anna', password }))
  const paths = [...open, ...forAccounts, '/settings/password']
  const sizesOf = (at: number) => ['desktop', at % 2 === 0 ? 'phone' : 'tablet'] as const
  const seen = ['phone', 'tablet'] as const
  const faults = await walk(window, { paths, sizesOf, seen, visit: nextVisit, firstTheme: 1 })
  expect(faults).toEqual({})
})

test.each(['phone', 'desktop'] as const)('a guest who comes on a %s', async (first) => {
  const own = first === 'phone' ? (['phone', 'tablet'] as const) : (['desktop'] as const)
  const window = await openWindow(await browser.newContext({ locale: 'en-GB' }))
  const { page, complaints } = window
  await page.goto(demo.url)
  // The first control: most visitors of a party have no account.
  const enter = page.getByRole('button', { name: en['signIn.guest'] })
  for (const size of own.toReversed()) {
    await show(window, [size, 'light'])
    await enter.waitFor()
    expect(await page.locator('button, input').first().innerText()).toBe(en['signIn.guest'])
    expect(await findings(page)).toEqual([])
  }
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
  const sizesOf = () => own
  const faults = await walk(window, { paths: open, sizesOf, seen: ['tablet'], firstTheme: 1 })
  expect(faults).toEqual({})
})

test('drawers and the palette do not move the page, tabs have no scroll bar, pencils have focus and stay open', async () => {
  const barred = await launchBrowser({ showsScrollBars: true })
  const owned = { larder: demo, owner: await demo.owner() }
  const { page } = await watchedPage(await signedIn(barred, owned), demo.url)
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
  await page.keyboard.type('Attic')
  // Sorts the rows anew: the traffic does so at any time.
  const stats = /\/api\/stats\/clients/
  await page.route(stats, async (route) => {
    const answer = await route.fetch()
    // Form given by the contract.
    const clients = (await answer.json()) as { totalBytes: number }[]
    const json = clients.map((one, at) => {
      const totalBytes = clients.at(-1 - at)?.totalBytes
      return { ...one, totalBytes, totalCacheHitBytes: totalBytes, totalCacheMissBytes: 0 }
    })
    await route.fulfill({ response: answer, json })
  })
  const first = page.locator('[role="row"][data-index="0"]')
  const name = await first.locator('a').first().innerText()
  for (const _answer of [1, 2]) await page.waitForResponse(stats)
  expect(await page.locator('[popover]:popover-open input').inputValue()).toEndWith('Attic')
  await page.keyboard.press('Escape')
  await eventually(async () => !(await first.innerText()).includes(name), 'rows are sorted anew')
  await page.unrouteAll({ behavior: 'wait' })
})

testEndOfDemo(() => ({ demo, owner }))
