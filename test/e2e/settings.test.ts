import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import manifest from '../../package.json'
import type { Visitor } from '../../src/demo/visitor.ts'
import { connectNode } from '../../src/nodes/client.ts'
import { Larder } from '../lab/larder.ts'
import { quietLog } from '../support/quiet-log.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { followReady } from './accessible.ts'
import { copyDashboard, follow, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { ownWindow, signInElsewhere, signedIn } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const root = tempFolder('settings')
const ocean = `[meta]
name = "Ocean"
id = "ocean"
[colors]
primaryColor = "#4fb3ff"
bgPrimary = "#061826"
bgSecondary = "#0b2438"
textPrimary = "#e6f2fb"
[css]
content = "body { opacity: 0.1 }"
`
let larder: Larder
let browser: Browser
let visitor: Visitor
let owner: WatchedPage
let guest: WatchedPage

beforeAll(async () => {
  larder = await Larder.startIn(root, { WEB_PATH: copyDashboard(root) })
  visitor = await larder.firstSignIn()
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, { larder }), larder.url)
  guest = await watchedPage(await browser.newContext({ locale: 'en-GB' }), larder.url)
})

afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
})

const styleOf = (page: WatchedPage['page'], element: string, name: string) =>
  page.evaluate(`getComputedStyle(document.${element}).${name}`)

async function appearance(page: WatchedPage['page']) {
  const html = page.locator('html')
  return {
    theme: await html.getAttribute('data-theme'),
    corners: await html.getAttribute('data-corners'),
    ground: await styleOf(page, 'documentElement', 'backgroundColor'),
  }
}

test('several grants at once abort no request that renews the session of a guest', async () => {
  const { page } = guest
  const [aborted, answered]: [string[], string[]] = [[], []]
  page.on('requestfailed', (request) => void aborted.push(request.url()))
  page.on('response', (response) => void answered.push(response.url()))
  await page.goto(`${larder.url}/settings/preferences`)
  await page.getByRole('button', { name: en['signIn.guest'] }).click()
  await page.getByText(en['live.live'], { exact: true }).first().waitFor()
  const { sessions } = await visitor.read<{ sessions: { id: string; sessionType: string }[] }>(
    '/api/sessions',
  )
  const id = sessions.find(({ sessionType }) => sessionType === 'guest')?.id
  const isStatus = (url: string) => url.endsWith('/api/auth/status')
  answered.splice(0)
  for (const enabled of [true, false, true]) {
    await Promise.all(
      ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((platform) =>
        visitor.write('POST', `/api/auth/guest/prefill/toggle/${id}?service=${platform}`, {
          enabled,
        }),
      ),
    )
  }
  await eventually(
    () => [...answered, ...aborted].filter(isStatus).length >= 2,
    'the page has asked for its rights',
  )
  expect(aborted.filter(isStatus)).toEqual([])
})

test("the owner's changes to a guest apply at once, including ending the session", async () => {
  const { page } = guest
  await page.goto(`${larder.url}/settings/preferences`)
  await page.getByText(en['guest.badge'], { exact: true }).first().waitFor()
  expect(await page.getByRole('link', { name: en['nav.clients'] }).count()).toBe(0)

  await follow(owner.page, `${larder.url}/settings/sessions?type=guest`)
  await owner.page.locator('[role="row"][data-index]').first().click()
  await owner.page.getByRole('switch', { name: en['prefs.sharp'] }).click()
  await owner.page.getByLabel(en['prefs.theme']).selectOption('light-default')
  await eventually(async () => {
    const { theme, corners } = await appearance(page)
    return theme === 'light' && corners === 'sharp'
  }, 'the appearance of the guest has changed')
  await owner.picture('settings-session')

  for (const step of ['asks', 'does']) {
    const end = owner.page.getByRole('button', { name: en['sessions.revoke'] })
    expect(`${step} ${await end.count()}`).toBe(`${step} 1`)
    await end.click()
  }
  await page.getByText(en['ended.revoked']).waitFor()
  expect(page.url()).toBe(`${larder.url}/settings/preferences`)
  await guest.picture('settings-session-ended')
})

test("a theme is refused with the error's location, or applied before any script", async () => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/themes`)
  const choose = (name: string, text: string) =>
    page
      .locator('input[type="file"]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  await choose('faulty.toml', ocean.replace('#061826', 'url(//example.org)'))
  await page.getByText(/colors\.bgPrimary is not a colour · line 6/).waitFor()
  expect(await page.getByRole('button', { name: en['themes.store'] }).count()).toBe(0)

  await choose('ocean.toml', ocean)
  await page.getByRole('button', { name: en['themes.store'] }).click()
  const card = page.locator('li', { hasText: 'Ocean' })
  await card.getByRole('button', { name: en['themes.use'], exact: true }).click()
  await eventually(async () => (await appearance(page)).ground === 'rgb(6, 24, 38)', 'it is used')
  expect(await styleOf(page, 'body', 'opacity')).toBe('1')
  await owner.picture('settings-theme')

  await page.route(/\/assets\/main-/, () => {})
  await page.goto(larder.url, { waitUntil: 'commit' })
  await eventually(
    async () => (await appearance(page)).ground === 'rgb(6, 24, 38)',
    'it is there early',
  )
  // The text about scripts that are not found is hidden for some seconds.
  expect(await page.locator('#root > :not(p)').count()).toBe(0)
  expect(await page.locator('#root > p').first().isVisible()).toBe(false)
  await page.unroute(/\/assets\/main-/)
})

test('links to the settings keep their places when the lines below them are known', async () => {
  const { page } = owner
  const late = Promise.withResolvers<void>()
  const states = /\/api\/(accounts|sessions|auth\/guest\/config)(\?|$)/
  await page.route(states, async (route) => {
    await late.promise
    await route.continue()
  })
  await page.goto(`${larder.url}/settings`)
  const links = page.locator('main li a')
  const places = () => links.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
  await links.last().waitFor()
  const before = await places()
  late.resolve()
  await links.filter({ hasText: '1 account' }).waitFor()
  await links.filter({ hasText: /Open, \d+ hours/ }).waitFor()
  expect(await places()).toEqual(before)
  await page.unroute(states)
})

test('defaults for new guests are chosen in the settings and apply immediately', async () => {
  const { page } = owner
  await page.goto(`${larder.url}/settings/guests`)
  const clock = page.getByLabel(en['guests.clock'])
  await page.getByLabel(en['guests.rate'], { exact: true }).selectOption('SLOW')
  await eventually(() => clock.isEnabled(), 'the rate is saved')
  await clock.selectOption('utc')
  const local12 = page.getByRole('checkbox', { name: en['clock.local-12h'] })
  await local12.click()
  await eventually(async () => !(await local12.isChecked()), 'the format is gone')
  await page.getByRole('switch', { name: en['guests.sharp'] }).click()
  const lock = page.getByRole('switch', { name: en['guests.rateLock'] })
  await lock.click()
  await eventually(
    async () => (await lock.getAttribute('aria-checked')) === 'false',
    'guests can choose their own rate',
  )
  await owner.picture('settings-guests')

  const context = await browser.newContext({ locale: 'en-GB' })
  const fresh = await watchedPage(context, larder.url)
  await fresh.page.goto(`${larder.url}/settings/preferences`)
  await fresh.page.getByRole('button', { name: en['signIn.guest'] }).click()
  const rate = fresh.page.getByLabel(en['prefs.rate'], { exact: true })
  await eventually(() => rate.isEnabled(), 'the guest may choose a rate')
  await eventually(
    async () => (await rate.locator('option').first().innerText()).includes(en['rate.SLOW']),
    'the default of guests is known',
  )
  const formats = fresh.page.getByLabel(en['prefs.clock'])
  expect(await formats.inputValue()).toBe('utc')
  await eventually(async () => (await formats.locator('option').count()) === 4, 'four formats')
  expect((await appearance(fresh.page)).corners).toBe('sharp')

  await lock.click()
  await eventually(() => rate.isDisabled(), 'the guest is held to the rate')
  await local12.click()
  await eventually(async () => (await formats.locator('option').count()) === 5, 'five formats')
  await fresh.picture('settings-guest-preferences')
  expect(fresh.complaints.filter((text) => !text.includes('401'))).toEqual([])
  await context.close()
})

test('the default refresh rate is saved on the preferences page', async () => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/preferences`)
  await page.getByLabel(en['prefs.hostRate']).selectOption('RELAXED')
  const first = page.getByLabel(en['prefs.rate'], { exact: true }).locator('option').first()
  await eventually(
    async () => (await first.innerText()).includes(en['rate.RELAXED']),
    'the default of this session follows',
  )
  await page.reload()
  expect(await page.getByLabel(en['prefs.hostRate']).inputValue()).toBe('RELAXED')
  await owner.picture('settings-preferences')
})

test('a service runs by a calendar, whose next runs are shown before it is saved', async () => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/schedules`)
  const name = en['schedules.operationHistoryCleanup']
  const row = page
    .locator('div', { hasText: name })
    .filter({ has: page.getByRole('button') })
    .last()
  await row.getByRole('button', { name: en['schedules.options'] }).click()
  await page.getByLabel(en['schedules.days']).selectOption('weekly')
  await page.getByLabel(en['schedules.zone']).fill('Nowhere/Land')
  await page.getByText(/^timeZoneId: /).waitFor()
  const save = page.getByRole('button', { name: en['schedules.saveCalendar'] })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel(en['schedules.zone']).fill('Europe/Berlin')
  await page.getByText(/^Next runs in your time zone: .+ · .+ · .+/).waitFor()
  await owner.picture('schedule-options')
  await save.click()
  await page.getByText('0 4 * * 1 Europe/Berlin').waitFor()
  await page.getByLabel(en['schedules.notify']).selectOption('silent')
  await page.reload()
  await page.getByText('0 4 * * 1 Europe/Berlin').waitFor()
  await row.getByRole('button', { name: en['schedules.options'] }).click()
  const mode = page.getByLabel(en['schedules.notify'])
  await eventually(async () => (await mode.inputValue()) === 'silent', 'the mode is stored')
  await page.getByRole('button', { name: en['schedules.useInterval'] }).click()
  await eventually(
    async () => (await page.getByText('0 4 * * 1 Europe/Berlin').count()) === 0,
    'the interval is used again',
  )
})

test('a user learns which page is for admins, and is not asked to sign in again', async () => {
  const account = { username: 'user', password: 'Browser-Test-2026' }
  await visitor.write('POST', '/api/accounts', { ...account, role: 'user' })
  const user = await signInElsewhere(larder, account)
  const context = await signedIn(browser, { larder, owner: user })
  const { page } = await watchedPage(context, larder.url)
  await page.goto(`${larder.url}/settings/widgets`)
  await page.getByText(en['settings.adminOnly'], { exact: true }).waitFor()
  await page.getByText(en['settings.adminOnlyText']).waitFor()
  // Once signed in, a bookmark of the sign-in page leads to the overview.
  await page.goto(`${larder.url}/sign-in`)
  await page.waitForURL((url) => url.pathname === '/')
  await page.getByRole('heading', { name: en['nav.overview'] }).waitFor()
})

test('a node joins with the command of its page, and is renamed, revoked and removed there', async () => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/nodes`)
  await page.getByRole('button', { name: en['nodes.add'] }).click()
  await page.getByLabel(en['nodes.name']).fill('nas')
  await page.getByRole('button', { name: en['nodes.create'] }).click()
  const command = await page.getByLabel(en['nodes.command']).innerText()
  expect(command).toContain(`Node__Service=${larder.url}`)
  const node = connectNode({
    dataPath: join(root, 'node'),
    serviceUrl: larder.url,
    token: /larder_n_[\w-]+/.exec(command)?.[0] ?? '',
    log: quietLog,
    onConnect: () => {},
  })
  await page.getByText(/^Connected · .* · 127\.0\.0\.1$/).waitFor()
  await owner.picture('nodes-join')
  await page.getByRole('button', { name: en['nodes.noted'] }).click()
  await page.getByRole('button', { name: en['action.rename'] }).click()
  await page.getByLabel(en['nodes.name']).fill('attic')
  await page.getByRole('button', { name: en['action.rename'] }).click()
  await page.getByText('attic', { exact: true }).waitFor()
  await owner.picture('nodes')
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await owner.picture('nodes-phone')
  if (wide !== null) await page.setViewportSize(wide)
  const confirm = async (label: string) => {
    const button = page.getByRole('button', { name: label, exact: true })
    await button.click()
    await button.click()
  }
  await confirm(en['nodes.revoke'])
  await page.getByText(`${en['nodes.state.revoked']} ·`).waitFor()
  await eventually(() => node.problem() === 'The node was revoked', 'the node knows it')
  node.stop()
  await confirm(en['nodes.remove'])
  await page.getByText(en['nodes.none'], { exact: true }).waitFor()
})

test('the page of the version says what runs, what has changed, and under which licences', async () => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/version`)
  await page.getByText(manifest.version, { exact: true }).waitFor()
  const changelog = await Bun.file(join(import.meta.dir, '../../CHANGELOG.md')).text()
  const entries = changelog.split('\n').filter((line) => line.startsWith('- '))
  const shown = page.locator('main li')
  await shown.first().waitFor()
  const more = page.getByRole('button', { name: /^Show all/ })
  while ((await more.count()) > 0) await more.first().click()
  await eventually(async () => (await shown.count()) === entries.length, 'all entries are shown')
  for (const name of ['version.licences', 'version.dashboardLicences'] as const) {
    const link = await page.getByRole('link', { name: en[name] }).getAttribute('href')
    const answer = await page.request.get(`${larder.url}${link}`)
    expect(await answer.text()).toContain('MIT')
  }
  expect(owner.foreignRequests).toEqual([])
})

test.each([
  ['utc', '21:05', '21:30'],
  ['server-12h', '09:05 PM', '9:30 pm'],
] as const)('a range is typed as the clock %s shows it', async (clock, shown, typed) => {
  const { page } = owner
  await follow(page, `${larder.url}/settings/preferences`)
  await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/clock') && answer.ok()),
    page.getByLabel(en['prefs.clock'], { exact: true }).selectOption(clock),
  ])
  const at = (time: string) => Date.parse(`2026-03-14T${time}:00Z`) / 1000
  await follow(page, `${larder.url}/?start=${at('21:05')}&end=${at('23:00')}`)
  await page.getByRole('button', { name: new RegExp(`^${en['range.label']}`) }).click()
  const field = (label: string) =>
    page.getByLabel(fill(en['time.timeOf'], { label }), { exact: true })
  expect((await field(en['range.from']).inputValue()).toUpperCase()).toBe(shown)
  await field(en['range.to']).fill(typed)
  await page.getByRole('button', { name: en['range.apply'] }).click()
  await eventually(() => page.url().includes(`end=${at('21:30')}`), 'the typed time is in the URL')
})

test('in German, a small phone has room for selects and for names without a space', async () => {
  const name = 'N'.repeat(90)
  const rule = { name, condition: 'unusedFor', days: 9 }
  await visitor.write('POST', '/api/ext/retention/rules', rule)
  const phone = { locale: 'de-DE', viewport: { width: 360, height: 740 } }
  const { page } = await watchedPage(await ownWindow(browser, { larder }, phone), larder.url)
  await page.goto(larder.url)
  for (const path of ['/settings/preferences', '/prefill/schedules', '/cache/retention']) {
    await followReady(page, larder.url + path)
    // A name is there before its width is compared.
    if (path === '/cache/retention') await page.getByText(name).waitFor()
    const over = await page.evaluate<string[]>(`
      [...document.querySelectorAll('main .card')].filter((card) => card.scrollWidth > card.clientWidth)
        .map((card) => card.innerText)`)
    expect({ path, over }).toEqual({ path, over: [] })
  }
})

test('no errors in the console', () => {
  expect(
    [...owner.complaints, ...guest.complaints].filter((text) => !text.includes('401')),
  ).toEqual([])
  expect([...owner.foreignRequests, ...guest.foreignRequests]).toEqual([])
})
