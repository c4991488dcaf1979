import { beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { ScheduledPrefill } from '../../src/prefill/scheduled/stored.ts'
import type { BandwidthState } from '../../src/prefill/bandwidth/model.ts'
import { eventually } from '../support/eventually.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { findings, findingsInThemes, followReady, openReady } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { alpha, beta, epsilon } from './prefill-origins.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { de, en, fill } from './texts.ts'

const exact = (label: string) => ({ name: label, exact: true })

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage

const stops = new Map<string, () => Promise<void>>()

/** A daemon that is already there, as the setting names it. */
async function daemonOf(platform: 'alpha' | 'beta' | 'epsilon', origin: typeof alpha) {
  const environment = { PREFILL_PRACTICE_ORIGIN: origin.url }
  const { socketPath, stop } = await testDaemon({ platform, environment, cachePort: origin.port })
  stops.set(platform, stop)
  const name = `${platform.charAt(0).toUpperCase()}${platform.slice(1)}`
  return { [`Prefill__${name}__Transport`]: `unix://${socketPath}` }
}

beforeAll(async () => {
  fixture = await openServiceFixture({
    ...(await daemonOf('alpha', alpha)),
    ...(await daemonOf('beta', beta)),
    ...(await daemonOf('epsilon', epsilon)),
    Prefill__Gamma__Transport: 'tcp://127.0.0.1:1',
    Prefill__Delta__Transport: 'container',
    DOCKER_HOST: 'unix:///nowhere/engine.sock',
  })
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
})

const open = (path: string) => followReady(owner.page, fixture.larder.url + path)
const load = (path: string) => openReady(owner.page, fixture.larder.url + path)
const button = (label: string) => owner.page.getByRole('button', exact(label))
const field = (label: string) => owner.page.getByLabel(label, { exact: true })

async function startSession(platform: string): Promise<void> {
  await open(`/prefill/${platform}`)
  await button(en['prefill.start']).click()
}

async function answer(label: string, value: string): Promise<void> {
  await field(label).fill(value)
  await button(en['prefill.next']).click()
}

test('the platforms say how they are run and what is missing', async () => {
  const { page } = owner
  await open('/prefill/platforms')
  const link = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) })
  await link('Steam').getByText(en['prefill.by.outside']).waitFor()
  const gamma = { setting: 'Prefill__Gamma' }
  await link('Battle.net').getByText(fill(en['prefill.problem.refused'], gamma)).waitFor()
  await link('Riot Games').getByText(en['prefill.problem.noRuntime']).waitFor()
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('prefill')
  await link('Riot Games').click()
  await page.getByText(en['prefill.problem.noRuntime']).waitFor()
  expect(await button(en['prefill.start']).isDisabled()).toBe(true)
})

test('a session: sign in with all questions, choose, see the size, run, see the end', async () => {
  const { page } = owner
  await startSession('alpha')
  await button(en['prefill.signIn']).click()
  await answer(en['prefill.username'], 'anna')
  await answer(en['prefill.password'], 'wrong')
  await page.getByText(en['prefill.askedAgain']).waitFor()
  await owner.picture('prefill-sign-in')
  await answer(en['prefill.password'], 'right')
  await answer(en['prefill.appCode'], 'AB123')
  await page.getByText(en['prefill.ready'], { exact: true }).waitFor()

  await page.getByRole('checkbox', exact('Game 440')).click()
  await button(en['prefill.import']).click()
  await field(en['prefill.importLabel']).fill('[570, 440, 999]')
  await button(en['prefill.importAdd']).click()
  const imported = fill(en['prefill.imported'], { added: 1, already: 1, unknown: 1 })
  await page.getByText(`${imported}: 999`).waitFor()
  await page
    .getByText(fill(en['prefill.selected.other'], { count: 2 }))
    .first()
    .waitFor()
  await button(en['prefill.size']).click()
  await page.getByText(fill(en['prefill.willDownload'], { bytes: '400 kB' })).waitFor()
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('prefill-library')

  const held = Promise.withResolvers<void>()
  alpha.intercept((path) =>
    path.includes('/570/3') ? held.promise.then(() => new Response('x'.repeat(50_000))) : undefined,
  )
  await button(en['prefill.startRun']).click()
  await page.getByRole('progressbar').waitFor()
  const list = page.getByRole('list', { name: en['prefill.games'] })
  await list.getByText(en['prefill.gameDone']).waitFor()
  await owner.picture('prefill-running')
  // Another visit finds the run again.
  await load('/prefill/alpha')
  await page.getByRole('progressbar').waitFor()
  held.resolve()
  await page.getByText(new RegExp(`^${en['prefill.completed']} · .*400 kB`)).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('prefill-done')
  const paths = new Set(alpha.content.map(({ path }) => path))
  expect(paths.size).toBe(8)
})

test('a second run downloads nothing, and says why', async () => {
  const { page } = owner
  // The selection is kept, also over the reload before.
  await page
    .getByText(fill(en['prefill.selected.other'], { count: 2 }))
    .first()
    .waitFor()
  await button(en['prefill.startRun']).click()
  await page.getByText(en['prefill.nothingNew']).waitFor()
  expect(alpha.content).toHaveLength(8)
})

test('after a stop the choice of games stays', async () => {
  const all = button(en['prefill.run.All'])
  await all.click()
  const never = new Promise<never>(() => {})
  alpha.intercept((path) => (path.includes('/730/') ? never : undefined))
  await button(en['prefill.startRun']).click()
  await button(en['prefill.cancelRun']).click()
  await owner.page.getByText(new RegExp(`^${en['prefill.cancelled']}`)).waitFor()
  expect(await all.getAttribute('aria-pressed')).toBe('true')
})

test('a page to open, its answer as it was copied, and a code by e-mail', async () => {
  const { page } = owner
  await startSession('beta')
  await button(en['prefill.signIn']).click()
  const link = page.getByRole('link', exact(en['prefill.openPage']))
  expect(await link.getAttribute('href')).toBe('https://sign-in.example.test/x')
  await answer(en['prefill.authCode'], '{"authorizationCode":"abc","sid":null}')
  await page.getByText(/mail\.example\.test/).waitFor()
  await answer(en['prefill.emailCode'], 'Q7')
  await page.getByRole('checkbox', exact('Game fn')).waitFor()
})

test('a confirmation on the phone, then a code for another device', async () => {
  const { page } = owner
  await startSession('epsilon')
  await button(en['prefill.signIn']).click()
  await page.getByText('WXYZ-1234').waitFor()
  await page.getByRole('link', exact('https://device.example.test/')).waitFor()
  await owner.picture('prefill-device-code')
  epsilon.approve()
  await page.getByRole('checkbox', exact('Game fh5')).waitFor()
})

test('administrators see sessions and what they downloaded, end one, and ban', async () => {
  const { page } = owner
  await open('/prefill/sessions')
  const row = page.getByRole('listitem').filter({ hasText: 'Steam · anna' })
  await row.getByRole('button', exact(en['prefill.history'])).click()
  await row.getByRole('cell', exact('Game 570')).first().waitFor()
  await owner.picture('prefill-sessions')
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await row.getByRole('button', exact(en['prefill.ban'])).click()
  await row.getByRole('group').getByRole('button', exact(en['prefill.ban'])).click()
  await row.getByText(new RegExp(en['prefill.statusTerminated'])).waitFor()
  await page.getByText(/^anna/).waitFor()
  await button(en['prefill.lift']).click()
  await page.getByText(en['prefill.noBans']).waitFor()
  await page.evaluate("localStorage.setItem('larder.locale', 'de')")
  await load('/prefill/sessions')
  await page
    .getByText(new RegExp(`${de['prefill.statusTerminated']} · ${de['prefill.reasonBanned']}`))
    .waitFor()
  await owner.picture('prefill-sessions-german')
  await page.evaluate("localStorage.removeItem('larder.locale')")
})

/** The accounts of a platform that prefill, on the page of all sign-ins. */
const accountsOf = (platform: string) =>
  owner.page
    .getByRole('region', exact(platform))
    .getByRole('region', exact(en['platformAccounts.prefill']))

test('an account that prefills on schedules: sign in, run, stop', async () => {
  const { page } = owner
  await load('/settings/platform-accounts')
  const accounts = accountsOf('Epic Games')
  await accounts.getByRole('button', exact(en['prefill.signIn'])).click()
  // The one daemon is signed in since the test above.
  const isReady = accounts.getByText(new RegExp(`^${en['prefill.ready']}`))
  await isReady.waitFor()
  await accounts.getByRole('button', exact(en['action.signOut'])).click()
  await accounts.getByRole('button', exact(en['prefill.signIn'])).click()
  await answer(en['prefill.authCode'], 'abc')
  await answer(en['prefill.emailCode'], 'Q7')
  await isReady.waitFor()
  await accounts.getByText('berta', { exact: true }).waitFor()
  // A daemon that somebody else runs has one account.
  expect(await accounts.getByRole('button', exact(en['prefill.accountAdd'])).isDisabled()).toBe(
    true,
  )
  await owner.picture('platform-accounts')
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  // A schedule does not disturb a person's session.
  await fixture.owner.write('POST', '/api/prefill-admin/sessions/terminate-all', { force: true })
  await open('/prefill/schedules')
  const list = page.getByRole('region', exact(en['prefill.accounts']))
  await list.getByText(new RegExp(`^${en['prefill.ready']}`)).waitFor()
  await owner.picture('prefill-schedules')
  await page.getByRole('button', { name: `${en['prefill.runOne']} Epic Games` }).click()
  await page.getByText(/^Last attempt .* downloaded$/).waitFor()
  await open('/prefill/sessions')
  const session = page.getByRole('listitem').filter({ hasText: en['prefill.isPersistent'] })
  await session.getByRole('button', exact(en['prefill.history'])).click()
  const schedule = en['prefill.scheduleDefault']
  await session.getByText(fill(en['prefill.bySchedule'], { schedule })).waitFor()
  await owner.picture('prefill-history-schedule')
  await open('/settings/platform-accounts')
  await accounts.getByRole('button', exact(en['prefill.stop'])).click()
  await accounts.getByRole('group').getByRole('button', exact(en['prefill.stop'])).click()
  await accounts.getByText(en['prefill.notRunning']).waitFor()
})

test('the schedule of a platform: when, what, and a refused expression', async () => {
  const { page } = owner
  await open('/prefill/schedules')
  const toggle = page.getByRole('switch', {
    name: fill(en['prefill.scheduleOf'], { platform: 'Steam' }),
  })
  await toggle.click()
  await page.locator('[role=switch][aria-checked=true]').first().waitFor()
  await page.getByRole('button', { name: `${en['prefill.edit']} Steam` }).click()
  const editor = page.getByRole('group', exact('Steam'))
  await editor.getByRole('button', exact(en['prefill.run.Recent'])).click()
  await page.getByText(en['prefs.saved'], { exact: true }).first().waitFor()
  await editor.getByRole('checkbox', exact('Linux')).click()
  await editor.getByRole('button', exact(en['schedules.calendar'])).click()
  await editor.getByLabel(en['schedules.days']).selectOption('cron')
  await editor.getByLabel(en['schedules.expression']).fill('not a time')
  await editor.getByText(/five fields/i).waitFor()
  const use = editor.getByRole('button', exact(en['schedules.saveCalendar']))
  expect(await use.isDisabled()).toBe(true)
  await editor.getByLabel(en['schedules.expression']).fill('30 5 * * 1')
  await use.click()
  const stored = async () => {
    const path = '/api/system/schedules/scheduledPrefill/config'
    return (await fixture.owner.read<ScheduledPrefill>(path)).alpha
  }
  await eventually(
    async () => (await stored()).customSchedule?.expression === '30 5 * * 1',
    'the expression is stored',
  )
  expect(await stored()).toMatchObject({
    enabled: true,
    preset: 'Recent',
    operatingSystems: ['Windows', 'Linux'],
  })
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('prefill-schedule')
})

test('several schedules of a platform: add, rename, run, the reason of a skip, delete', async () => {
  const { page } = owner
  await open('/prefill/schedules')
  await field(en['prefill.schedulePlatform']).selectOption('epsilon')
  await field(en['prefill.scheduleName']).fill('Weekly')
  await button(en['prefill.addSchedule']).click()
  const titled = (title: string) => page.getByRole('paragraph').filter({ hasText: title })
  await titled('Xbox · Weekly').waitFor()
  await page.getByRole('button', { name: `${en['prefill.edit']} Xbox · Weekly` }).click()
  const editor = page.getByRole('group', exact('Xbox · Weekly'))
  await editor.getByLabel(en['prefill.scheduleName']).last().fill('New games')
  await editor.getByRole('button', exact(en['prefill.save'])).click()
  const renamed = titled('Xbox · New games')
  await renamed.waitFor()
  const row = renamed.locator('../..')
  await row.getByRole('switch').click()
  await row.getByText(/in 24 hr/).waitFor()
  await row.getByRole('button', { name: `${en['prefill.runOne']} Xbox · New games` }).click()
  const reason = fill(en['prefill.outcome.noSession'], { platform: 'Xbox' })
  await row.getByText(new RegExp(fill(en['prefill.resultSkipped'], { reason }))).waitFor()
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await owner.picture('prefill-named-schedules')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate("localStorage.setItem('larder.locale', 'de')")
  await load('/prefill/schedules')
  await page.getByText(/übersprungen, keine dauerhafte Sitzung für Xbox läuft/).waitFor()
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
  await owner.picture('prefill-named-schedules-phone')
  await page.evaluate("localStorage.removeItem('larder.locale')")
  await page.setViewportSize({ width: 1280, height: 800 })
  await load('/prefill/schedules')
  await page.getByRole('button', { name: `${en['prefill.edit']} Xbox · New games` }).click()
  const opened = page.getByRole('group', exact('Xbox · New games'))
  await opened.getByRole('button', exact(en['prefill.deleteSchedule'])).click()
  await opened.getByRole('group').getByRole('button', exact(en['prefill.deleteSchedule'])).click()
  await renamed.waitFor({ state: 'detached' })
})

test('the bandwidth of prefills: a limit, hours of its own, a pause', async () => {
  const { page } = owner
  await open('/prefill/schedules')
  const card = page.getByRole('region', exact(en['prefill.bandwidth']))
  await card.getByLabel(en['prefill.limit'], { exact: true }).first().selectOption('10000000')
  await card.getByText(fill(en['prefill.bandwidthNow'], { limit: '10.0 MB/s' })).waitFor()
  await card.getByLabel(en['prefill.windowStart']).fill('00:00')
  await card.getByLabel(en['prefill.windowEnd']).fill('23:59')
  await card.getByLabel(en['prefill.limit'], { exact: true }).last().selectOption('5000000')
  await card.getByRole('button', exact(en['prefill.addWindow'])).click()
  await card.getByText('00:00 – 23:59').waitFor()
  await card.getByRole('switch', exact(en['prefill.pause'])).click()
  const stored = () => fixture.owner.read<BandwidthState>('/api/ext/prefill/bandwidth')
  await eventually(async () => (await stored()).isPaused, 'the pause is stored')
  expect(await stored()).toMatchObject({
    bytesPerSecond: 10e6,
    windows: [{ start: '00:00', end: '23:59', bytesPerSecond: 5e6, isPaused: false }],
  })
  await card.getByRole('button', exact(en['prefill.removeWindow'])).click()
  await card.getByText(fill(en['prefill.bandwidthNow'], { limit: en['prefill.paused'] })).waitFor()
  await card.getByRole('switch', exact(en['prefill.pause'])).click()
  await eventually(async () => !(await stored()).isPaused, 'prefills go on')
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
})

test('a guest sees what was granted, as soon as it is', async () => {
  const context = await browser.newContext({ locale: 'en-GB' })
  const guest = await watchedPage(context, fixture.larder.url)
  await guest.page.goto(fixture.larder.url)
  await guest.page.getByRole('button', exact(en['signIn.guest'])).click()
  await guest.page.getByRole('link', exact(en['nav.games'])).waitFor()
  const entry = guest.page.getByRole('link', exact(en['nav.prefill']))
  expect(await entry.count()).toBe(0)
  const status = await context.request.get(`${fixture.larder.url}/api/auth/status`)
  // The contract's own member.
  const { sessionId } = (await status.json()) as { sessionId: string }
  const path = `/api/auth/guest/prefill/toggle/${sessionId}?service=epsilon`
  await fixture.owner.write('POST', path, { enabled: true })
  await entry.click()
  const rows = guest.page.getByRole('main').getByRole('listitem')
  await rows.filter({ hasText: 'Xbox' }).waitFor()
  expect(await rows.count()).toBe(1)
  expect(await guest.page.getByRole('link', exact(en['prefill.tabSessions'])).count()).toBe(0)
  await followReady(guest.page, `${fixture.larder.url}/prefill/alpha`)
  await guest.page.getByText(en['trouble.forbidden']).waitFor()
  expect(guest.complaints).toEqual([])
  await context.close()
})

test('a session whose daemon is lost says so wherever it is listed', async () => {
  const { page } = owner
  await open('/settings/platform-accounts')
  const accounts = accountsOf('Xbox')
  await accounts.getByRole('button', exact(en['prefill.signIn'])).click()
  await accounts.getByRole('button', exact(en['prefill.stop'])).waitFor()
  await stops.get('epsilon')?.()
  await accounts.getByText(en['prefill.reasonLost']).waitFor()
  await open('/prefill/sessions')
  const session = page.getByRole('listitem').filter({ hasText: en['prefill.isPersistent'] })
  await session.getByText(new RegExp(en['prefill.reasonLost'])).waitFor()
})

test('on a phone', async () => {
  const context = await ownWindow(browser, fixture, { viewport: { width: 390, height: 844 } })
  const phone = await watchedPage(context, fixture.larder.url)
  await openReady(phone.page, `${fixture.larder.url}/prefill`)
  await phone.picture('prefill-phone')
  await followReady(phone.page, `${fixture.larder.url}/prefill/beta`)
  await phone.picture('prefill-phone-beta')
  const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth')
  expect(width).toBe(390)
  expect(phone.complaints).toEqual([])
  await context.close()
})

test('nothing complained, and no request left the origin', () => {
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
