import { beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { atEnd } from '../support/cleanup.ts'
import { DnsServer } from '../support/dns-server.ts'
import { branchArchive, DomainListSite } from '../support/domain-list-site.ts'
import { openTestClient } from '../support/postgres.ts'
import { findingsInThemes, followReady } from './accessible.ts'
import { launchBrowser, undo, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, signedIn, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

const nowhere = 'http://127.0.0.1:1'

let fixture: ServiceFixture
let browser: Browser
let owner: WatchedPage

beforeAll(async () => {
  const dns = await DnsServer.start()
  atEnd(async () => dns.stop())
  const publicName = 'lancache.steamcontent.com'
  dns.set('A', publicName, [{ type: 'A', name: publicName, ttl: 60, data: '8.8.4.4' }])
  dns.set('A', 'blocked.example.com', [
    { type: 'A', name: 'blocked.example.com', ttl: 60, data: '0.0.0.0' },
  ])
  const site = new DomainListSite()
  site.archive = await branchArchive({
    'cache_domains.json': JSON.stringify({ steam: ['steam.txt'], riot: ['riot.txt'] }),
    'steam.txt': publicName,
    'riot.txt': 'blocked.example.com\ngone.example.com',
  })
  fixture = await openServiceFixture({
    DOCKER_HOST: 'unix:///nonexistent/docker.sock',
    Prefill__LancacheDnsIp: dns.address,
    StatusCheck__DomainsUrl: site.url,
    StatusCheck__CloudflareDnsUrl: nowhere,
    StatusCheck__GoogleDnsUrl: nowhere,
  })
  browser = await launchBrowser()
  owner = await watchedPage(await signedIn(browser, fixture), fixture.larder.url)
})

test('a check says what is wrong and what to do; services open to their domains', async () => {
  const { page } = owner
  await page.goto(`${fixture.larder.url}/settings`)
  await page.getByRole('link', { name: en['settings.status-check'] }).click()
  await page.getByText(en['statusCheck.never']).waitFor()
  await page.getByRole('button', { name: en['statusCheck.run'] }).click()
  await page.getByText(en['statusCheck.broken']).waitFor()
  for (const id of ['noCache', 'wrongDns', 'unresolved', 'blocked'] as const) {
    await page.getByText(en[`statusCheck.remedy.${id}`]).waitFor()
  }
  await page.locator('summary').filter({ hasText: 'Steam' }).click()
  await page.getByRole('cell', { name: '8.8.4.4' }).waitFor()
  await owner.picture('status-check')
})

test('one domain is checked alone', async () => {
  const { page } = owner
  await page.getByRole('textbox', { name: en['statusCheck.domain'] }).fill('gone.example.com')
  await page.getByRole('button', { name: en['statusCheck.test'], exact: true }).click()
  await page.getByText(en['statusCheck.error.unknown']).last().waitFor()
})

test('the resolver mode is kept', async () => {
  const { page } = owner
  await page.getByRole('button', { name: en['statusCheck.mode.host'] }).click()
  await page.getByText(en['statusCheck.modeNote.host']).waitFor()
  await page.reload()
  await page.getByText(en['statusCheck.modeNote.host']).waitFor()
})

test('a client that has stopped coming is listed, dismissed and restored', async () => {
  const { page } = owner
  const sql = openTestClient(fixture.larder.historyTarget())
  await sql`
    INSERT INTO client_service_day (bucket_at, client, service, is_prefill, hit_bytes, miss_bytes,
      requests, downloads, first_at, last_at)
    SELECT day, client, 'steam', false, 1000, 0, 1, 1, day, day
    FROM (VALUES ('192.168.1.91', 9), ('192.168.1.92', 0)) AS seen(client, ago),
      generate_series(30, ago, -1) AS number,
      LATERAL (SELECT date_trunc('day', now(), 'UTC') - make_interval(days => number)) AS at(day)`
  await sql.end()
  const name = '192.168.1.91'
  await followReady(page, `${fixture.larder.url}/clients?range=all`)
  const card = page.getByRole('region', { name: en['bypass.title'] })
  await card.getByText(en['bypass.perhaps']).waitFor()
  expect(await card.innerText()).toContain(name)
  // The check above found that the network's DNS leads nothing of it to the cache.
  expect(await card.innerText()).toContain(en['bypass.networkDns'])
  expect(await card.innerText()).not.toContain('192.168.1.92')
  await owner.picture('clients-bypass')
  expect(await findingsInThemes(page)).toEqual({ dark: [], light: [] })
  await card.getByRole('button', { name: fill(en['bypass.dismissOf'], { name }) }).click()
  await card.waitFor({ state: 'detached' })
  await undo(page, fill(en['bypass.dismissed'], { name }))
  await card.waitFor()
})

test('the query log of the DNS server is set up, and says why it cannot be read', async () => {
  const { page } = owner
  await followReady(page, `${fixture.larder.url}/settings/clients`)
  const card = page.getByRole('region', { name: en['queryLog.title'] })
  await card.getByRole('button', { name: en['queryLog.setUp'], exact: true }).click()
  await card.getByLabel(en['queryLog.url']).fill(nowhere)
  await card.getByLabel(en['queryLog.user']).fill('larder')
  await card.getByLabel(en['queryLog.password']).fill('secret-word')
  await card.getByRole('button', { name: en['queryLog.save'], exact: true }).click()
  await card.getByText('127.0.0.1:1 cannot be reached').waitFor()
  await card.getByRole('button', { name: en['queryLog.stop'] }).click()
  await card.getByRole('button', { name: en['queryLog.setUp'], exact: true }).waitFor()
})

test('no errors in the console', () => {
  expect(owner.complaints).toEqual([])
})
