import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { DnsServer } from '../support/dns-server.ts'
import { findingsInThemes, followReady, openReady } from './accessible.ts'
import { launchBrowser, shownBytes, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const desk = '192.168.1.21'
const sofa = '192.168.1.22'
const tablet = 'fd00::28'

interface Group {
  id: number
  nickname: string
  separateMemberRows: boolean
  memberIps: string[]
  updatedAtUtc: string
}

let dns: DnsServer
let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage
let second: WatchedPage

beforeAll(async () => {
  dns = await DnsServer.start()
  dns.name(sofa, 'sofa-pc.home.lan')
  dns.set('A', 'sofa-pc', [{ type: 'A', name: 'sofa-pc', ttl: 60, data: sofa }])
  fixture = await openServiceFixture({ Dns__Servers: dns.address, Dns__OnlyServers: 'true' })
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
  second = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
})

afterAll(() => dns.stop())

const panel = ({ page }: WatchedPage) => page.getByRole('dialog')
const nickname = (who: WatchedPage) => panel(who).getByLabel(en['group.nickname'], { exact: true })
const groups = () => fixture.owner.read<Group[]>('/api/client-groups')
const members = async (page: Page) =>
  page.getByRole('list', { name: en['group.members'] }).locator('li').allInnerTexts()
const open = ({ page }: WatchedPage, path: string) => followReady(page, fixture.larder.url + path)

/** On the page of settings, where the list of clients names groups, too. */
const groupRow = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: en['group.title'], exact: true }).getByRole('row', { name })

/** Opens a group's panel by clicking its row. */
async function openGroup(who: WatchedPage, name: string): Promise<void> {
  await groupRow(who.page, new RegExp(name)).click()
  await panel(who).getByRole('heading', { name }).waitFor()
}

test('an address is named in its row, which stays closed meanwhile', async () => {
  await open(owner, '/clients?range=all')
  const { page } = owner
  await page.getByRole('button', { name: fill(en['client.rename'], { ip: tablet }) }).click()
  const field = page.getByLabel(fill(en['client.nameOf'], { ip: tablet }), { exact: true })
  await field.click()
  await page.keyboard.type('Kitchen')
  await page.keyboard.press('Home')
  await page.keyboard.type('My ')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /My Kitchen/ }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/clients')
  expect(await groups()).toMatchObject([{ nickname: 'My Kitchen', memberIps: [tablet] }])
  await undo(owner.page, fill(en['client.named'], { ip: tablet, name: 'My Kitchen' }))
  await eventually(async () => (await groups()).length === 0, 'the name is taken back')
})

test('a device is chosen where names are given, and its icon follows in every window', async () => {
  await open(second, '/clients?range=all')
  const icon = ({ page }: WatchedPage) =>
    page.getByRole('row', { name: new RegExp(tablet) }).locator('[data-device]')
  const isShown = (kind: string) => async () =>
    (await icon(second).getAttribute('data-device')) === kind
  await eventually(isShown('computer'), 'detected from its services')
  const { page } = owner
  await page.getByRole('button', { name: fill(en['client.rename'], { ip: tablet }) }).click()
  await page.getByLabel(fill(en['device.of'], { name: tablet })).selectOption('phone')
  await eventually(isShown('phone'), 'the chosen kind')
  const done = { name: tablet, kind: en['device.kind.phone'] }
  await undo(page, fill(en['device.nowChosen'], done))
  await eventually(isShown('computer'), 'detected again')
  await page.keyboard.press('Escape')
})

test('a group is created from known clients and a typed address', async () => {
  await open(owner, '/settings/clients')
  const { page } = owner
  await page.getByRole('button', { name: en['group.create'] }).first().click()
  const create = panel(owner).getByRole('button', { name: en['group.create'] })
  await nickname(owner).fill('Küche')
  await panel(owner).getByText(en['group.nameLetters']).waitFor()
  expect(await create.isDisabled()).toBe(true)
  await nickname(owner).fill('Living room')
  await panel(owner)
    .getByRole('button', { name: `+ ${desk}` })
    .click()
  await panel(owner).getByLabel(en['group.addMember']).fill('10.0.0.9, 10.0.0.10')
  await page.keyboard.press('Enter')
  await eventually(async () => (await members(page)).length === 3, 'three members')
  await owner.picture('clients-new-group')
  await create.click()
  await page.getByText(fill(en['group.created'], { name: 'Living room' })).waitFor()
  expect((await groups())[0]?.memberIps).toEqual([desk, '10.0.0.9', '10.0.0.10'])
})

test('members are reordered by keyboard and by dragging', async () => {
  const { page } = owner
  await openGroup(owner, 'Living room')
  const grip = panel(owner).getByRole('button', { name: fill(en['group.grip'], { name: desk }) })
  await grip.focus()
  await page.keyboard.press('ArrowDown')
  expect(await members(page)).toEqual(['10.0.0.9', desk, '10.0.0.10'])
  // The focus moves along.
  await page.keyboard.press('ArrowDown')
  expect(await members(page)).toEqual(['10.0.0.9', '10.0.0.10', desk])
  const lines = panel(owner).getByRole('list', { name: en['group.members'] }).locator('li')
  await lines.nth(0).dragTo(lines.nth(1))
  expect(await members(page)).toEqual(['10.0.0.10', '10.0.0.9', desk])
  await panel(owner).getByRole('button', { name: en['group.save'], exact: true }).click()
  await panel(owner).waitFor({ state: 'detached' })
  expect((await groups())[0]?.memberIps).toEqual(['10.0.0.10', '10.0.0.9', desk])
  await undo(owner.page, fill(en['group.saved'], { name: 'Living room' }))
  await eventually(async () => (await groups())[0]?.memberIps[0] === desk, 'the order is as it was')
})

test('an address of another group is rejected with the reason and moved on request', async () => {
  const { page } = owner
  await page.getByRole('button', { name: en['group.create'] }).first().click()
  await nickname(owner).fill('Attic')
  await panel(owner)
    .getByRole('button', { name: `+ ${sofa}` })
    .click()
  await panel(owner).getByLabel(en['group.addMember']).fill(desk)
  await page.keyboard.press('Enter')
  await panel(owner).getByRole('button', { name: en['group.create'] }).click()
  const reason = fill(en['rejected.elsewhere'], { ip: desk, group: 'Living room' })
  await panel(owner).getByText(reason).waitFor()
  await owner.picture('clients-rejected')
  await panel(owner).getByRole('button', { name: en['rejected.move'] }).click()
  await eventually(async () => (await members(page)).includes(desk), 'it is a member here')
  const [attic, living] = await groups()
  expect(attic?.memberIps).toEqual([sofa, desk])
  expect(living?.memberIps).toEqual(['10.0.0.9', '10.0.0.10'])
  await page.keyboard.press('Escape')
})

test('an edit in another window: the panel shows it, reloads, and saves on top', async () => {
  await openGroup(owner, 'Attic')
  await nickname(owner).fill('Loft')
  await open(second, '/settings/clients')
  await openGroup(second, 'Attic')
  await panel(second).getByLabel(en['group.description']).fill('below the roof')
  await panel(second).getByRole('button', { name: en['group.save'], exact: true }).click()
  const conflict = panel(owner).getByRole('alert', { name: en['conflict.title'] })
  await conflict.getByText(fill(en['conflict.description'], { text: 'below the roof' })).waitFor()
  const save = panel(owner).getByRole('button', { name: en['group.save'], exact: true })
  expect(await save.isDisabled()).toBe(true)
  await owner.picture('clients-conflict')
  await conflict.getByRole('button', { name: en['conflict.reload'] }).click()
  await conflict.waitFor({ state: 'detached' })
  expect(await nickname(owner).inputValue()).toBe('Attic')
  await nickname(owner).fill('Loft')
  await save.click()
  await groupRow(second.page, /Loft.*below the roof/).waitFor()
  await undo(owner.page, fill(en['group.saved'], { name: 'Loft' }))
  await groupRow(second.page, /Attic.*below the roof/).waitFor()
})

test('saving an outdated state is refused, showing the change and a reload', async () => {
  // This page does not receive the change event.
  const context = await ownWindow(browser, fixture)
  await context.routeWebSocket(/hubs/, () => {})
  const deaf = await watchedPage(context, fixture.larder.url)
  await open(deaf, '/settings/clients')
  await openGroup(deaf, 'Attic')
  const [attic] = await groups()
  const change = { nickname: 'Roof', separateMemberRows: true }
  await fixture.owner.write('PUT', `/api/client-groups/${attic?.id}`, change)
  await nickname(deaf).fill('Cellar')
  await panel(deaf).getByRole('button', { name: en['group.save'], exact: true }).click()
  const conflict = panel(deaf).getByRole('alert', { name: en['conflict.title'] })
  await conflict.getByText(fill(en['conflict.nickname'], { name: 'Roof' })).waitFor()
  await conflict.getByRole('button', { name: en['conflict.reload'] }).click()
  expect(await nickname(deaf).inputValue()).toBe('Roof')
  expect((await groups()).map(({ nickname }) => nickname)).toEqual(['Living room', 'Roof'])
  await fixture.owner.write('PUT', `/api/client-groups/${attic?.id}`, {
    nickname: 'Attic',
    separateMemberRows: false,
  })
  await context.close()
})

test('the list shows groups and members; search, order and filter are in the URL', async () => {
  await open(owner, '/clients?range=all')
  const { page } = owner
  const attic = page.getByRole('row', { name: /^Attic/ })
  await attic.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('row', { name: new RegExp(`^${sofa}`) }).waitFor()
  expect(await attic.getAttribute('aria-expanded')).toBe('true')
  await owner.picture('clients-list')
  await page.setViewportSize({ width: 360, height: 800 })
  const name = page.getByRole('row', { name: new RegExp(`^${sofa}`) }).getByRole('link')
  await eventually(async () => ((await name.boundingBox())?.height ?? 99) < 20, 'one line')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('row', { name: new RegExp(`^${sofa}`) }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: en['clients.miss'] }).click()
  await page.getByRole('searchbox', { name: en['clients.search'] }).fill(sofa)
  await eventually(() => page.url().includes(`search=${sofa}`), 'the search is in the address')
  expect(page.url()).toContain('sort=miss')
  // Matched inside the group, so the group is open.
  await page.getByRole('row', { name: new RegExp(`^${sofa}`) }).click()
  await page.getByRole('region', { name: en['client.totals'] }).waitFor()
  expect(page.url()).toContain(`/clients/${sofa}`)
  await page.goBack()
  expect(await page.getByRole('searchbox', { name: en['clients.search'] }).inputValue()).toBe(sofa)
})

test('all clients of the range are exported as a file', async () => {
  const { page } = owner
  await open(owner, '/clients?range=all')
  await page.getByRole('button', { name: en['export.label'] }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ])
  const lines = (await Bun.file(await file.path()).text()).trim().split('\n')
  expect(lines.filter((line) => line.includes('Attic'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes(tablet))).toHaveLength(1)
})

test('while the history is away the page says so, and recovers by itself', async () => {
  const { page } = second
  await page.route(/\/api\/stats\/clients/, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      json: { error: 'The history database is not available' },
    }),
  )
  await openReady(page, `${fixture.larder.url}/clients?range=all`)
  await page.getByText(en['trouble.historyAway']).waitFor()
  await page.unroute(/\/api\/stats\/clients/)
  await page.getByRole('row', { name: /^Attic/ }).waitFor()
})

test('one click excludes a client from all figures; undo restores it', async () => {
  const served = async () => {
    const all = await fixture.owner.read<{ totalServed: number }>('/api/stats/dashboard')
    return all.totalServed
  }
  await open(second, '/?range=all')
  const lead = second.page.getByRole('region', { name: en['lead.label'] })
  await eventually(async () => /\d/.test(await lead.innerText()), 'the figures are there')
  const whole = await served()
  const shown = await lead.innerText()

  await open(owner, `/clients/${encodeURIComponent(tablet)}?range=all`)
  const totals = owner.page.getByRole('region', { name: en['client.totals'] })
  const total = async () => shownBytes(await totals.innerText())
  await eventually(async () => (await total()) > 0, 'the totals are there')
  const own = await total()
  const statistics = owner.page.getByLabel(fill(en['counting.of'], { name: tablet }))
  await statistics.selectOption('exclude')
  await owner.page.getByText(fill(en['counting.now.exclude'], { name: tablet })).waitFor()
  // The page shows three digits.
  expect(Math.abs(whole - (await served()) - own)).toBeLessThan(own / 100)
  await eventually(async () => (await lead.innerText()) !== shown, 'another window follows')
  // Its own figures are unchanged.
  expect(await total()).toBe(own)
  await owner.picture('clients-detail')
  await undo(owner.page, fill(en['counting.now.exclude'], { name: tablet }))
  await eventually(async () => (await served()) === whole, 'it is counted again')
  await eventually(async () => (await statistics.inputValue()) === 'counted', 'and the choice')
})

test("a client's games link to their pages", async () => {
  const { page } = owner
  const games = page.getByRole('region', { name: en['client.games'] })
  await games.getByRole('link').first().click()
  await eventually(() => /\/games\/[^/]+\/[^/?]+/.test(page.url()), 'the page of a game')
})

test('names, groups and exclusions are changed in one list', async () => {
  await open(owner, '/settings/clients')
  const { page } = owner
  const row = page.getByRole('row', { name: new RegExp(tablet) })
  await row.getByRole('button', { name: fill(en['client.rename'], { ip: tablet }) }).click()
  await page.getByLabel(fill(en['client.nameOf'], { ip: tablet }), { exact: true }).fill('Tablet')
  await page.keyboard.press('Enter')
  const group = page.getByLabel(fill(en['client.groupOf'], { name: 'Tablet' }))
  await group.selectOption({ label: 'Attic' })
  await eventually(async () => {
    const attic = (await groups()).find(({ nickname }) => nickname === 'Attic')
    return attic?.memberIps.includes(tablet) === true
  }, 'it is a member of the group')
  await page.getByRole('searchbox', { name: en['clients.search'] }).fill('attic')
  await page.getByLabel(fill(en['client.groupOf'], { name: tablet })).selectOption('')
  await page.getByRole('searchbox', { name: en['clients.search'] }).fill('')
  await eventually(async () => (await groups()).length === 2, 'it has neither name nor group')
})

test('rules are added for typed and known clients, changed and removed', async () => {
  await open(owner, '/settings/clients')
  const { page } = owner
  await page.getByLabel(en['counting.add']).fill('10.0.0.300')
  await page.keyboard.press('Enter')
  await page
    .getByText(/Invalid exclusion rules|IPv4/)
    .first()
    .waitFor()
  await page.getByLabel(en['counting.add']).fill(tablet)
  await page.keyboard.press('Enter')
  const rule = page.getByLabel(fill(en['counting.of'], { name: tablet }))
  await rule.selectOption('hide')
  const rules = () =>
    fixture.owner.read<{ rules: { ip: string; mode: string }[] }>('/api/stats/exclusions')
  await eventually(async () => (await rules()).rules[0]?.mode === 'hide', 'it is hidden')
  await open(second, `/clients/${encodeURIComponent(tablet)}`)
  await second.page.getByText(en['client.hidden']).waitFor()
  await rule.selectOption('counted')
  await eventually(async () => (await rules()).rules.length === 0, 'it is counted again')
  await undo(owner.page, fill(en['counting.now.counted'], { name: tablet }))
  await eventually(async () => (await rules()).rules[0]?.mode === 'hide', 'hidden as before')
  await fixture.owner.write('PUT', '/api/stats/exclusions', { rules: [] })
})

test('host names are looked up, shown with the reason for missing ones, and disabled', async () => {
  const { page } = owner
  const look = page.getByRole('switch', { name: en['names.look'] })
  const forGuests = page.getByRole('switch', { name: en['names.guests'] })
  expect(await forGuests.isDisabled()).toBe(true)
  await look.click()
  await page.getByText(`1 host name found. ${en['names.reason.someUnnamed']}`).waitFor()
  await page.getByLabel(fill(en['client.groupOf'], { name: 'sofa-pc' })).waitFor()
  await forGuests.click()
  const isForGuests = async () => (await forGuests.getAttribute('aria-checked')) === 'true'
  await eventually(isForGuests, 'guests see host names')
  await undo(owner.page, en['prefs.saved'])
  await eventually(async () => !(await isForGuests()), 'guests see addresses only')

  await page.getByLabel(en['resolve.label']).fill('sofa-pc')
  await page.keyboard.press('Enter')
  await page.getByText(`sofa-pc: ${sofa}`).waitFor()
  await page.getByLabel(en['resolve.label']).fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText(`nobody: ${en['resolve.reason.noRecords']}`).waitFor()
  await owner.picture('clients-names')

  await open(second, `/clients/${sofa}?range=all`)
  await second.page.getByRole('heading', { name: 'sofa-pc · Attic' }).waitFor()
  await look.click()
  await eventually(async () => forGuests.isDisabled(), 'host names are off')
  await second.page.getByRole('heading', { name: `${sofa} · Attic` }).waitFor()
  const answer = await fixture.owner.read('/api/ext/clients/hostnames/enabled')
  expect(answer).toEqual({ enabled: false, showToGuests: false })
})

test('a deleted group is restored with all its members', async () => {
  const { page } = owner
  await openGroup(owner, 'Attic')
  await panel(owner).getByRole('button', { name: en['group.delete'] }).click()
  await page.getByText(fill(en['group.deleted'], { name: 'Attic' })).waitFor()
  expect((await groups()).map(({ nickname }) => nickname)).toEqual(['Living room'])
  await undo(owner.page, fill(en['group.deleted'], { name: 'Attic' }))
  await groupRow(page, /^Attic/).waitFor()
  expect((await groups())[0]?.memberIps).toEqual([sofa, desk])
})

test('no accessibility violations in either theme', async () => {
  const { page } = owner
  const [attic] = await groups()
  for (const path of [
    `/clients?range=all&search=${desk}`,
    `/clients/${desk}?range=all`,
    `/settings/clients?open=${attic?.id}`,
  ]) {
    await followReady(page, fixture.larder.url + path)
    const found = await findingsInThemes(page)
    expect({ path, found }).toEqual({ path, found: { dark: [], light: [] } })
  }
})

test('no errors in the console', () => {
  const complaints = [...owner.complaints, ...second.complaints]
  // The browser reports refused saves too.
  expect(complaints.filter((line) => !/40[049]|503/.test(line))).toEqual([])
  expect([...owner.foreignRequests, ...second.foreignRequests]).toEqual([])
})
