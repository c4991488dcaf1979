import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { labAccount, Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { firstSecond, logLine } from '../support/log-lines.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findings } from './accessible.ts'
import { copyDashboard, follow, launchBrowser, watchedPage } from './browser.ts'
import { signedIn } from './service-fixture.ts'
import { de, en, fill } from './texts.ts'

const root = tempFolder('first-run')
const logPath = join(root, 'logs')
const log = join(logPath, 'access.log')
let larder: Larder
let browser: Browser
let owner: Visitor

beforeAll(async () => {
  mkdirSync(join(root, 'cache'))
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath }],
    // Not set: the first run asks where to start.
    environment: { WEB_PATH: copyDashboard(root), LogProcessing__StartAt: '' },
  })
  const apiKey = installationKey(larder.dataPath)
  owner = new Visitor(larder.url)
  const body = { apiKey, ...labAccount }
  await owner.write('POST', '/api/account-setup/first-admin', body)
  await owner.signIn(apiKey, labAccount)
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
})

test('the checklist names a missing log folder, and its remedy can be copied', async () => {
  const context = await signedIn(browser, { larder, owner })
  const it = await watchedPage(context, larder.url)
  await it.page.goto(larder.url)
  const checks = it.page.getByRole('list', { name: en['check.list'] })
  const access = checks.locator('li', { hasText: en['check.title.log'] }).first()
  await access.getByText(/does not exist/).waitFor()
  await access.getByRole('button', { name: en['action.copy'] }).waitFor()
  // There is nothing to read yet; the page notices by itself when there is.
  const readAll = it.page.getByRole('button', { name: en['firstRun.readAll'], exact: true })
  expect(await readAll.isDisabled()).toBe(true)
  await it.page.getByText(en['firstRun.waitsForLog']).waitFor()
  expect(await checks.locator('li').first().innerText()).toContain(en['check.title.log'])
  await it.picture('first-run-no-log')

  mkdirSync(logPath)
  writeFileSync(log, logLine({ bytes: 1000 }).repeat(5))
  await eventually(() => readAll.isEnabled(), 'existing logs can be read')
  await it.page.getByRole('button', { name: en['firstRun.checkAgain'] }).click()
  await access.getByText(`${log} was found.`).waitFor()
  await checks.getByText('Lines understood: 5 of 5, text format.').waitFor()
  expect(await checks.getByText(en['check.state.bad']).count()).toBe(0)
  await it.picture('first-run-light')
  expect(await findings(it.page)).toEqual([])
  expect(it.complaints).toEqual([])
  await context.close()
})

test.each([
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, locale: 'de-DE' }],
] as const)('the same fits: %s', async (name, options) => {
  const context = await signedIn(browser, { larder, owner }, options)
  const it = await watchedPage(context, larder.url)
  writeFileSync(log, 'GET / 200\n')
  await it.page.goto(larder.url)
  await it.page.getByText(/log_format cachelog/).waitFor()
  await it.picture(`first-run-${name}`)
  const isTooWide = await it.page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )
  expect(isTooWide).toBe(false)
  if (name === 'phone') await it.page.getByText(de['firstRun.title']).waitFor()
  await context.close()
})

test('from now: old lines are not counted, new ones are', async () => {
  writeFileSync(log, logLine({ bytes: 1000 }).repeat(5))
  const context = await signedIn(browser, { larder, owner })
  const it = await watchedPage(context, larder.url)
  await it.page.goto(larder.url)
  const keep = it.page.getByRole('list', { name: en['firstRun.keepReady'] })
  await keep.waitFor()
  const boxes = await keep.getByRole('checkbox').all()
  expect(await Promise.all(boxes.map((box) => box.getAttribute('aria-checked')))).toEqual([
    'false',
    'false',
  ])
  await keep.getByText(en['firstRun.keepUnknown']).first().waitFor()
  await keep.getByRole('checkbox', { name: /Riot Games/ }).click()
  await it.page.getByRole('button', { name: en['firstRun.fromNow'], exact: true }).click()
  await it.page.getByText(en['lead.saved']).waitFor()
  appendFileSync(log, logLine({ bytes: 77 }))
  const saved = async () => {
    const answer = await context.request.get(`${larder.url}/api/stats/dashboard`)
    // Our own endpoint.
    return ((await answer.json()) as { totalBandwidthSaved: number }).totalBandwidthSaved
  }
  await eventually(async () => (await saved()) > 0, 'the new line is counted')
  expect(await saved()).toBe(77)
  const answer = await context.request.get(`${larder.url}/api/ext/prefill/schedules`)
  // Our own endpoint.
  const schedules = (await answer.json()) as { id: string; enabled: boolean }[]
  expect(schedules.filter(({ enabled }) => enabled).map(({ id }) => id)).toEqual(['delta'])
  await context.close()
})

test('while the log is read for the first time, empty sections say how far it is', async () => {
  const visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(larder.dataPath), labAccount)
  const context = await signedIn(browser, { larder, owner: visitor })
  const { page } = await watchedPage(context, larder.url)
  await page.route('**/api/ext/status', async (route) => {
    const answer = await route.fetch()
    // Our own endpoint.
    const status = (await answer.json()) as { ingest: object }
    await route.fulfill({ json: { ...status, ingest: { ...status.ingest, firstReadPercent: 42 } } })
  })
  const reading = new RegExp(fill(en['firstRead.percent'], { percent: '42' }))
  // An hour without downloads.
  const range = `start=${firstSecond - 7200}&end=${firstSecond - 3600}`
  const sections = { '/': 6, '/downloads': 2, '/clients': 1, '/games': 1, '/services/steam': 3 }
  for (const [path, least] of Object.entries(sections)) {
    await follow(page, `${larder.url}${path}?${range}`)
    await eventually(
      async () => (await page.getByText(reading).count()) >= least,
      `${least} sections of ${path} are being read`,
    )
    for (const none of [
      'games.none',
      'clients.none',
      'downloads.none',
      'downloads.noneInRange',
      'hours.none',
      'flow.empty',
    ] as const)
      expect(await page.getByText(en[none], { exact: true }).count()).toBe(0)
  }
  await context.close()
})
