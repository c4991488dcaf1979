import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { Larder } from '../lab/larder.ts'
import { BetaStandIn } from '../support/stand-ins/beta.ts'
import { EpsilonStandIn } from '../support/stand-ins/epsilon.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findingsInThemes } from './accessible.ts'
import { copyDashboard, follow, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { signedIn } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const root = tempFolder('integrations')
const epic = new BetaStandIn()
const xbox = new EpsilonStandIn()
let larder: Larder
let browser: Browser
let watched: WatchedPage

beforeAll(async () => {
  epic.assets = [{ appName: 'Fox', title: 'Fox and Hound', buildVersion: '1', basePath: '/B/x' }]
  for (const displayName of ['Ada', 'Bob']) {
    const tokens = { refreshToken: '', accessToken: '' }
    const { assets } = epic
    epic.others.push({ displayName, code: displayName, accountId: displayName, assets, ...tokens })
  }
  xbox.titles = [{ productId: '9FORZA', name: 'Forza' }]
  xbox.interval = 1
  larder = await Larder.startIn(root, {
    WEB_PATH: copyDashboard(root),
    ...epic.environment,
    ...xbox.environment,
  })
  const owner = await larder.firstSignIn()
  // The run of every start begins some seconds after the set-up; a sign-in beside it is refused.
  type Schedule = { isRunning: boolean; lastRunUtc: string | null }
  await eventually(async () => {
    const schedule = await owner.read<Schedule>('/api/system/schedules/betaMapping')
    return !schedule.isRunning && schedule.lastRunUtc !== null
  }, 'names were refreshed at the start')
  browser = await launchBrowser()
  watched = await watchedPage(await signedIn(browser, { larder, owner }), larder.url)
})
afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
  await Promise.all([epic.stop(), xbox.stop()])
})

const card = (title: string) => watched.page.getByRole('region', { name: title, exact: true })
const namesOf = (platform: string) =>
  card(platform).getByRole('region', { name: en['platformAccounts.names'], exact: true })

test('Epic: a wrong code is explained, the right one signs in; signing out asks first', async () => {
  await watched.page.goto(`${larder.url}/settings/platform-accounts`)
  const epicCard = namesOf('Epic Games')
  await epicCard.getByRole('button', { name: en['mappings.signIn'] }).click()
  const link = epicCard.getByRole('link', { name: en['beta.open'] })
  expect(await link.getAttribute('href')).toStartWith('https://www.epicgames.com/id/login?')
  const field = epicCard.getByLabel(en['beta.code'])
  await field.fill('wrong')
  await epicCard.getByRole('button', { name: en['beta.send'] }).click()
  await epicCard.getByText('did not accept this code').waitFor()
  await watched.picture('integrations-epic')
  await field.fill(epic.code)
  await epicCard.getByRole('button', { name: en['beta.send'] }).click()
  await epicCard.getByText('Signed in as Some Player').waitFor()
  expect(epic.count('token')).toBe(2)
  await epicCard.getByRole('button', { name: en['mappings.apply'] }).click()
  await watched.page.getByText(en['mappings.refreshing']).waitFor()
  const out = epicCard.getByRole('button', { name: en['action.signOut'] })
  await out.click()
  await epicCard.getByText(en['mappings.signOutConsequence']).waitFor()
  await out.click()
  await epicCard.getByText(en['mappings.signedOut']).waitFor()
  expect(watched.foreignRequests).toEqual([])
})

test('Xbox: the code is shown until it is approved', async () => {
  xbox.steps = ['pending']
  await watched.page.goto(`${larder.url}/settings/platform-accounts`)
  const xboxCard = namesOf('Xbox')
  const signIn = xboxCard.getByRole('button', { name: en['mappings.signIn'] })
  await signIn.click()
  await xboxCard.getByText('CODE1').waitFor()
  await xboxCard.getByRole('button', { name: en['action.cancel'] }).click()
  await xboxCard.getByText('CODE1').waitFor({ state: 'detached' })
  await signIn.click()
  await xboxCard.getByText('CODE2').waitFor()
  await watched.picture('integrations-xbox')
  xbox.steps = ['approve']
  await xboxCard.getByText('Signed in as Some Gamer').waitFor()
  await xboxCard.getByText('CODE2').waitFor({ state: 'detached' })
  expect(xbox.faults).toEqual([])
  expect(watched.foreignRequests).toEqual([])
})

test('two accounts of Epic prefill side by side, and one leaves', async () => {
  const { page } = watched
  // The refusal of the wrong code.
  watched.complaints.length = 0
  await page.goto(`${larder.url}/settings/platform-accounts`)
  const accounts = card('Epic Games').getByRole('region', {
    name: en['platformAccounts.prefill'],
    exact: true,
  })
  const button = (name: string) => accounts.getByRole('button', { name, exact: true })
  const answer = async (code: string) => {
    const link = accounts.getByRole('link', { name: en['prefill.openPage'] })
    expect(await link.getAttribute('href')).toStartWith('https://www.epicgames.com/id/login?')
    await accounts.getByLabel(en['prefill.authCode']).fill(code)
    await button(en['prefill.next']).click()
  }
  await button(en['prefill.signIn']).click()
  await answer('Ada')
  await accounts.getByText('Ada', { exact: true }).waitFor()
  // The new one asks at once.
  await button(en['prefill.accountAdd']).click()
  await answer('Bob')
  await accounts.getByText('Bob', { exact: true }).waitFor()
  const ready = accounts.getByText(new RegExp(`^${en['prefill.ready']}`))
  await eventually(async () => (await ready.count()) === 2, 'both are signed in')
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await watched.picture('platform-accounts-two')
  await button(en['prefill.accountRemove']).click()
  await accounts
    .getByText(fill(en['prefill.accountRemoveText'], { name: 'Bob' }), { exact: true })
    .waitFor()
  await button(en['prefill.accountRemove']).click()
  await accounts.getByText('Bob', { exact: true }).waitFor({ state: 'detached' })
  await accounts.getByText('Ada', { exact: true }).waitFor()
  expect(await ready.count()).toBe(1)
  expect(watched.complaints).toEqual([])
  expect(watched.foreignRequests).toEqual([])
})

test('names that the accounts brought are found by any part of them', async () => {
  const { page } = watched
  await follow(page, `${larder.url}/settings/integrations`)
  const names = card(en['knownNames.title'])
  await names.getByRole('cell', { name: 'Forza', exact: true }).waitFor()
  await names.getByRole('cell', { name: 'Fox and Hound' }).waitFor()
  await names.getByRole('searchbox').fill('hou')
  await names.getByRole('cell', { name: 'Forza', exact: true }).waitFor({ state: 'detached' })
  await names.getByRole('cell', { name: 'Fox and Hound' }).waitFor()
  await names.getByRole('searchbox').fill('nothing like it')
  await names.getByText(en['knownNames.noMatch']).waitFor()
  await watched.picture('integrations-names')
  await names.getByText(en['knownNames.unnamed']).waitFor()
  await names.getByRole('link', { name: en['knownNames.open'] }).click()
  await page.waitForURL(/\/cache\/unnamed/)
})
