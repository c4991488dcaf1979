import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { Caller } from '../lab/caller.ts'
import { labAccount, Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { signedIn } from './service-fixture.ts'
import { copyDashboard, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { de, en } from './texts.ts'

const project = join(import.meta.dir, '../..')
const root = tempFolder('recovery')
const fresh = 'Found-Again-2026'
const accountsMade = 110
let larder: Larder
let browser: Browser
let it: WatchedPage

beforeAll(async () => {
  larder = await Larder.startIn(root, { WEB_PATH: copyDashboard(root) })
  const owner = await larder.firstSignIn()
  expect(await signInStatus({ username: 'nobody', password: 'Never-Right-2026' })).toBe(401)
  const anna = { username: 'anna', password: 'Anna-At-Home-2026', role: 'user' }
  const { id } = (await (await owner.request('POST', '/api/accounts', anna)).json()) as {
    id: string
  }
  for (let turn = 0; turn < accountsMade; turn++) {
    await owner.write('PUT', `/api/accounts/${id}/disabled`, { disabled: turn % 2 === 0 })
  }
  await owner.write('DELETE', `/api/accounts/${id}`)
  browser = await launchBrowser()
  const viewport = { width: 1440, height: 900 }
  it = await watchedPage(await browser.newContext({ viewport, locale: 'en-GB' }), larder.url)
})

afterAll(async () => {
  await browser.close()
  expect(await larder.stop()).toBe(0)
})

async function signInStatus(account: typeof labAccount): Promise<number> {
  const visitor = new Visitor(larder.url)
  await visitor.write('GET', '/api/auth/status')
  const body = { apiKey: installationKey(larder.dataPath), ...account }
  return (await visitor.request('POST', '/api/auth/login', body)).status
}

const fill = async (fields: Record<string, string>) => {
  for (const [name, value] of Object.entries(fields)) {
    await it.page.locator(`input[name="${name}"]`).fill(value)
  }
}
const press = (text: string) => it.page.getByRole('button', { name: text, exact: true }).click()
const refusal = () => it.page.getByRole('alert').innerText()

/** Attempts are counted per address; the service trusts a proxy on the same machine. */
const comeFrom = (seat: number) =>
  it.page.setExtraHTTPHeaders({ 'X-Forwarded-For': `10.9.0.${seat}` })

async function sent(fields: Record<string, string>): Promise<number> {
  await fill(fields)
  const answer = it.page.waitForResponse(/recover-main-admin/)
  await press(en['recover.set'])
  const status = (await answer).status()
  await it.page.getByRole('alert').waitFor()
  return status
}

async function openOnHost(): Promise<void> {
  const script = Bun.spawn([process.execPath, join(project, 'tools/recover.ts'), larder.url], {
    env: { PATH: process.env['PATH'] ?? '', DATA_PATH: larder.dataPath },
    stdout: 'pipe',
  })
  expect(await new Response(script.stdout).text()).toContain(`${larder.url}/recover`)
  expect(await script.exited).toBe(0)
}

const recovered = () => ({
  'installation-key': installationKey(larder.dataPath),
  username: labAccount.username,
  'new-password': fresh,
})

test('an owner who lost the password sets a new one, with errors explained', async () => {
  await comeFrom(1)
  await it.page.goto(larder.url)
  await it.page.getByRole('link', { name: en['signIn.forgot'] }).click()
  await it.page.getByText('docker exec larder bun run recover').waitFor()
  await it.picture('recover')
  const submit = it.page.getByRole('button', { name: en['recover.set'] })
  await fill({ ...recovered(), 'new-password': 'tooshort' })
  expect(await submit.isEnabled()).toBe(false)

  expect(await sent({ ...recovered(), 'installation-key': 'wrong' })).toBe(401)
  expect(await refusal()).toBe(en['refused.accountSetup-apiKeyRequired'])
  expect(await sent(recovered())).toBe(403)
  expect(await refusal()).toBe(en['refused.accountSetup-recoveryWindowClosed'])
  await openOnHost()
  expect(await sent({ ...recovered(), username: 'somebody' })).toBe(404)
  expect(await refusal()).toBe(en['refused.accountSetup-mainAdminNotFound'])
  // Cannot be typed, but can be pasted.
  expect(await sent({ ...recovered(), username: `${labAccount.username}\u200b` })).toBe(400)
  expect(await refusal()).toBe(en['recover.fields'])
  await it.picture('recover-refused')

  await it.page.setViewportSize({ width: 390, height: 844 })
  await it.picture('recover-phone')
  await it.page.setViewportSize({ width: 1440, height: 900 })
  await comeFrom(2)
  await fill({ ...recovered(), username: labAccount.username.toUpperCase() })
  await press(en['recover.set'])
  await it.page.getByText(en['signIn.recovered']).waitFor()
  const name = it.page.locator('input[name="username"]')
  expect(await name.inputValue()).toBe(labAccount.username.toUpperCase())
  await it.picture('recovered')
  expect(await signInStatus(labAccount)).toBe(401)
  await fill({ 'installation-key': installationKey(larder.dataPath), password: fresh })
  await press(en['action.signIn'])
  await it.page.getByText(en['lead.saved']).waitFor()
  expect(new URL(it.page.url()).pathname).toBe('/')
})

test('too many attempts show the seconds to wait', async () => {
  await comeFrom(3)
  await it.page.goto(`${larder.url}/recover`)
  for (let attempt = 0; attempt < 5; attempt++) expect(await sent(recovered())).toBe(403)
  expect(await sent(recovered())).toBe(429)
  await eventually(async () => /\d+ seconds/.test(await refusal()), 'the seconds are shown')
})

test('the owner reads the audit trail back to the first account', async () => {
  await it.page.goto(`${larder.url}/settings/audit`)
  const list = it.page.getByRole('list', { name: en['settings.audit'] })
  await list.getByText('The password of lab was recovered').waitFor()
  const rows = list.getByRole('listitem')
  expect(await rows.first().innerText()).toContain('signed in')
  expect(await rows.count()).toBe(100)
  await it.picture('audit')
  await press(en['audit.more'])
  await list.getByText('The first account, lab, was created').waitFor()
  const texts = (await rows.allInnerTexts()).join('\n')
  expect(texts).toContain('lab deleted an account')
  expect(texts).toContain('lab disabled a deleted account')
  expect(texts).toContain(en['audit.failedUnknown'])
  await it.page.setViewportSize({ width: 390, height: 844 })
  await it.page.keyboard.press('Home')
  await it.picture('audit-phone')
})

test("an admin learns that the page is the owner's, in German too", async () => {
  const carl = { username: 'carl', password: 'Carl-The-Admin-26' }
  const key = installationKey(larder.dataPath)
  const owner = new Caller(larder.url)
  expect(await owner.signIn(key, { ...labAccount, password: fresh })).toBe(200)
  const body = { ...carl, role: 'admin' }
  expect(await owner.status('POST', '/api/accounts', { body })).toBe(200)
  const admin = new Caller(larder.url)
  expect(await admin.signIn(key, carl)).toBe(200)
  const context = await signedIn(browser, { larder, owner: admin }, { locale: 'de-DE' })
  const second = await watchedPage(context, larder.url)
  await second.page.goto(`${larder.url}/settings/audit`)
  await second.page.getByText(de['audit.ownerOnly']).waitFor()
  const sections = second.page.getByRole('navigation', { name: de['nav.settings'] })
  expect(await sections.getByRole('link').allInnerTexts()).toContain(de['settings.accounts'])
  expect(await sections.getByText(de['settings.audit']).count()).toBe(0)
  expect(second.complaints).toEqual([])
  const ownersContext = await signedIn(browser, { larder, owner }, { locale: 'de-DE' })
  const third = await watchedPage(ownersContext, larder.url)
  await third.page.goto(`${larder.url}/settings/audit`)
  await third.page.getByText('lab hat carl angelegt').waitFor()
  await third.picture('audit-german')
  await third.page.goto(`${larder.url}/recover`)
  await third.page.getByText(de['recover.title']).waitFor()
  await third.picture('recover-german')
  expect(third.complaints).toEqual([])
})

test('no errors in the console', () => {
  // The page is expected to cause the refusals above.
  expect(it.complaints.filter((text) => !/\b(400|401|403|404|429)\b/.test(text))).toEqual([])
  expect(it.foreignRequests).toEqual([])
})
