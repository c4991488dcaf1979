/** What people come for, from the overview in a few clicks; typing is free. */
import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { notificationServer } from '../support/notification-server.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

let fixture: ServiceFixture
let watched: WatchedPage
let page: Page
let clicks = 0

beforeAll(async () => {
  fixture = await openServiceFixture()
  watched = await watchedPage(await ownWindow(await launchBrowser(), fixture), fixture.larder.url)
  page = watched.page
})

beforeEach(async () => {
  await page.goto(fixture.larder.url)
  await page.getByText(en['lead.saved']).first().waitFor()
  clicks = 0
})

async function click(target: Locator): Promise<void> {
  clicks++
  await target.first().click()
}

/** Opening a list and choosing from it. */
async function choose(target: Locator, value: string): Promise<void> {
  clicks++
  await target.selectOption(value)
}

const button = (name: string | RegExp) => page.getByRole('button', { name })
const link = (name: string) => page.getByRole('link', { name, exact: true }).locator(':visible')

/** Types into the palette and takes what it offers first. */
async function type(text: string, first: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: en['palette.prompt'] })
  await field.fill(text)
  await page
    .getByRole('option', { selected: true })
    .filter({ hasText: new RegExp(`^${RegExp.escape(first)}`) })
    .waitFor()
  await page.keyboard.press('Enter')
}

const pathIs = (path: string) => page.waitForURL((url) => url.pathname === path)

test('a nightly schedule: four clicks', async () => {
  await click(link(en['nav.settings']))
  await click(page.locator('main').getByRole('link', { name: en['settings.schedules'] }))
  const row = page
    .locator('[data-entry]', { hasText: en['job.backup'] })
    .filter({ has: page.getByRole('button') })
  await click(row.getByRole('button', { name: en['schedules.options'] }))
  await click(button(en['schedules.saveCalendar']))
  await row.getByText(/^.*\d \d+ \* \* \* .*$/).waitFor()
  expect(clicks).toBeLessThanOrEqual(4)
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
  interface Held {
    platform: string
    enabled: boolean
    customSchedule: object | null
  }
  await eventually(async () => {
    const all = await fixture.owner.read<Held[]>('/api/ext/prefill/schedules')
    return all.some((one) => one.platform === 'gamma' && one.enabled && one.customSchedule !== null)
  }, 'it runs by the calendar')
  expect(clicks).toBeLessThanOrEqual(4)
})

test('a target of ntfy: four clicks', async () => {
  const server = notificationServer()
  await click(link(en['nav.settings']))
  await click(page.locator('main').getByRole('link', { name: en['settings.notifications'] }))
  await click(button(en['notify.add']))
  const panel = page.getByRole('dialog')
  await choose(panel.getByLabel(en['notify.sendTo']), 'ntfy')
  await panel.getByLabel(en['notify.name'], { exact: true }).fill('Phone')
  await panel.getByLabel(en['notify.field.url']).fill(`${server.url}/topic`)
  await page.keyboard.press('Enter')
  await page.getByText('Phone', { exact: true }).first().waitFor()
  await panel.waitFor({ state: 'detached' })
  expect(clicks).toBeLessThanOrEqual(4)
})

test('naming a depot: three clicks, or none', async () => {
  await click(link(en['nav.cache']))
  await click(
    page.locator('main nav').getByRole('link', { name: en['cache.tabUnnamed'], exact: true }),
  )
  const field = page.getByRole('textbox', { name: /^Name of/ }).first()
  await click(field)
  await page.keyboard.type('First Game')
  await page.keyboard.press('Enter')
  await page.getByText(en['unnamed.named'].replace('{name}', 'First Game')).waitFor()
  expect(clicks).toBeLessThanOrEqual(3)

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
  expect(clicks).toBeLessThanOrEqual(3)

  clicks = 0
  await type('RAM', en['settings.version'])
  await click(button(en['memory.collect']))
  await page.getByText(/^In use: .+ before, .+ now$/).waitFor()
  expect(clicks).toBeLessThanOrEqual(3)
  await watched.picture('settings-version')

  clicks = 0
  await type('run now', en['settings.schedules'])
  await pathIs('/settings/schedules')
  await click(button(en['schedules.runAll']))
  await page.getByText(/^\d+ runs started$/).waitFor()
  expect(clicks).toBeLessThanOrEqual(3)
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
  expect(clicks).toBe(0)
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
  expect(clicks).toBe(2)
})

test('a job that does not react to its cancellation: two clicks', async () => {
  interface Overview {
    running: { status: string; finishedAt: string | null }[]
    recent: { status: string; finishedAt: string | null }[]
  }
  await fixture.owner.write('GET', '/api/cache/size?force=true')
  await page.route('**/api/ext/operations?*', async (route) => {
    const answer = await route.fetch()
    // The schema of the endpoint.
    const overview = (await answer.json()) as Overview
    const hanging = [...overview.running, ...overview.recent].slice(0, 1)
    const running = hanging.map((one) => ({ ...one, status: 'cancelling', finishedAt: null }))
    await route.fulfill({ response: answer, json: { ...overview, running, recent: [] } })
  })
  const kills: string[] = []
  await page.route('**/force-kill', async (route) => {
    kills.push(route.request().method())
    await route.fulfill({ json: {} })
  })
  await page.goto(`${fixture.larder.url}/operations`)
  await click(button(en['operations.kill']))
  await page.getByText(en['operations.killText']).waitFor()
  await click(button(en['operations.kill']))
  await eventually(() => kills.length === 1, 'the job is stopped by force')
  expect(kills).toEqual(['POST'])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('restoring a snapshot: two clicks', async () => {
  await fixture.owner.write('POST', '/api/ext/backups')
  const list = () => fixture.owner.read<{ snapshots: { name: string }[] }>('/api/ext/backups')
  await eventually(async () => (await list()).snapshots.length > 0, 'the snapshot is there')
  await type('backup', en['settings.backup'])
  await click(button(en['backup.restore']))
  await click(button(en['backup.restartToFinish']))
  await page.getByText(en['backup.restoreStarted']).waitFor()
  expect(clicks).toBeLessThanOrEqual(3)
})
