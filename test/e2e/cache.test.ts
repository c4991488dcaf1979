import { beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { cacheFilePath, sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { eventually } from '../support/eventually.ts'
import { findings, followReady } from './accessible.ts'
import { follow, launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

/** A depot in no catalogue. */
const unknownDepot = 987_654_321
const storedAt = 1_795_000_000

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage
let cachePath: string

/** Paths of the stored cache files, by owner. */
const stored = { dota: [] as string[], unknown: [] as string[], other: [] as string[] }

const count = (value: number) => new Intl.NumberFormat('en-GB').format(value)
const bytesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0)
const all = () => Object.values(stored).flat()

function store(kind: keyof typeof stored, tag: string, uri: string, bytes: number): void {
  const key = sliceKey(tag, uri, 0)
  writeCacheFile(cachePath, { key, body: new Uint8Array(bytes), storedAt })
  stored[kind].push(join(cachePath, cacheFilePath(key)))
}

const chunk = (depot: number, at: number) => `/depot/${depot}/chunk/${String(at).padStart(40, '0')}`

beforeAll(async () => {
  fixture = await openServiceFixture()
  cachePath = join(fixture.larder.dataPath, '../cache')
  for (let at = 0; at < 12; at++) store('dota', 'steam', chunk(571, at), 40_000 + at)
  for (let at = 0; at < 3; at++) store('unknown', 'steam', chunk(unknownDepot, at), 5000 + at)
  store('other', 'blizzard', '/other/one.bin', 90_001)
  browser = await launchBrowser()
  owner = await watchedPage(await ownWindow(browser, fixture), fixture.larder.url)
  // Fail with the name of the missing element rather than a test timeout.
})

const open = (path: string) => followReady(owner.page, fixture.larder.url + path)
const row = (name: string | RegExp) => owner.page.getByRole('row', { name })
const dialog = () => owner.page.getByRole('dialog')
const button = (name: string) => owner.page.getByRole('button', { name, exact: true })
/** Includes silent jobs: one that began earlier would be joined instead of the requested one. */
const isOver = async (type: string) => {
  interface Overview {
    running: { type: string }[]
    waiting: { type: string }[]
    recent: { type: string; status: string }[]
  }
  const address = '/api/ext/operations?limit=100&includeSilent=true'
  const { running, waiting, recent } = await fixture.owner.read<Overview>(address)
  return (
    [...running, ...waiting].every((job) => job.type !== type) &&
    recent.some((job) => job.type === type && job.status === 'completed')
  )
}

test('detection finds games, unknown depots and services with their true sizes', async () => {
  const { page } = owner
  // It may have begun before the files were written.
  await eventually(() => isOver('gameDetection'), 'the detection at the start has ended')
  await open('/cache/games?view=list')
  await button(en['detect.full']).click()
  await row(/Dota 2/).waitFor()
  await row(new RegExp(`Depot ${unknownDepot}`)).waitFor()
  await row(new RegExp(`Battle.net.*${en['downloads.untitled']}`)).waitFor()
  const sum = page.getByTitle(fill(en['cache.exactly'], { bytes: count(bytesOf(all())) }))
  await sum.first().waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('cache-games')
})

test('filters and order are part of the URL', async () => {
  const { page } = owner
  await page.getByRole('combobox', { name: en['filter.service'] }).selectOption('blizzard')
  await row(/Dota 2/).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?service=blizzard&view=list')
  await page.goBack()
  await open('/cache/games?view=list&show=games&sort=name')
  await row(new RegExp(`Battle.net.*${en['downloads.untitled']}`)).waitFor({ state: 'detached' })
  const first = page.getByRole('row').nth(1)
  expect(await first.innerText()).toContain('Depot')
  await page.getByRole('searchbox', { name: en['cache.search'] }).fill('571')
  await row(/Depot/).waitFor({ state: 'detached' })
  await row(/Dota 2/).waitFor()
})

test('an unknown depot is named by hand, and the name removed', async () => {
  const { page } = owner
  await open('/cache/unnamed')
  const name = page.getByLabel(fill(en['unnamed.nameOf'], { title: `Depot ${unknownDepot}` }))
  const line = page.getByRole('listitem').filter({ has: name })
  await name.fill('Moon Base')
  await line.getByRole('button', { name: en['unnamed.save'] }).click()
  await line.getByText(new RegExp(en['unnamed.byHand'])).waitFor()
  await owner.picture('cache-unnamed')
  await open('/cache/games?view=list')
  await row(/Moon Base/).waitFor()
  await open('/cache/unnamed')
  await line.getByRole('button', { name: en['unnamed.takeBack'] }).click()
  await line.getByRole('button', { name: en['unnamed.takeBack'] }).waitFor({ state: 'detached' })
  // Undo restores the name.
  await undo(owner.page, fill(en['unnamed.nameRemoved'], { name: 'Moon Base' }))
  await line.getByText('Moon Base').first().waitFor()
})

test('a removal states exactly what is deleted, and deletes only that', async () => {
  const { page } = owner
  await open('/cache/games?view=list')
  // With the keyboard only: to the row, into its panel, to the button.
  await row(/Dota 2/).focus()
  await page.keyboard.press('Enter')
  await dialog().getByRole('heading', { name: 'Dota 2' }).waitFor()
  expect(new URL(page.url()).searchParams.get('open')).toMatch(/^alpha:\d+$/)
  await dialog()
    .getByText(stored.dota[0] ?? '')
    .waitFor()
  await owner.picture('cache-game')
  await dialog().getByRole('button', { name: en['removal.ask'] }).click()
  const promised = bytesOf(stored.dota)
  const exact = fill(en['cache.exactly'], { bytes: count(promised) })
  const question = page.getByRole('dialog', { name: fill(en['removal.one'], { name: 'Dota 2' }) })
  await question.getByText(new RegExp(`^${exact}.*12 files`)).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('cache-removal')
  const before = bytesOf(all())
  await question.getByRole('button', { name: /^Remove \d/ }).click()
  const drawer = page.getByRole('dialog', { name: en['nav.operations'] })
  await drawer.getByText(new RegExp(`${count(promised)} bytes`)).waitFor()
  expect(before - bytesOf(all())).toBe(promised)
  expect(stored.dota.some((path) => existsSync(path))).toBe(false)
  expect([...stored.unknown, ...stored.other].every((path) => existsSync(path))).toBe(true)
  await page.keyboard.press('Escape')
  await row(/Dota 2/).waitFor({ state: 'detached' })
  // Reread from the server after a reload.
  await open('/cache/games?view=list')
  await page
    .getByText(new RegExp(`${count(promised)} bytes`))
    .first()
    .waitFor()
})

test('several are selected and removed together; cancelling removes nothing', async () => {
  const { page } = owner
  const before = bytesOf(all())
  for (const name of ['Moon Base', 'Battle.net']) {
    await page.getByRole('checkbox', { name: fill(en['cache.select'], { name }) }).click()
  }
  const bar = page.getByRole('region', { name: en['cache.selection'] })
  await bar.getByTitle(fill(en['cache.exactly'], { bytes: count(before) })).waitFor()
  await bar.getByRole('button', { name: en['removal.ask'] }).click()
  await dialog().getByText(en['removal.wholeService']).waitFor()
  await dialog()
    .getByText(new RegExp(`^${count(before)} bytes`))
    .waitFor()
  await dialog().getByRole('button', { name: en['action.cancel'] }).click()
  await dialog().waitFor({ state: 'detached' })
  expect(bytesOf(all())).toBe(before)
})

test('evicted games are detected and displayed according to the mode', async () => {
  const { page } = owner
  await open('/cache/evicted')
  await button(en['scan.now']).click()
  const list = page.getByRole('grid', { name: en['evicted.list'] })
  await list.waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('cache-evicted')
  await page.getByRole('radio', { name: new RegExp(`^${en['evicted.as.hide']}`) }).check()
  const mode = async () =>
    (await fixture.owner.read<{ evictedDataMode: string }>('/api/stats/eviction')).evictedDataMode
  await eventually(async () => (await mode()) === 'hide', 'evicted downloads are hidden')
  await page.getByText(en['evicted.hiddenHere']).waitFor()
  await button(en['action.undo']).last().click()
  await eventually(async () => (await mode()) === 'show', 'they are shown again')
  await list.waitFor()
})

test('one page shows the content of the disk, and a scan updates it', async () => {
  const { page } = owner
  await open('/cache')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(en['palette.scanCache'])
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: en['nav.operations'] }).waitFor()
  await eventually(() => isOver('cacheSizeScan'), 'the scan has ended')
  await page.keyboard.press('Escape')
  const card = page.getByRole('region', { name: en['scan.title'] })
  await card.getByText(/^Scanned /).waitFor()
  expect(await card.locator('dd').nth(1).innerText()).toBe('4')
  const lead = page.getByRole('region', { name: en['lead.label'] })
  await lead.getByText(/^4 files$/).waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('cache')
})

test('a figure whose data are on their way is neither a dash nor a statement', async () => {
  const { page } = owner
  const late = Promise.withResolvers<void>()
  const slow = /\/api\/(?:games\/detect\/cached|ext\/cache\/index)$/
  await page.route(slow, async (route) => {
    await late.promise
    await route.continue()
  })
  await page.goto(`${fixture.larder.url}/cache`)
  const lead = page.getByRole('region', { name: en['lead.label'] })
  const loading = lead.locator('.skeleton')
  await lead.getByText(en['cache.noLimit']).waitFor()
  await eventually(async () => (await loading.count()) === 2, 'only two figures are loading')
  expect(await lead.innerText()).not.toContain(en['cache.neverScanned'])
  late.resolve()
  await lead.getByText(/^4 files$/).waitFor()
  await loading.first().waitFor({ state: 'detached' })
  await page.unroute(slow)
})

test('on a phone nothing overflows; a guest has no access', async () => {
  const phone = await ownWindow(browser, fixture, { viewport: { width: 390, height: 844 } })
  const small = await watchedPage(phone, fixture.larder.url)
  const { page } = small
  for (const path of ['/cache', '/cache/games', '/cache/unnamed', '/cache/evicted']) {
    await followReady(page, fixture.larder.url + path)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect({ path, width }).toEqual({ path, width: 390 })
    await small.picture(`phone${path.replaceAll('/', '-')}`)
  }
  await phone.close()
  const visit = await browser.newContext({ locale: 'en-GB' })
  const guest = await visit.newPage()
  await guest.goto(`${fixture.larder.url}/cache`)
  await guest.getByRole('button', { name: en['signIn.guest'] }).click()
  await guest.getByText(en['trouble.forbidden']).waitFor()
  expect(await guest.getByRole('link', { name: en['nav.cache'] }).count()).toBe(0)
  await visit.close()
})

test('a whole service is removed in one step, with its log lines if requested', async () => {
  const { page } = owner
  const log = join(fixture.larder.dataPath, '../logs/access.log')
  const linesOf = (tag: string) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`[${tag}]`)).length
  const others = linesOf('steam')
  expect(linesOf('blizzard')).toBeGreaterThan(0)
  await open('/cache/games?service=blizzard')
  const name = 'Battle.net'
  await button(fill(en['removal.service'], { name })).click()
  const promised = bytesOf(stored.other)
  await dialog()
    .getByText(new RegExp(`^${count(promised)} bytes.*1 file`))
    .waitFor()
  await dialog().getByRole('switch', { name: en['removal.logs'] }).click()
  await dialog()
    .getByRole('button', { name: /^Remove \d/ })
    .click()
  const drawer = page.getByRole('dialog', { name: en['nav.operations'] })
  await drawer.getByText(new RegExp(`${count(promised)} bytes`)).waitFor()
  expect(bytesOf(stored.other)).toBe(0)
  expect(stored.unknown.every((path) => existsSync(path))).toBe(true)
  expect({ own: linesOf('blizzard'), others: linesOf('steam') }).toEqual({ own: 0, others })
  await page.keyboard.press('Escape')
})

test('clearing everything requires typed confirmation', async () => {
  const { page } = owner
  await open('/cache')
  await button(en['clear.all']).click()
  const clear = dialog().getByRole('button', { name: en['clear.all'] })
  expect(await clear.isDisabled()).toBe(true)
  await dialog().getByRole('textbox').fill('clear every')
  expect(await clear.isDisabled()).toBe(true)
  await dialog().getByRole('textbox').fill(en['clear.word'])
  await clear.click()
  const drawer = page.getByRole('dialog', { name: en['nav.operations'] })
  await drawer.getByText(/3 files removed/).waitFor()
  expect(bytesOf(all())).toBe(0)
  await page.keyboard.press('Escape')
})

test('going back closes a drawer and stays on the page, whose own panel is a step', async () => {
  const { page } = owner
  await open('/cache/retention')
  await follow(page, `${fixture.larder.url}/cache/retention?open=new`)
  await dialog().waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: en['palette.prompt'] })
  const drawer = page.getByRole('dialog', { name: en['nav.operations'] })
  await palette.waitFor()
  await page.evaluate('history.back()')
  await palette.waitFor({ state: 'detached' })
  await page.waitForURL('**/cache/retention?open=new')
  await page.evaluate('history.back()')
  await dialog().waitFor({ state: 'detached' })
  await open('/cache/games')
  await button(en['nav.operations']).click()
  await drawer.waitFor()
  await page.evaluate('history.back()')
  await drawer.waitFor({ state: 'detached' })
  await page.waitForURL('**/cache/games')
  await button(en['nav.operations']).waitFor()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(en['cache.tabGames'])
})

test('a folder that goes away disables removal on an open page and shows the remedy', async () => {
  const { page } = owner
  await open('/cache')
  renameSync(cachePath, `${cachePath}-away`)
  await page.getByText(en['cache.gateMissingFix']).waitFor()
  expect(await button(en['clear.all']).isDisabled()).toBe(true)
  renameSync(`${cachePath}-away`, cachePath)
  expect(owner.foreignRequests).toEqual([])
  expect(owner.complaints).toEqual([])
})
