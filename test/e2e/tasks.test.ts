/** What people come for, from the overview in a few clicks; typing is free. */
import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { notificationServer } from '../support/notification-server.ts'
import { findings } from './accessible.ts'
import { Hand } from './hand.ts'
import { follow, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

let fixture: ServiceFixture
let watched: WatchedPage
let page: Page
let hand: Hand

beforeAll(async () => {
  fixture = await openServiceFixture()
  watched = await watchedPage(await ownWindow(await launchBrowser(), fixture), fixture.larder.url)
  page = watched.page
})

beforeEach(async () => {
  await page.keyboard.press('Escape')
  await follow(page, `${fixture.larder.url}/`)
  await page.getByText(en['lead.saved']).first().waitFor()
  hand = new Hand(page)
})

const click = (target: Locator) => hand.click(target)
const choose = (target: Locator, value: string) => hand.choose(target, value)
const type = (text: string, first: string) => hand.type(text, first)

const button = (name: string | RegExp) => page.getByRole('button', { name })

const main = () => page.locator('main')
const mainLink = (name: string) =>
  main().getByRole('link', { name, exact: true }).filter({ visible: true })

/** Two clicks to a page of the settings. */
async function openSetting(name: string): Promise<void> {
  // The page before it may have a link with the same words.
  await hand.openPage(en['nav.settings'])
  await click(main().getByRole('link', { name: new RegExp(`^${name}`) }))
}

const pathIs = (path: string) => page.waitForURL((url) => url.pathname === path)

test('a nightly schedule: four clicks', async () => {
  await openSetting(en['settings.schedules'])
  const row = page
    .locator('[data-entry]', { hasText: en['job.backup'] })
    .filter({ has: page.getByRole('button') })
  await click(row.getByRole('button', { name: en['schedules.options'] }))
  await click(button(en['schedules.saveCalendar']))
  await row.getByText(/^.*\d \d+ \* \* \* .*$/).waitFor()
  expect(hand.clicks).toBeLessThanOrEqual(4)
})

test('a nightly prefill: four clicks', async () => {
  await type('nightly', en['prefill.tabSchedules'])
  await pathIs('/prefill/schedules')
  await click(button(`${en['prefill.edit']} Battle.net`))
  const group = page.getByRole('group', { name: 'Battle.net', exact: true })
  await click(group.getByRole('button', { name: en['schedules.calendar'] }))
  await click(group.getByRole('button', { name: en['schedules.saveCalendar'] }))
  await group.getByRole('button', { name: en['schedules.useInterval'] }).waitFor()
  await click(
    page.getByRole('switch', {
      name: en['prefill.scheduleOf'].replace('{platform}', 'Battle.net'),
    }),
  )
  await eventually(async () => {
    type Held = { platform: string; enabled: boolean; customSchedule: object | null }
    const all = await fixture.owner.read<Held[]>('/api/ext/prefill/schedules')
    return all.some((one) => one.platform === 'gamma' && one.enabled && one.customSchedule !== null)
  }, 'it runs by the calendar')
  expect(hand.clicks).toBeLessThanOrEqual(4)
})

test('a target of ntfy: four clicks', async () => {
  const server = notificationServer()
  await openSetting(en['settings.notifications'])
  await click(button(en['notify.add']))
  const panel = page.getByRole('dialog')
  await choose(panel.getByLabel(en['notify.sendTo']), 'ntfy')
  await panel.getByLabel(en['notify.name'], { exact: true }).fill('Phone')
  await panel.getByLabel(en['notify.field.url']).fill(`${server.url}/topic`)
  await page.keyboard.press('Enter')
  await page.getByText('Phone', { exact: true }).first().waitFor()
  await panel.waitFor({ state: 'detached' })
  expect(hand.clicks).toBeLessThanOrEqual(4)
})

test('naming a depot: three clicks, or none', async () => {
  await hand.openPage(en['nav.cache'])
  await click(mainLink(en['cache.tabUnnamed']))
  const field = page.getByRole('textbox', { name: /^Name of/ }).first()
  await click(field)
  await page.keyboard.type('First Game')
  await page.keyboard.press('Enter')
  await page.getByText(en['unnamed.named'].replace('{name}', 'First Game')).waitFor()
  expect(hand.clicks).toBeLessThanOrEqual(3)

  await type('name depot 571', 'Name depot 571')
  await pathIs('/cache/unnamed')
  await page.locator('main input:focus').waitFor()
  await page.keyboard.type('Second Game')
  await page.keyboard.press('Enter')
  await page.getByText(en['unnamed.named'].replace('{name}', 'Second Game')).waitFor()
})

test('images, memory and all schedules have their control: three clicks at most', async () => {
  await type('discard images', en['settings.integrations'])
  await click(button(en['images.clear']))
  // It is answered when the new images are there, or have not come for a minute.
  await Promise.all([
    page.waitForRequest((request) => request.method() === 'DELETE'),
    click(button(en['images.clear'])),
  ])
  expect(hand.clicks).toBeLessThanOrEqual(3)

  hand.clicks = 0
  await type('RAM', en['settings.version'])
  await click(button(en['memory.collect']))
  await page.getByText(/^In use: .+ before, .+ now$/).waitFor()
  expect(hand.clicks).toBeLessThanOrEqual(3)
  await watched.picture('settings-version')

  hand.clicks = 0
  await type('run now', en['settings.schedules'])
  await pathIs('/settings/schedules')
  await click(button(en['schedules.runAll']))
  await page.getByText(/^\d+ runs started$/).waitFor()
  expect(hand.clicks).toBeLessThanOrEqual(3)
  await watched.picture('settings-schedules')
})

test('figures of yesterday, a client by its address, and what can be done with a game: no click', async () => {
  await type('yesterday', en['palette.yesterday'])
  await page.waitForURL((url) => url.searchParams.has('start') && url.searchParams.has('end'))
  const { searchParams } = new URL(page.url())
  expect(Number(searchParams.get('end')) - Number(searchParams.get('start'))).toBe(86_400)

  await type('client 192.168.77.21', 'Client 192.168.77.21')
  await pathIs('/clients/192.168.77.21')

  const query = 'GroupByGame=true&Sort=largest&PageSize=100'
  const { items } = await fixture.owner.read<{ items: { appName: string; service: string }[] }>(
    `/api/downloads/retro?${query}`,
  )
  const game = items.find(({ service }) => service === 'blizzard')?.appName ?? 'no game'
  await type(`remove ${game.toLowerCase()}`, `Remove ${game}`)
  await pathIs('/cache/games')
  expect(new URL(page.url()).searchParams.get('search')).toBe(game)

  await type(`prefill ${game.toLowerCase()}`, `Prefill ${game}`)
  await pathIs('/prefill')
  expect(new URL(page.url()).searchParams.get('search')).toBe(game)
  expect(new URL(page.url()).searchParams.get('platform')).toBe('gamma')
  expect(hand.clicks).toBe(0)
})

test('allowing the check for updates, and what it found: two clicks', async () => {
  const site = Bun.serve({ port: 0, fetch: () => Response.json({ tag_name: 'v99.0.0' }) })
  atEnd(() => site.stop(true))
  await type('update notice', en['updates.allowed'])
  await page.getByRole('textbox', { name: en['updates.address'] }).fill(site.url.href)
  await page.keyboard.press('Enter')
  const allow = page.getByRole('switch', { name: en['updates.allowed'] })
  await eventually(() => allow.isEnabled(), 'the address is stored')
  await click(allow)
  await click(button(en['updates.check']))
  await page.getByText(/^Version 99\.0\.0 is available/).waitFor()
  expect(hand.clicks).toBe(2)
})

test('a job that does not react to its cancellation: two clicks', async () => {
  type Jobs = { status: string; finishedAt: string | null }[]
  await fixture.owner.write('GET', '/api/cache/size?force=true')
  await page.route('**/api/ext/operations?*', async (route) => {
    const answer = await route.fetch()
    // The schema of the endpoint.
    const overview = (await answer.json()) as { running: Jobs; recent: Jobs }
    const hanging = [...overview.running, ...overview.recent].slice(0, 1)
    const running = hanging.map((one) => ({ ...one, status: 'cancelling', finishedAt: null }))
    await route.fulfill({ response: answer, json: { ...overview, running, recent: [] } })
  })
  const kills: string[] = []
  await page.route('**/force-kill', async (route) => {
    kills.push(route.request().method())
    await route.fulfill({ json: {} })
  })
  await follow(page, `${fixture.larder.url}/operations`)
  await click(button(en['operations.kill']))
  await page.getByText(en['operations.killText']).waitFor()
  await click(button(en['operations.kill']))
  await eventually(() => kills.length === 1, 'the job is stopped by force')
  expect(kills).toEqual(['POST'])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test("a client's kind of device and name: three clicks", async () => {
  await hand.openPage(en['nav.clients'])
  await click(main().locator('[aria-haspopup=dialog]:has(svg.lucide-pencil)'))
  const panel = page.locator('[popover]:popover-open')
  await choose(panel.getByRole('combobox'), 'console')
  await panel.getByRole('textbox').fill('Living room')
  await page.keyboard.press('Enter')
  await mainLink('Living room').first().waitFor()
  await main().locator('[data-device=console]').waitFor()
  expect(hand.clicks).toBe(3)
})

test('a client that statistics leave out: three clicks', async () => {
  await hand.openPage(en['nav.clients'])
  await click(main().locator('[role=row] a[href^="/clients/"]'))
  await page.waitForURL(/clients\/./)
  const ip = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  await choose(main().locator('select:has([value=exclude])'), 'exclude')
  await eventually(async () => {
    const query = '/api/stats/clients?limit=100'
    const clients = await fixture.owner.read<{ clientIp: string }[]>(query)
    return clients.length > 0 && clients.every(({ clientIp }) => clientIp !== ip)
  }, 'it is in no list')
  expect(hand.clicks).toBe(3)
})

test('the downloads of thirty days as a file: five clicks', async () => {
  await hand.openPage(en['nav.downloads'])
  await click(button(new RegExp(`^${en['range.label']}`)))
  await click(button(en['range.span.30d']))
  await page.waitForURL(/range=30d/)
  await click(button(en['export.label']))
  const file = page.waitForEvent('download')
  await click(page.getByRole('link', { name: 'CSV' }))
  const lines = (await Bun.file(await (await file).path()).text()).trim().split('\n')
  const query = '/api/downloads/retro?PageSize=1'
  const { totalItems } = await fixture.owner.read<{ totalItems: number }>(query)
  expect(lines.length).toBe(totalItems + 1)
  expect(hand.clicks).toBe(5)
})

test('days of the calendar: three clicks', async () => {
  await click(button(new RegExp(`^${en['range.label']}`)))
  const days = (name: string) => page.getByRole('group', { name }).getByRole('button')
  await days(en['range.chooseFirst']).first().waitFor()
  expect(await findings(page)).toEqual([])
  await click(days(en['range.chooseFirst']).and(page.locator('[aria-current=date]')))
  await click(days(en['range.chooseLast']))
  await page.waitForURL((url) => url.searchParams.has('start'))
  const { searchParams } = new URL(page.url())
  const [start = 0, end = 0] = ['start', 'end'].map((name) => Number(searchParams.get(name)))
  expect(end - start).toBeGreaterThan(22 * 3600)
  expect(hand.clicks).toBe(3)
})

test('an event for a weekend: one click', async () => {
  await type('create event', en['palette.newEvent'])
  const panel = page.getByRole('dialog')
  await panel.getByLabel(en['events.name'], { exact: true }).fill('Weekend')
  for (const [part, day] of [
    [en['events.start'], '12/12/2026'],
    [en['events.end'], '13/12/2026'],
  ] as const) {
    await panel.getByLabel(en['time.dayOf'].replace('{label}', part), { exact: true }).fill(day)
  }
  await click(panel.getByRole('button', { name: en['events.create'] }))
  await panel.waitFor({ state: 'detached' })
  const [event] = await fixture.owner.read<{ name: string; startTimeUtc: string }[]>('/api/events')
  expect(event?.name).toBe('Weekend')
  expect(event?.startTimeUtc).toStartWith('2026-12-12')
  expect(hand.clicks).toBe(1)
})

test('a scan of all cache files for damage: three clicks', async () => {
  await hand.openPage(en['nav.cache'])
  await click(mainLink(en['integrity.title']))
  await click(button(en['corruption.startCheck']))
  await page.getByText(en['corruption.started']).waitFor()
  expect(hand.clicks).toBe(3)
})

test('clearing the cache: three clicks and the words that confirm it', async () => {
  await hand.openPage(en['nav.cache'])
  await click(button(en['clear.all']))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(en['clear.word'])
  await click(dialog.getByRole('button', { name: en['clear.all'] }))
  await page.getByRole('dialog', { name: en['nav.operations'] }).waitFor()
  expect(hand.clicks).toBe(3)
})

test('another theme: three clicks, or none', async () => {
  const shown = () => page.locator('html').getAttribute('data-theme')
  await openSetting(en['settings.themes'])
  const theme = main()
    .getByRole('listitem')
    .filter({ has: page.getByText(en['theme.light'], { exact: true }) })
  await click(theme.getByRole('button', { name: en['themes.use'] }))
  await eventually(async () => (await shown()) === 'light', 'the page is light')
  expect(hand.clicks).toBe(3)
  await type('dark', en['palette.dark'])
  await eventually(async () => (await shown()) === 'dark', 'the page is dark')
})

test('no more guests: three clicks', async () => {
  await openSetting(en['settings.guests'])
  await click(page.getByRole('switch', { name: en['guests.access'] }))
  await page.getByText(en['guests.wasLocked']).waitFor()
  expect(hand.clicks).toBe(3)
})

test('metrics that need a key: three clicks', async () => {
  const open = async () => (await fetch(`${fixture.larder.url}/metrics`)).status
  expect(await open()).toBe(200)
  await openSetting(en['settings.metrics'])
  await click(page.getByRole('switch', { name: en['metrics.key'] }))
  await eventually(async () => (await open()) === 401, 'a key is needed')
  expect(hand.clicks).toBe(3)
})

test('an overview without a card: two clicks', async () => {
  await click(button(new RegExp(`^${en['arrange.label']}`)))
  const panel = page.getByRole('dialog', { name: en['arrange.label'] })
  await click(panel.getByLabel(en['hours.title'], { exact: true }))
  await page.getByRole('heading', { name: en['hours.title'] }).waitFor({ state: 'detached' })
  expect(hand.clicks).toBe(2)
})

test('the lines of a download in the log: four clicks', async () => {
  await hand.openPage(en['nav.downloads'])
  await click(main().locator('[role=row] a'))
  await click(button(en['download.readLog']))
  await click(page.getByText(en['download.lines'], { exact: true }))
  await page.locator('pre').getByText('HIT').or(page.locator('pre').getByText('MISS')).waitFor()
  expect(hand.clicks).toBe(4)
})

test('a second account that signs in: three clicks', async () => {
  await openSetting(en['settings.accounts'])
  await click(button(en['accounts.add']))
  const panel = page.getByRole('dialog')
  await panel.getByLabel(en['access.username']).fill('berta')
  await panel.getByLabel(en['access.password'], { exact: true }).fill('Second-Account-2026')
  await page.keyboard.press('Enter')
  await panel.waitFor({ state: 'detached' })
  expect(hand.clicks).toBe(3)
  const key = installationKey(fixture.larder.dataPath)
  const account = { username: 'berta', password: 'Second-Account-2026' }
  await new Visitor(fixture.larder.url).signIn(key, account)
})

test('an account that must not prefill: two clicks', async () => {
  await hand.openPage(en['nav.prefill'])
  await click(mainLink(en['prefill.tabSessions']))
  await page.getByLabel(en['prefill.banName']).fill('mallory')
  await page.keyboard.press('Enter')
  await main().getByText('mallory', { exact: true }).waitFor()
  expect(hand.clicks).toBe(2)
})

test('another hour for the nightly backup: four clicks', async () => {
  await openSetting(en['settings.schedules'])
  const row = main().locator('[data-entry]', { hasText: en['job.backup'] })
  await click(row.getByRole('button', { name: en['schedules.options'] }))
  await main().getByLabel(en['schedules.time'], { exact: true }).fill('05:30')
  await click(button(en['schedules.saveCalendar']))
  await row.getByText(/30 5 \* \* \*/).waitFor()
  expect(hand.clicks).toBe(4)
})

test('what has changed in this version, and what a second cache needs: two clicks each', async () => {
  await openSetting(en['settings.version'])
  await main().getByRole('heading', { name: 'Added' }).first().waitFor()
  await openSetting(en['settings.datasources'])
  await main().getByText('LanCache__DataSources__1__CachePath=').waitFor()
  expect(hand.clicks).toBe(4)
})

// Afterwards the session is that of the snapshot.
test('restoring a snapshot: two clicks', async () => {
  await fixture.owner.write('POST', '/api/ext/backups')
  const list = () => fixture.owner.read<{ snapshots: { name: string }[] }>('/api/ext/backups')
  await eventually(async () => (await list()).snapshots.length > 0, 'the snapshot is there')
  await type('backup', en['settings.backup'])
  await click(button(en['backup.restore']))
  await click(button(en['backup.restartToFinish']))
  await page.getByText(en['backup.restoreStarted']).waitFor()
  expect(hand.clicks).toBeLessThanOrEqual(3)
})

test('nothing complained, and no request left the origin', () => {
  // An address that was typed has no downloads.
  const unexpected = watched.complaints.filter((text) => !text.endsWith('/192.168.77.21'))
  expect(unexpected).toEqual([])
  expect(watched.foreignRequests).toEqual([])
})
