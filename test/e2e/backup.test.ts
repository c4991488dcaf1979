import { beforeAll, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { foreignHistory } from '../support/foreign-history.ts'
import { openTestClient } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findings, followReady, openReady } from './accessible.ts'
import { launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, signedIn, type ServiceFixture } from './service-fixture.ts'
import { en, fill } from './texts.ts'

let fixture: ServiceFixture
let owner: WatchedPage
let phone: WatchedPage

beforeAll(async () => {
  fixture = await openServiceFixture()
  const browser = await launchBrowser()
  const { url } = fixture.larder
  owner = await watchedPage(await signedIn(browser, fixture), url)
  const narrow = { viewport: { width: 390, height: 844 } }
  phone = await watchedPage(await signedIn(browser, fixture, narrow), url)
})

const folder = () => join(fixture.larder.dataPath, 'backups')
const files = () => readdirSync(folder()).filter((name) => name.endsWith('.zst'))
const button = (name: string) => owner.page.getByRole('button', { name, exact: true })

test('both pages fit a phone', async () => {
  for (const name of ['backup', 'database']) {
    await followReady(phone.page, `${fixture.larder.url}/settings/${name}`)
    const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await phone.picture(`settings-${name}-phone`)
  }
})

test('a snapshot is made, downloaded, uploaded and deleted', async () => {
  const { page } = owner
  await openReady(page, `${fixture.larder.url}/settings/backup`)
  await page.getByText(en['backup.none']).waitFor()
  await button(en['backup.make']).click()
  const link = page.getByRole('link', { name: en['backup.download'], exact: true })
  await link.waitFor()
  expect(await findings(page)).toEqual([])
  await owner.picture('settings-backup')
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  const [name = ''] = files()
  expect(download.suggestedFilename()).toBe(name)
  const copy = join(tempFolder('download'), 'copy.tar.zst')
  await download.saveAs(copy)
  expect(statSync(copy).size).toBe(statSync(join(folder(), name)).size)
  await page.locator('input[type=file]').setInputFiles(copy)
  await page.getByText(`${en['backup.kind.uploaded']} ·`).waitFor()
  expect(files()).toHaveLength(2)
  await button(en['backup.delete']).first().click()
  await button(en['backup.delete']).first().click()
  await eventually(() => files().length === 1, 'one is deleted')
  expect(owner.complaints).toEqual([])
})

test('a restore asks once, restarts the service, and says what happened', async () => {
  const { page } = owner
  const [name = ''] = files()
  copyFileSync(join(folder(), name), join(folder(), 'larder-20260101-000000.tar.zst'))
  await followReady(page, `${fixture.larder.url}/settings/backup`)
  await button(en['backup.restore']).first().click()
  await owner.picture('settings-backup-restore')
  await button(en['backup.restartToFinish']).click()
  await eventually(
    () => fixture.larder.output.includes('the snapshot was restored'),
    'the service has restored it',
  )
  await page.getByText(en['backup.restored'], { exact: true }).waitFor()
  await owner.picture('settings-backup-restored')
})

test('the page names the time that both have counted, and leaves it out', async () => {
  const { page } = owner
  owner.complaints.length = 0
  const place = await foreignHistory(20)
  const sql = openTestClient(place)
  await sql`insert into "Downloads" ("Service", "ClientIp", "StartTimeUtc", "EndTimeUtc",
      "CacheHitBytes", "CacheMissBytes")
    select 'steam', '10.0.0.' || n, now() - interval '1 hour', now() - interval '1 hour', 5, 5
    from generate_series(1, 3) as n
    union all select 'steam', '10.0.0.9', '1999-01-01', '1999-01-01', 5, 5`
  await sql.end()
  await followReady(page, `${fixture.larder.url}/settings/database`)
  for (const [name, value] of [
    ['host', place.host],
    ['port', String(place.port)],
    ['name', place.database],
    ['user', place.user],
    ['password', place.password],
  ] as const) {
    await page.getByLabel(en[`database.${name}`], { exact: true }).fill(value)
  }
  await button(en['database.check']).click()
  await page.getByText('3 downloads of the source began after').waitFor()
  const choice = page.getByRole('switch', { name: en['database.overlap'], exact: true })
  expect(await choice.getAttribute('aria-checked')).toBe('false')
  expect(await findings(page)).toEqual([])
  await button(en['database.importAction']).click()
  await page.getByText(fill(en['database.reason.counted'], { count: '3' })).waitFor()
  await page.getByText(fill(en['database.reason.time'], { count: '1' })).waitFor()
  await owner.picture('settings-database-import')
  expect(owner.complaints).toEqual([])
})

test('the connection of an import is tried, and a reset takes the word', async () => {
  const { page } = owner
  owner.complaints.length = 0
  await followReady(page, `${fixture.larder.url}/settings/database`)
  await page.getByRole('textbox', { name: en['database.host'], exact: true }).fill('127.0.0.1')
  await page.getByRole('textbox', { name: en['database.port'], exact: true }).fill('1')
  await button(en['database.check']).click()
  await page.getByText('does not accept connections').waitFor()
  expect(await button(en['database.importAction']).isDisabled()).toBe(true)
  expect(await findings(page)).toEqual([])
  await owner.picture('settings-database')
  await button(en['database.resetAction']).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: en['database.resetAction'], exact: true })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill(en['database.word'])
  await owner.picture('settings-database-reset')
  await confirm.click()
  // All sessions end: the sign-in page says why.
  await page.getByText('The database was reset').waitFor()
})
