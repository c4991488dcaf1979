import { beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { cacheFilePath, sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { eventually } from '../support/eventually.ts'
import { findings, followReady } from './accessible.ts'
import { launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

/** Depots in no catalogue: a large and a small one, stored long ago. */
const [large, small] = [987_654_321, 987_654_322]
const storedAt = Math.floor(Date.now() / 1000) - 200 * 86_400

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage
let cachePath: string

const keyOf = (depot: number, at: number) => sliceKey('steam', `/depot/${depot}/chunk/${at}`, 0)
const files = (depot: number, count: number) =>
  Array.from({ length: count }, (_, at) => join(cachePath, cacheFilePath(keyOf(depot, at))))

function store(depot: number, count: number, bytes: number): void {
  for (let at = 0; at < count; at++) {
    writeCacheFile(cachePath, { key: keyOf(depot, at), body: new Uint8Array(bytes), storedAt })
  }
}

beforeAll(async () => {
  fixture = await openServiceFixture()
  cachePath = join(fixture.larder.dataPath, '../cache')
  store(large, 8, 50_000)
  store(small, 3, 5000)
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
  // Detection at start may have run before the files were written.
  await fixture.owner.write('POST', '/api/games/detect?forceRefresh=true', {})
  await eventually(async () => {
    const body = { rule: { name: 'All', condition: 'storedLongerThan', days: 100 } }
    const found = await fixture.owner.request('POST', '/api/ext/retention/preview', body)
    return (await found.text()).includes(String(large))
  }, 'both games are known')
})

const open = (path: string) => followReady(owner.page, fixture.larder.url + path)
const button = (name: string) => owner.page.getByRole('button', { name, exact: true })
const panel = () => owner.page.getByRole('dialog')
const section = (name: string) =>
  owner.page.locator('section').filter({ has: owner.page.getByRole('heading', { name }) })

test('a rule explains why it cannot be previewed yet, then what it would remove', async () => {
  const { page } = owner
  await open('/cache/retention')
  await owner.picture('retention-empty')
  await button(en['retention.add']).first().click()
  const dryRun = panel().getByRole('button', { name: en['retention.dryRun'] })
  expect(await dryRun.isDisabled()).toBe(true)
  await panel().getByText(en['retention.needsName']).waitFor()
  expect(await dryRun.getAttribute('title')).toBe(en['retention.needsName'])
  await owner.picture('retention-no-name')

  await panel().getByLabel(en['retention.name']).fill('Old')
  await panel().getByLabel(en['retention.condition']).selectOption('storedLongerThan')
  await panel().getByLabel(en['retention.daysField']).fill('1.5')
  await panel().getByText(en['retention.needsDays']).waitFor()
  await panel().getByLabel(en['retention.daysField']).fill('100')
  await dryRun.click()
  const result = panel().getByRole('region', { name: en['retention.dryRunResult'] })
  await result.getByText(String(large)).waitFor()
  await result.getByText(String(small)).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('retention-dry-run')
  await panel().getByRole('button', { name: en['retention.save'] }).click()
  await page.getByText(en['retention.created']).waitFor()
})

test('a pinned game stays, and unpinning is undone', async () => {
  const { page } = owner
  await open('/cache/retention')
  const pins = section(en['retention.pins'])
  const choice = pins.getByLabel(en['retention.pinGame'])
  // The list of games may load after the card.
  const option = pins.locator(`datalist option[value*="${small}"]`)
  await option.waitFor({ state: 'attached' })
  const name = (await option.getAttribute('value')) ?? ''
  await choice.fill('No such game')
  await pins.getByText(en['retention.pinUnknown']).waitFor()
  await choice.fill(name)
  await pins.getByRole('button', { name: en['retention.pin'], exact: true }).click()
  await page.getByText(fill(en['retention.pinned'], { name })).waitFor()
  await pins.getByRole('button', { name: fill(en['retention.unpin'], { name }) }).click()
  await page.getByText(fill(en['retention.unpinned'], { name })).waitFor()
  await undo(owner.page, fill(en['retention.unpinned'], { name }))
  await pins.getByRole('button', { name: fill(en['retention.unpin'], { name }) }).waitFor()
  await owner.picture('retention-pins')

  await page.getByRole('button', { name: /^Old/ }).click()
  await panel().getByRole('button', { name: en['retention.dryRun'] }).click()
  const result = panel().getByRole('region', { name: en['retention.dryRunResult'] })
  await result.getByText(en['retention.state.pinned']).waitFor()
  await owner.picture('retention-dry-run-pinned')
})

test('a listed game is kept, and its files stay', async () => {
  const { page } = owner
  await open('/cache/retention')
  await page.getByRole('switch', { name: fill(en['retention.isOn'], { name: 'Old' }) }).click()
  await page.getByText(en['retention.wasOn']).waitFor()
  await button(en['retention.askNow']).click()
  await page.getByText(fill(en['retention.listed.one'], { count: 1 })).waitFor()
  const pending = section(en['retention.pending'])
  await pending.getByText(String(large)).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('retention-pending')
  const named = { titleKey: `alpha:${large}`, gameName: 'Moon Base' }
  await fixture.owner.write('PUT', '/api/ext/games/name', named)
  await pending.getByText('Moon Base').waitFor()
  await pending.getByRole('button', { name: en['retention.keep'] }).click()
  await pending.waitFor({ state: 'detached' })
  const kept = fill(en['retention.kept'], { name: 'Moon Base' })
  await page.getByText(kept, { exact: true }).waitFor()
  expect([...files(large, 8), ...files(small, 3)].filter((path) => !existsSync(path))).toEqual([])
  await owner.picture('retention-kept')

  await button(fill(en['retention.delete'], { name: 'Old' })).click()
  await page.getByText(en['retention.noRules'], { exact: true }).waitFor()
  await undo(owner.page, en['retention.deleted'])
  await page.getByRole('switch', { name: fill(en['retention.isOn'], { name: 'Old' }) }).waitFor()
  await owner.picture('retention-undone')
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
