import { beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { findings, openReady } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import {
  missedPath,
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

const rows = () => owner.page.locator('[role="row"][data-index]')
const stillThere = () => fixture.broken.filter((path) => existsSync(path))

test('checking all files finds the damaged ones, and lists what was not judged', async () => {
  const { page } = owner
  await openReady(page, `${fixture.larder.url}/cache/integrity`)
  await page.getByText(en['corruption.neverText']).waitFor()
  await page.getByRole('button', { name: en['corruption.startCheck'] }).click()
  await page.getByRole('region', { name: en['corruption.coverage'] }).waitFor()
  const services = page.getByRole('group', { name: en['corruption.byService'] })
  expect(await services.getByRole('button').allInnerTexts()).toEqual([
    expect.stringMatching(/Steam\s+5/),
    expect.stringMatching(/Riot Games\s+2/),
    expect.stringMatching(/Unknown service\s+2/),
  ])
  await eventually(async () => (await rows().count()) === 5, 'the files of the first are listed')
  const notJudged = page.getByRole('region', { name: en['corruption.notJudged'] })
  expect(await notJudged.innerText()).toMatch(new RegExp(`${en['corruption.skip.recent']}\\s*1`))
  expect(await findings(page)).toEqual([])
  await owner.picture('corruption')
})

test('evidence is explained in plain words and survives a reload', async () => {
  const { page } = owner
  await rows().filter({ hasText: en['corruption.issue.slice_disagreement'] }).click()
  const panel = page.getByRole('dialog', { name: en['corruption.evidence'] })
  await panel.getByText(en['corruption.issueText.slice_disagreement']).waitFor()
  await page.reload()
  await panel.getByRole('row', { name: /this slice.*"second"/ }).waitFor()
  expect(await panel.getByRole('row', { name: /3 other slices.*"first"/ }).count()).toBe(1)
  expect(await findings(page)).toEqual([])
  await owner.picture('corruption-evidence')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
})

test('only selected findings are removed', async () => {
  const { page } = owner
  const two = fixture.broken.slice(0, 2)
  for (const name of ['cut0', 'cut1']) {
    await rows().filter({ hasText: name }).getByRole('checkbox').click()
  }
  const remove = page.getByRole('button', { name: 'Remove 2 selected' })
  await remove.click()
  await page.getByText(/2 files are checked again/).waitFor()
  await remove.click()
  await page.getByText(/Steam · 2 files deleted · 0 no longer existed · 0 were intact/).waitFor()
  await eventually(async () => (await rows().count()) === 3, 'they left the list')
  expect(stillThere()).toEqual(fixture.broken.filter((path) => !two.includes(path)))
})

test('all findings are removed, service by service', async () => {
  const { page } = owner
  const remove = page.getByRole('button', { name: 'Remove all 7 files' })
  await remove.click()
  await remove.click()
  await page.getByText(/Riot Games · 2 files deleted/).waitFor()
  await page.getByText(en['corruption.cleanText']).waitFor()
  expect(stillThere()).toEqual([])
  expect(existsSync(fixture.missed)).toBe(true)
})

test('a repeatedly missed file is removed with its log lines; the search stays', async () => {
  const { page } = owner
  await page.getByRole('button', { name: en['corruption.startSearch'] }).click()
  await eventually(async () => (await rows().count()) === 1, 'it was found')
  expect(page.url()).toContain('method=missed')
  await rows().first().click()
  const panel = page.getByRole('dialog', { name: en['corruption.evidence'] })
  const requests = panel.getByRole('row', { name: /206 MISS/ })
  await requests.first().waitFor()
  expect(await requests.count()).toBe(3)
  const remove = panel.getByRole('button', { name: en['corruption.removeOne'] })
  await remove.click()
  await remove.click()
  await page.getByText(/3 log lines removed/).waitFor()
  expect(existsSync(fixture.missed)).toBe(false)
  expect(readFileSync(fixture.logFile, 'utf8')).not.toContain(missedPath)
  const history = page.getByRole('region', { name: en['corruption.history'] })
  expect(await history.getByRole('listitem').count()).toBe(2)
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
