import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Visitor } from '../../src/demo/visitor.ts'
import { Larder } from '../lab/larder.ts'
import { clientId, clientSecret, oidcSite } from '../support/oidc-site.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findings } from './accessible.ts'
import { copyDashboard, launchBrowser, watchedPage } from './browser.ts'
import { ownWindow } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const root = tempFolder('oidc')
let larder: Larder
let browser: Browser
let owner: Visitor
let site: Awaited<ReturnType<typeof oidcSite>>

beforeAll(async () => {
  larder = await Larder.startIn(root, { WEB_PATH: copyDashboard(root) })
  owner = await larder.firstSignIn()
  await owner.write('PATCH', '/api/system/setup', { completed: true })
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  site = await oidcSite([`${larder.url}/api/ext/oidc/callback`])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
})

/** The provider's own pages: a name, any password, and consent. */
async function passProvider(page: Page, name: string) {
  // They ask for a font from outside.
  await page.context().route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => route.abort())
  await page.waitForURL((url) => url.href.startsWith(site.issuer))
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
  await page.locator('button[type=submit]').click()
  await page.waitForURL((url) => url.href.startsWith(larder.url))
}

test('the owner sets a provider up, and a player signs in with it', async () => {
  const settings = await watchedPage(await ownWindow(browser, { larder }), larder.url)
  const { page } = settings
  await page.goto(`${larder.url}/settings/sign-in`)
  const redirect = page.getByLabel(en['oidc.redirect'], { exact: true })
  expect(await redirect.inputValue()).toBe(site.redirectUris[0] ?? '')
  await page.getByLabel(en['oidc.issuer']).fill(site.issuer)
  await page.getByLabel(en['oidc.label']).fill('Home')
  await page.getByLabel(en['oidc.clientId']).fill(clientId)
  await page.getByLabel(en['oidc.secret']).fill(clientSecret)
  await page.getByLabel(en['oidc.roleClaim']).fill('groups')
  await page.getByLabel(en['oidc.admins']).fill('admins, hosts')
  await page.getByRole('switch', { name: en['oidc.creates'] }).click()
  await page.getByRole('button', { name: en['oidc.test'] }).click()
  await page.getByText(fill(en['oidc.tested'], { issuer: site.issuer })).waitFor()
  await page.getByRole('button', { name: en['oidc.save'], exact: true }).click()
  await page.getByRole('button', { name: en['oidc.off'] }).waitFor()
  expect(await findings(page)).toEqual([])
  await settings.picture('oidc-settings')
  expect(settings.complaints).toEqual([])

  site.people.set('grace', { preferred_username: 'Grace', groups: ['hosts'] })
  const player = await watchedPage(await browser.newContext({ locale: 'en-GB' }), larder.url)
  await player.page.goto(`${larder.url}/clients?range=7d`)
  const enter = player.page.getByRole('link', { name: fill(en['oidc.signIn'], { name: 'Home' }) })
  await enter.waitFor()
  await player.picture('oidc-sign-in')
  expect(player.complaints).toEqual([])
  await enter.click()
  await passProvider(player.page, 'grace')
  player.complaints.length = 0
  await player.page.getByRole('heading', { name: en['clients.title'], level: 1 }).waitFor()
  expect(new URL(player.page.url()).pathname).toBe('/clients')
  const status = await player.page.request.get(`${larder.url}/api/auth/status`)
  expect(await status.json()).toMatchObject({ sessionType: 'admin', isMainAdmin: false })
  expect(player.complaints).toEqual([])
})

test('who has no role is told so; the owner links the own account', async () => {
  site.people.set('lin', { preferred_username: 'Lin', groups: [] })
  const settings = { issuer: site.issuer, clientId, label: 'Home', scopes: 'profile groups' }
  const roles = { roleClaim: 'groups', adminValues: ['hosts'], userValues: ['players'] }
  const rest = { createsAccounts: true, linksByName: false, publicUrl: '' }
  await owner.write('PUT', '/api/ext/oidc/settings', { ...settings, ...roles, ...rest })
  const stranger = await watchedPage(await browser.newContext({ locale: 'en-GB' }), larder.url)
  await stranger.page.goto(`${larder.url}/sign-in`)
  await stranger.page.getByRole('link', { name: /Home/ }).click()
  await passProvider(stranger.page, 'lin')
  await stranger.page.getByText(en['oidc.problem.role']).waitFor()
  expect(await findings(stranger.page)).toEqual([])

  const { page } = await watchedPage(await ownWindow(browser, { larder }), larder.url)
  await page.goto(`${larder.url}/settings/password`)
  await page.getByRole('button', { name: en['oidc.link'], exact: true }).click()
  await passProvider(page, 'somebody')
  await page.getByText(en['oidc.linked']).waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings/password')
})
