import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { cacheFilePath, sliceKey } from '../../src/demo/cache-generator.ts'
import { Larder } from '../lab/larder.ts'
import { alphaHeaders, download, startProxy, type Proxy } from '../lab/proxy.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { copyDashboard, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { signedIn } from './service-fixture.ts'
import { de } from './texts.ts'

const root = tempFolder('doctor')
const objectBytes = 3_000_000
const stuck = `/size/${objectBytes}/stuck`
const client = '127.0.0.7'
/** Requests of a client that keeps retrying a corrupted file. */
const rounds = 7

let proxy: Proxy
let larder: Larder
let browser: Browser
let it: WatchedPage

const get = () =>
  download({ port: proxy.port, path: stuck, headers: alphaHeaders, from: client }).catch(() => null)

beforeAll(async () => {
  proxy = await startProxy(root)
  await get()
  const middle = join(proxy.cachePath, cacheFilePath(sliceKey('steam', stuck, 1)))
  truncateSync(middle, statSync(middle).size - 1000)
  for (let round = 1; round < rounds; round++) await get()
  await eventually(
    () =>
      readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8').split(stuck).length - 1 === rounds,
    'nginx logs all requests',
  )
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [{ name: 'default', logPath: proxy.plainLogs }],
    environment: {
      WEB_PATH: copyDashboard(root),
      DOCKER_HOST: 'unix:///nowhere/engine.sock',
      Doctor__ProxyAddress: `127.0.0.1:${proxy.port}`,
    },
  })
  const owner = await larder.firstSignIn()
  await eventually(
    async () => (await owner.request('GET', '/api/events/active')).ok,
    'the history answers',
  )
  browser = await launchBrowser()
  const context = await signedIn(browser, { larder, owner }, { locale: 'de-DE' })
  it = await watchedPage(context, larder.url)
})

afterAll(async () => {
  await browser.close()
  await larder.stop()
  await proxy.stop()
})

const button = (name: string) => it.page.getByRole('button', { name, exact: true })
const text = (words: string) => it.page.getByText(words, { exact: true })

test('a stuck download is listed by its object', async () => {
  await it.page.goto(`${larder.url}/cache/integrity?view=object`)
  await button(de['doctor.look']).click()
  const row = it.page.getByText(stuck, { exact: true })
  await row.waitFor()
  await it.picture('doctor-suspects')
  await row.click()
  await text(de['doctor.verdictText.broken']).waitFor()
})

test('fetching again fails while the corrupted file exists, and says so', async () => {
  await button(de['doctor.refetch']).click()
  await it.page.getByText(de['doctor.fetch.brokeOff'], { exact: false }).waitFor()
  await it.picture('doctor-broke-off')
})

test('the corrupted file is removed and the next fetch completes', async () => {
  const { page } = it
  await page.locator('[role="row"][data-index]').nth(1).click()
  const remove = button(de['doctor.purgePiece'])
  await remove.click()
  await remove.click()
  await text(de['doctor.verdictText.incomplete']).waitFor()
  await button(de['nav.operations']).click()
  // By its localised name.
  const name = de['job.objectRemoval'].replace('{object}', 'stuck')
  await page.getByRole('dialog').getByText(name, { exact: true }).waitFor()
  await it.picture('doctor-operations')
  await page.keyboard.press('Escape')
  await button(de['doctor.refetch']).click()
  const after = page.getByRole('region', { name: de['doctor.after'] })
  await after.getByText(de['doctor.verdict.sound'], { exact: true }).waitFor()
  await text(de['doctor.verdictText.sound']).waitFor()
  await it.picture('doctor-healed')
  expect(it.complaints).toEqual([])
  expect(it.foreignRequests).toEqual([])
})
