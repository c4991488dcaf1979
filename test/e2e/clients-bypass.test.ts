import { beforeAll, expect, test } from 'bun:test'
import { openTestClient } from '../support/postgres.ts'
import { openReady } from './accessible.ts'
import { launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

let fixture: ServiceFixture
let owner: WatchedPage

/** Two that came every day of a month, until one of them stopped. */
async function addRegulars(): Promise<void> {
  const sql = openTestClient(fixture.larder.historyTarget())
  await sql`
    INSERT INTO client_service_day (bucket_at, client, service, is_prefill, hit_bytes, miss_bytes,
      requests, downloads, first_at, last_at)
    SELECT day, client, 'steam', false, 1000, 0, 1, 1, day, day
    FROM (VALUES ('192.168.1.91', 9), ('192.168.1.92', 0)) AS seen(client, ago),
      generate_series(30, ago, -1) AS number,
      LATERAL (SELECT date_trunc('day', now(), 'UTC') - make_interval(days => number)) AS at(day)`
  await sql.end()
}

beforeAll(async () => {
  fixture = await openServiceFixture()
  await addRegulars()
  owner = await watchedPage(await ownWindow(await launchBrowser(), fixture), fixture.larder.url)
})

const open = ({ page }: WatchedPage, path: string) => openReady(page, fixture.larder.url + path)

test('a client that has stopped coming is listed, dismissed and restored', async () => {
  const { page } = owner
  await open(owner, '/clients?range=all')
  const card = page.getByRole('region', { name: en['bypass.title'] })
  await card.getByText(en['bypass.perhaps']).waitFor()
  expect(await card.innerText()).toContain('192.168.1.91')
  expect(await card.innerText()).not.toContain('192.168.1.92')
  await owner.picture('clients-bypass')
  const name = '192.168.1.91'
  await card.getByRole('button', { name: fill(en['bypass.dismissOf'], { name }) }).click()
  await card.waitFor({ state: 'detached' })
  await undo(page, fill(en['bypass.dismissed'], { name }))
  await card.waitFor()
})

test('the query log of the DNS server is set up, and says why it cannot be read', async () => {
  const { page } = owner
  await open(owner, '/settings/clients')
  const card = page.getByRole('region', { name: en['queryLog.title'] })
  await card.getByRole('button', { name: en['queryLog.setUp'], exact: true }).click()
  await card.getByLabel(en['queryLog.url']).fill('http://127.0.0.1:1')
  await card.getByLabel(en['queryLog.user']).fill('larder')
  await card.getByLabel(en['queryLog.password']).fill('secret-word')
  await card.getByRole('button', { name: en['queryLog.save'], exact: true }).click()
  await card.getByText('127.0.0.1:1 cannot be reached').waitFor()
  await card.getByRole('button', { name: en['queryLog.stop'] }).click()
  await card.getByRole('button', { name: en['queryLog.setUp'], exact: true }).waitFor()
})

test('no errors in the console', () => {
  expect(owner.complaints).toEqual([])
  expect(owner.foreignRequests).toEqual([])
})
