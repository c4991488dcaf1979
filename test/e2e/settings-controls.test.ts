import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import enControls from '../../src/web/locales/en.controls.json'
import { eventually } from '../support/eventually.ts'
import { findingsInThemes, openReady } from './accessible.ts'
import { launchBrowser, pageLimitMs, undo } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

type Text = keyof typeof enControls
// Every setting has an effect, and nothing else has one.
const ids = Object.keys(enControls)
  .filter((key) => key.endsWith('.effect'))
  .map((key) => key.slice(0, -'.effect'.length) as Text)
/** Settings pages outside of the settings, and those with settings that are shown on demand. */
const further = [
  '/cache/evicted',
  '/cache/retention',
  '/prefill/platforms',
  '/prefill/ready',
  '/prefill/schedules#prefill.force',
  '/settings/schedules#schedules.notify',
]

/** Pages without rows, and what some of them offer; `all-pages` checks them with rows, and the others. */
const empty = new Map([
  ['/cache/evicted', en['palette.scanEvicted']],
  ['/cache/retention', en['retention.add']],
  ['/prefill/platforms', null],
  ['/prefill/ready', null],
  ['/prefill/schedules#prefill.force', null],
  ['/settings/keys', null],
  ['/settings/nodes', en['nodes.add']],
  ['/settings/notifications', en['notify.add']],
  ['/settings/platform-accounts', null],
  ['/settings/widgets', en['widgets.create']],
])

let fixture: ServiceFixture
let page: Page

beforeAll(async () => {
  fixture = await openServiceFixture()
  page = await (await ownWindow(await launchBrowser(), fixture)).newPage()
  page.setDefaultTimeout(pageLimitMs)
})

/** Pages that list things and hold no setting. */
const without = new Set(
  ['password', 'accounts', 'sessions', 'keys', 'sign-in', 'audit', 'nodes', 'log'].map(
    (name) => `/settings/${name}`,
  ),
)

/** Controls that change something at once, outside of forms, filters and entries of lists. */
async function strays(): Promise<string[]> {
  const own = 'form, li, [role="dialog"], [role="search"], [data-entry], [data-setting]'
  const control =
    ':is([role="switch"], select, input:not([type="file"], [type="search"], [readonly]), [aria-pressed])'
  const found = await page.locator(`main ${control}:not(:is(${own}) *)`).all()
  return Promise.all(
    found.map(async (one) => `${page.url()} ${(await one.getAttribute('aria-label')) ?? ''}`),
  )
}

/** Settings of the page that is open; each states its effect. */
async function settings(): Promise<string[]> {
  await page.locator('[data-setting]').first().waitFor()
  await page.waitForLoadState('networkidle')
  const shown = await page.locator('[data-setting]').all()
  return Promise.all(
    shown.map(async (setting) => {
      const id = String(await setting.getAttribute('data-setting')) as Text
      const text = await setting.innerText()
      expect(text).toContain(en[id])
      expect(text).toContain(en[`${id}.effect` as Text])
      return id
    }),
  )
}

/** The page without rows, in both themes, with the button that fills it. */
async function expectAccessible(step: string | null): Promise<void> {
  if (step !== null) {
    const offer = page.locator('main').getByRole('status').locator('a, button')
    await offer.filter({ hasText: step }).waitFor()
  }
  expect(await findingsInThemes(page), page.url()).toEqual({ dark: [], light: [] })
}

test('every setting is on a page, with its effect, and nothing else is one', async () => {
  await openReady(page, `${fixture.larder.url}/settings`)
  const links = await page.locator('main a[href^="/settings/"]').all()
  const pages = await Promise.all(links.map((link) => link.getAttribute('href')))
  expect(pages.length).toBeGreaterThan(15)
  const found = new Set<string>()
  const foreign: string[] = []
  expect([...pages, ...further]).toEqual(expect.arrayContaining([...empty.keys()]))
  for (const path of [...pages, ...further]) {
    await openReady(page, fixture.larder.url + path)
    if (empty.has(String(path))) await expectAccessible(empty.get(String(path)) ?? null)
    if (!without.has(String(path))) for (const id of await settings()) found.add(id)
    // What a reset deletes is chosen anew each time.
    if (path !== '/settings/database') foreign.push(...(await strays()))
  }
  expect([...found].sort()).toEqual([...ids].sort())
  expect(foreign).toEqual([])
})

const chosen: readonly Text[] = ['backup.keep', 'prefill.force', 'notify.language']
test.each(chosen)('the palette leads to %s', async (id) => {
  await openReady(page, fixture.larder.url)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: en['palette.prompt'] }).fill(en[id])
  await page.keyboard.press('Enter')
  await page.locator(`[data-setting="${id}"] :focus`).waitFor()
  expect(await page.locator(`[data-setting="${id}"]`).first().isVisible()).toBe(true)
})

test('a default is shown only where another value is chosen, and undo hides it again', async () => {
  await openReady(page, `${fixture.larder.url}/settings/backup`)
  const keep = page.locator('[data-setting="backup.keep"]')
  const standard = keep.getByText('Default: 7 snapshots', { exact: true })
  expect(await standard.count()).toBe(0)
  await keep.locator('select').selectOption('14')
  await standard.waitFor()
  await undo(page, en['prefs.saved'])
  await standard.waitFor({ state: 'detached' })
})

test('defaults of prefill are stored, and the last system stays', async () => {
  await openReady(page, `${fixture.larder.url}/prefill/platforms`)
  const systems = page.locator('[data-setting="prefill.newSystems"]')
  const tick = (name: string) => systems.getByRole('checkbox', { name })
  for (const name of ['Linux', 'macOS']) {
    await tick(name).click()
    await eventually(async () => !(await tick(name).isChecked()), `${name} is off`)
  }
  expect(await tick('Windows').isDisabled()).toBe(true)
  await page.locator('[data-setting="prefill.newConnections"] select').selectOption('8')
  await eventually(async () => {
    const path = '/api/system/prefill-defaults'
    const held = await fixture.owner.read<{ maxConcurrency: string; operatingSystems: string[] }>(
      path,
    )
    return held.maxConcurrency === '8' && held.operatingSystems.join() === 'windows'
  }, 'both are stored')
})
