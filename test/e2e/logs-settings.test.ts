import { beforeAll, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { findings, followReady } from './accessible.ts'
import { follow, launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import {
  loggedLines,
  openDamagedCacheFixture,
  type DamagedCacheFixture,
} from './damaged-cache-fixture.ts'
import { signedIn } from './service-fixture.ts'
import { en } from './texts.ts'

let fixture: DamagedCacheFixture
let browser: Browser
let owner: WatchedPage

beforeAll(async () => {
  fixture = await openDamagedCacheFixture()
  browser = await launchBrowser()
  owner = await watchedPage(await signedIn(browser, fixture), fixture.larder.url)
})

const log = () => readFileSync(fixture.logFile, 'utf8')
const linesOf = (service: string) => log().split(`[${service}] `).length - 1

test('read state and unparsed lines are visible without a click', async () => {
  const { page } = owner
  await followReady(page, `${fixture.larder.url}/settings/logs`)
  await page.getByText('84 of 84 lines · 1 file').waitFor()
  await page.getByText(en['logs.unparsed']).waitFor()
  // The proxy cannot be signalled: the manual command is shown instead.
  await page.getByText('nginx -s reopen').waitFor()
  expect(await page.getByRole('button', { name: en['logs.tellNow'] }).isDisabled()).toBe(true)
  expect(await findings(page)).toEqual([])
  await owner.picture('settings-logs')
})

test("removes one service's lines from the file; other lines and figures stay", async () => {
  const { page } = owner
  expect([linesOf('steam'), linesOf('riot')]).toEqual([loggedLines.steam, loggedLines.riot])
  await page.getByRole('button', { name: 'Remove lines of Riot Games' }).click()
  await page.getByText(/20 lines of Riot Games in the log files of default/).waitFor()
  await page.getByRole('button', { name: en['logs.removeLines'], exact: true }).click()
  await eventually(() => linesOf('riot') === 0, 'the lines are gone')
  expect(linesOf('steam')).toBe(loggedLines.steam)
  const counts = await fixture.owner.read<Record<string, number>>('/api/logs/service-counts')
  expect(counts).toEqual({ steam: loggedLines.steam })
  // The list updates without a reload.
  await page
    .getByRole('button', { name: 'Remove lines of Riot Games' })
    .waitFor({ state: 'detached' })
})

test('log rotation and retention are previewed without changes, and undone', async () => {
  const { page } = owner
  const before = statSync(fixture.logFile).mtimeMs
  const saved = () =>
    fixture.owner.read<{ keepDays: number | null; isEnabled: boolean }>('/api/ext/logs/retention')
  const keep = page.getByLabel(`${en['logs.keepDays']} (${en['logs.daysUnit']})`)
  await keep.fill('0')
  await page.getByText('Enter a whole number from 1 to 3660, or leave it empty').waitFor()
  await keep.fill('30')
  await keep.press('Enter')
  await eventually(async () => (await saved()).keepDays === 30, 'it was saved')
  expect((await saved()).isEnabled).toBe(false)
  const table = page.getByRole('group', { name: 'default' }).getByRole('table')
  await table.getByRole('columnheader', { name: en['logs.columnDry'] }).waitFor()
  expect(await table.getByRole('row', { name: /access\.log/ }).innerText()).toContain(
    en['logs.isCurrent'],
  )
  await undo(owner.page, en['logs.retentionSaved'])
  await eventually(async () => (await saved()).keepDays === null, 'it was taken back')
  expect(await page.getByRole('button', { name: en['logs.runNow'] }).isDisabled()).toBe(true)
  expect(statSync(fixture.logFile).mtimeMs).toBe(before)
})

test('facts of a datasource; its limit is changed and reset', async () => {
  const { page } = owner
  await followReady(page, `${fixture.larder.url}/settings/datasources`)
  await page.getByText(en['datasource.sliceSource.confighash']).waitFor()
  await page.getByRole('button', { name: en['datasource.limitChange'] }).click()
  await page.getByLabel(en['datasource.limit']).fill('500g')
  await page.keyboard.press('Enter')
  await page.getByText(en['datasource.limitSource.manual']).waitFor()
  await page.getByText('537 GB', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: en['datasource.limitReset'] }).click()
  await page.getByText(en['datasource.limitSource.fullDisk']).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('settings-datasources')
})

test("the doctor shows an object's cache files and removes one of them", async () => {
  const { page } = owner
  await followReady(page, `${fixture.larder.url}/cache/integrity?view=object`)
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: en['doctor.look'] }).click()
  await page.getByRole('region', { name: en['doctor.suspects'] }).waitFor()
  await page.getByLabel(en['doctor.address']).fill('/depot/440/manifest/patched')
  await page.getByRole('button', { name: en['doctor.open'] }).click()
  await page.getByText(en['doctor.verdictText.broken']).waitFor()
  const slices = page.locator('[role="row"][data-index]')
  expect(await slices.count()).toBe(4)
  expect(await findings(page)).toEqual([])
  await owner.picture('doctor-object')
  await slices.nth(1).click()
  const remove = page.getByRole('button', { name: en['doctor.purgePiece'] })
  await remove.click()
  await remove.click()
  await eventually(async () => (await slices.count()) === 3, 'the slice is gone')
  await page.getByText(en['doctor.verdictText.incomplete']).waitFor()
})

test('a rule reads as a sentence, is previewed, saved, enabled and deleted with undo', async () => {
  const { page } = owner
  await followReady(page, `${fixture.larder.url}/cache/retention`)
  await page.getByText(en['retention.noRulesText']).waitFor()
  await page.getByRole('button', { name: en['retention.add'] }).first().click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel(en['retention.name']).fill('Old games')
  await panel.getByLabel(en['retention.daysField']).fill('30')
  await panel.getByText('Removes games if not downloaded for 30 days.').waitFor()
  await panel.getByRole('button', { name: en['retention.dryRun'] }).click()
  await panel.getByRole('region', { name: en['retention.dryRunResult'] }).waitFor()
  expect(await findings(page)).toEqual([])
  await panel.getByRole('button', { name: en['retention.save'] }).click()
  await page.getByRole('switch', { name: 'Old games is on' }).click()
  const rules = () =>
    fixture.owner.read<{ items: { isEnabled: boolean; days: number }[] }>(
      '/api/ext/retention/rules',
    )
  await eventually(async () => (await rules()).items[0]?.isEnabled === true, 'it is on')
  await page.getByRole('button', { name: 'Delete Old games' }).click()
  await eventually(async () => (await rules()).items.length === 0, 'it is deleted')
  await undo(owner.page, en['retention.deleted'])
  await eventually(async () => (await rules()).items[0]?.days === 30, 'it is back')
  expect(await findings(page)).toEqual([])
  await owner.picture('retention')
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})

test('guests have access to none of these pages', async () => {
  const guest = await watchedPage(await browser.newContext({ locale: 'en-GB' }), fixture.larder.url)
  await guest.page.goto(fixture.larder.url)
  await guest.page.getByRole('button', { name: en['signIn.guest'] }).click()
  await guest.page.getByText(en['guest.badge'], { exact: true }).first().waitFor()
  for (const path of [
    '/cache/integrity',
    '/cache/integrity?view=object',
    '/cache/retention',
    '/settings/logs',
  ]) {
    await follow(guest.page, fixture.larder.url + path)
    await guest.page.getByText(en['trouble.forbidden']).waitFor()
  }
})
