import { beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Notifications } from '../../src/system/notifications/model.ts'
import type { WidgetSummary } from '../../src/system/widgets/model.ts'
import { eventually } from '../support/eventually.ts'
import { mqttBroker } from '../support/mqtt-broker.ts'
import { notificationServer } from '../support/notification-server.ts'
import { findings } from './accessible.ts'
import { follow, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { openServiceFixture, ownWindow, type ServiceFixture } from './service-fixture.ts'
import { en } from './texts.ts'

const server = notificationServer()
let service: ServiceFixture
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  service = await openServiceFixture()
  browser = await launchBrowser()
  watched = await watchedPage(await ownWindow(browser, service), service.larder.url)
  page = watched.page
}, 180_000)

const open = (path: string) => follow(page, `${service.larder.url}/settings/${path}`)
const card = (title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('notifications', () => {
  test('a target is added, tested and disabled; its address is not shown again', async () => {
    await open('notifications')
    await page.getByText(en['notify.noTargets']).waitFor()
    await button(en['notify.add']).first().click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel(en['notify.sendTo']).selectOption('webhook')
    await panel.getByLabel(en['notify.name'], { exact: true }).fill('Operators')
    await panel.getByLabel(en['notify.field.url']).fill('ftp://files.lan')
    await panel.getByRole('button', { name: en['notify.add'] }).click()
    await panel.getByText('url: give an http or https address').waitFor()
    await panel.getByLabel(en['notify.field.url']).fill(`${server.url}/secret_path`)
    await watched.picture('notifications-target')
    await panel.getByRole('button', { name: en['notify.add'] }).click()
    const row = card(en['notify.targets']).getByText('Operators', { exact: true })
    await row.waitFor()
    await button(en['notify.test']).click()
    await page.getByText(en['notify.testDelivered']).waitFor()
    expect(server.received.at(-1)?.path).toBe('/secret_path')
    expect(await page.content()).not.toContain('secret_path')
    const isOn = page.getByRole('switch', { name: 'Operators is enabled' })
    await isOn.click()
    await page.getByText(en['notify.disabled'], { exact: true }).waitFor()
    await isOn.click()
    await page.getByText('Last sent', { exact: false }).waitFor()
  })

  test('rules and quiet hours are saved at once, and a failure is shown', async () => {
    const disk = page.getByRole('combobox', { name: en['notify.disk'] })
    expect(await disk.inputValue()).toBe('14')
    await disk.selectOption('30')
    await page
      .getByRole('group', { name: en['notify.finishedJobs'] })
      .getByRole('button', { name: en['job.gameDetection'], exact: true })
      .click()
    await page.getByRole('switch', { name: en['notify.quietOn'] }).click()
    await page.getByLabel(en['notify.quietStart']).waitFor()
    const { rules, quietHours } = await service.owner.read<Notifications>('/api/ext/notifications')
    expect(rules).toMatchObject({ diskDays: 30, finishedJobs: ['gameDetection'] })
    expect(quietHours).toMatchObject({ start: '22:00', end: '07:00' })
    server.setMood('refuses')
    await button(en['notify.test']).click()
    await page.getByText('status 500').first().waitFor()
    await watched.picture('notifications')
    server.setMood('answers')
    expect(await findings(page)).toEqual([])
  })
})

test('metrics: the address, who may read, and what to write into Prometheus', async () => {
  await open('metrics')
  const job = page.getByLabel(en['metrics.scrapeLabel'])
  await job.waitFor()
  expect(await job.textContent()).not.toContain('credentials')
  await page.getByRole('switch', { name: en['metrics.key'] }).click()
  await eventually(
    async () => (await job.textContent())?.includes('credentials_file') === true,
    'the job for Prometheus names the key',
  )
  expect((await fetch(`${service.larder.url}/metrics`)).status).toBe(401)
  await watched.picture('metrics')
  await button(en['monitoring.toDefault']).click()
  await eventually(
    async () => (await job.textContent())?.includes('credentials_file') === false,
    'the job for Prometheus names no key',
  )
  expect((await fetch(`${service.larder.url}/metrics`)).status).toBe(200)
  const file = await fetch(`${service.larder.url}/grafana.json`)
  expect(await file.json()).toMatchObject({ title: 'Larder' })
  expect(await findings(page)).toEqual([])
})

test('widgets: a token is shown once, reads the summary, and is revoked', async () => {
  await open('widgets')
  await button(en['widgets.create']).click()
  await page.getByLabel(en['widgets.name']).fill('Homepage')
  await button(en['widgets.create']).click()
  const token = await page.getByLabel(en['widgets.token'], { exact: true }).inputValue()
  await watched.picture('widgets-token')
  const summary = `${service.larder.url}/api/widgets/summary?token=${token}`
  const read = (await (await fetch(summary)).json()) as WidgetSummary
  expect(read.totalServedBytes).toBeGreaterThan(0)
  await button(en['widgets.noted']).click()
  expect(await page.content()).not.toContain(token)
  await page.getByAltText(en['widgets.figure.saved']).waitFor()
  const width = `document.querySelector('img[src*="badge.svg"]').naturalWidth`
  await eventually(async () => (await page.evaluate<number>(width)) > 50, 'the badge is shown')
  await button(en['widgets.revoke']).click()
  await button(en['widgets.revoke']).click()
  await page.getByText(en['widgets.none']).waitFor()
  expect((await fetch(summary)).status).toBe(401)
})

test('MQTT: a broker is set up, shown as connected, and switched off', async () => {
  const broker = await mqttBroker({ user: 'larder', password: 'secret_word' })
  await open('widgets')
  await button(en['mqtt.setUp']).click()
  await page.getByLabel(en['mqtt.url'], { exact: true }).fill(broker.url)
  await page.getByLabel(en['mqtt.user']).fill('larder')
  await page.getByLabel(en['mqtt.password']).fill('secret_word')
  await button(en['mqtt.save']).click()
  await page.getByText('Connected, published', { exact: false }).waitFor()
  await watched.picture('widgets')
  expect(await findings(page)).toEqual([])
  expect(broker.topics.get('larder/status')).toBe('online')
  await page.getByRole('switch', { name: en['mqtt.publish'] }).click()
  await page.getByText(en['mqtt.off']).waitFor()
  expect(broker.topics.get('larder/status')).toBe('offline')
})

test('log: lines by level and text, and never the installation key', async () => {
  await open('log')
  const list = page.getByRole('list', { name: en['settings.log'] })
  await list.getByText('Larder is up').waitFor()
  await watched.picture('log')
  await page.getByRole('searchbox', { name: en['log.search'] }).fill('installation key')
  await list.getByText('installation key created: [secret]').waitFor()
  await eventually(async () => (await list.getByRole('listitem').count()) === 1, 'one line is left')
  await button(en['log.from.error']).click()
  await page.getByText(en['log.noneFound']).waitFor()
  expect(await findings(page)).toEqual([])
})

test('the palette finds the pages by what people search for', async () => {
  for (const [words, label] of [
    ['discord', en['settings.notifications']],
    ['grafana', en['settings.metrics']],
    ['home assistant', en['settings.widgets']],
    ['log viewer', en['settings.log']],
  ] as const) {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox')
    await field.fill(words)
    await page.getByRole('option', { name: label }).first().waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
  }
  expect(watched.foreignRequests).toEqual([])
})

test('on a phone nothing is cut off', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ['notifications', 'metrics', 'widgets', 'log']) {
    await open(name)
    await page.locator('.card').first().waitFor()
    const overflow = () =>
      page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect([name, await overflow()]).toEqual([name, 0])
    await watched.picture(`${name}-phone`)
  }
})
