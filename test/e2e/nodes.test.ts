import { beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { servePrefill } from '../../src/demo/prefill-site.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import { LabNode } from '../lab/lab-node.ts'
import { Larder } from '../lab/larder.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { serveLocally } from '../support/stand-ins/serve-locally.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findings, followReady, openReady } from './accessible.ts'
import { copyDashboard, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { ownWindow } from './service-fixture.ts'
import { en, fill } from './texts.ts'

let larder: Larder
let owner: Visitor
let browser: Browser
let watched: WatchedPage
let node: LabNode
const root = tempFolder('e2e-nodes')
/** The usual cache, with a few games behind it. */
const site = servePrefill(() => {}, { delayMs: 5 })
/** The cache of the node, which has the same games. */
const nodeCache = serveLocally(({ url, headers }) => {
  const { pathname, search } = new URL(url)
  return fetch(`${site.environment.Gamma__VersionsBaseUrl}${pathname}${search}`, { headers })
})

beforeAll(async () => {
  mkdirSync(join(root, 'cache'))
  atEnd(async () => {
    await nodeCache.stop()
    await site.stop()
  })
  larder = await Larder.startIn(root, { ...site.environment, WEB_PATH: copyDashboard(root) })
  owner = await larder.firstSignIn()
  browser = await launchBrowser()
  watched = await watchedPage(await ownWindow(browser, { larder }), larder.url)
})

const open = (path: string) => followReady(watched.page, larder.url + path)
const button = (name: string | RegExp) =>
  watched.page.getByRole('button', { name, exact: typeof name === 'string' })
const text = (wanted: string | RegExp) => watched.page.getByText(wanted).first()

const update = '/d/msdownload/update/one.cab'
const put = (cachePath: string) =>
  writeCacheFile(cachePath, {
    key: sliceKey('wsus', update, 0),
    body: Buffer.alloc(5000, 1),
    storedAt: 1_790_000_000,
  })

test('a node is invited, joins, and gets another name', async () => {
  const { page } = watched
  await open('/settings/nodes')
  await button(en['nodes.add']).click()
  await page.getByLabel(en['nodes.name']).fill('barn')
  await button(en['nodes.create']).click()
  const command = text(/Node__Token=/)
  const [, token = ''] = /Node__Token=(\S+)/.exec(await command.innerText()) ?? []
  expect(await findings(page)).toEqual([])
  await watched.picture('nodes-invited')
  await button(en['nodes.noted']).click()
  const environment = { Node__CacheAddress: `127.0.0.1:${nodeCache.port}` }
  const joining = {
    root: join(root, 'barn'),
    name: 'barn',
    serviceUrl: larder.url,
    token,
    environment,
  }
  node = await LabNode.start(joining)
  await text(en['nodes.state.connected']).waitFor()

  await button(en['action.rename']).click()
  await page.getByLabel(en['nodes.name']).fill('loft')
  await button(en['action.rename']).click()
  await text(/^loft$/).waitFor()
  // Folders of the node have its name in front.
  const isRenamed = async () =>
    (await (await owner.request('GET', '/api/ext/datasources')).text()).includes(
      `loft:${node.proxy.cachePath}`,
    )
  await eventually(isRenamed, 'its folders have the new name')
})

test('pages name a node that is away, and a removal asks what becomes of its part', async () => {
  const { page } = watched
  const own = put(join(root, 'cache'))
  const there = put(node.proxy.cachePath)
  await owner.write('POST', '/api/games/detect?forceRefresh=true')
  const isFound = async () => {
    const found = await owner.request('GET', '/api/games/detect/cached')
    return (await found.text()).includes('"wsus"')
  }
  await eventually(isFound, 'both files are known')
  await node.kill()
  await open('/cache')
  const line = text(/^Without cache server loft, away since /)
  await line.waitFor()
  expect(await findings(page)).toEqual([])
  await watched.picture('cache-away')

  await open('/cache/games?view=list')
  await page
    .getByRole('row', { name: /Windows Update|wsus/i })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: en['removal.ask'] }).click()
  const choice = page.getByRole('group', { name: fill(en['away.choice'], { nodes: 'loft' }) })
  await choice.getByRole('button', { name: en['away.skip'] }).click()
  await text(en['away.skipNote']).waitFor()
  await choice.getByRole('button', { name: en['away.later'] }).click()
  await text(en['away.laterNote']).waitFor()
  expect(await findings(page)).toEqual([])
  await watched.picture('cache-removal-away')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove .*B$/ })
    .click()
  await eventually(() => !existsSync(own), 'the file of the service is removed')

  await open('/cache')
  await text(en['later.title']).waitFor()
  await watched.picture('cache-later')
  node.start()
  await eventually(() => !existsSync(there), 'the node has done its part')
  await text(en['later.title']).waitFor({ state: 'detached' })
  await line.waitFor({ state: 'detached' })
})

test('the size before a run is that of the chosen cache', async () => {
  const { page } = watched
  // The drawer with the removal does not survive this.
  await openReady(page, `${larder.url}/prefill/gamma`)
  await button(en['prefill.start']).click()
  await page.getByRole('checkbox', { name: 'Diablo IV', exact: true }).click()
  await button(en['prefill.startRun']).click()
  await text(new RegExp(`^${en['prefill.completed']} · `)).waitFor()
  const size = page.getByRole('status').filter({ hasText: 'Diablo IV' })
  await button(en['prefill.size']).click()
  await size.getByText(en['prefill.upToDate'], { exact: true }).waitFor()

  await page.getByLabel(en['prefill.cache'], { exact: true }).selectOption('loft')
  await size.waitFor({ state: 'detached' })
  await button(en['prefill.size']).click()
  await size.getByText(/^[\d.,]+ [kM]B$/).waitFor()
  expect(await findings(page)).toEqual([])
  await watched.picture('prefill-cache-choice')
})

test('a node that is revoked is refused', async () => {
  const { page } = watched
  await open('/settings/nodes')
  await button(en['nodes.revoke']).click()
  await page.getByText(fill(en['nodes.revokeConsequence'], { name: 'loft' })).waitFor()
  await button(en['nodes.revoke']).click()
  await text(en['nodes.state.revoked']).waitFor()
  await watched.picture('nodes-revoked')
})

test('the database page says whether the replica answers reports', async () => {
  const { page } = watched
  await page.route('**/api/ext/status', async (route) => {
    const answer = await route.fetch()
    // Our own endpoint.
    const status = (await answer.json()) as { history: object }
    const replica = { state: 'away', message: 'it was promoted' }
    await route.fulfill({ json: { ...status, history: { ...status.history, replica } } })
  })
  await open('/settings/database')
  await text(en['database.replicaState.away']).waitFor()
  await text('it was promoted').waitFor()
  expect(await findings(page)).toEqual([])
  await page.unroute('**/api/ext/status')
})

test('the database page says what its months of downloads would delete', async () => {
  const { page } = watched
  await open('/settings/database')
  const card = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: en['database.keep'] }) })
  const months = card.getByRole('textbox')
  await months.fill('12')
  await months.press('Enter')
  const plan = fill(en['database.keepPreview'], { downloads: '0', partitions: '0', bytes: '0 B' })
  await card.getByText(plan).waitFor()
  // Nothing is that old.
  expect(await card.getByRole('button', { name: en['database.keepRun'] }).isDisabled()).toBe(true)
  expect(await findings(page)).toEqual([])
  await watched.picture('database-keep')
  expect(watched.foreignRequests).toEqual([])
})
