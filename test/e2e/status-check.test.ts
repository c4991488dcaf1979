import { beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { atEnd } from '../support/cleanup.ts'
import { DnsServer } from '../support/dns-server.ts'
import { branchArchive, DomainListSite } from '../support/domain-list-site.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, signedIn, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

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

test('no errors in the console', () => {
  expect(owner.complaints).toEqual([])
})
