import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import jsQr from 'jsqr'
import type { Browser, Page } from 'playwright-core'
import type { CalendarEvent } from '../../src/downloads/events/model.ts'
import type { GuestView, KioskView } from '../../src/party/model.ts'
import { Larder } from '../lab/larder.ts'
import { alphaHeaders, download, startProxy, type Proxy } from '../lab/proxy.ts'
import { referenceCount } from '../lab/reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { slowness } from '../support/slowness.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findings } from './accessible.ts'
import { copyDashboard, launchBrowser, watchedPage, type WatchedPage } from './browser.ts'
import { signedIn } from './service-fixture.ts'
import { en } from './texts.ts'

const root = tempFolder('party')
/** Far more than the two seconds that it takes on a usual machine. */
const liveLimitMs = 10_000 * slowness

let proxy: Proxy
let webPath: string
let larder: Larder
let browser: Browser
let host: WatchedPage
let event: CalendarEvent

const start = (port?: number) =>
  Larder.start(
    {
      dataPath: join(root, 'data'),
      cachePath: proxy.cachePath,
      sources: [{ name: 'default', logPath: proxy.plainLogs }],
      environment: { DOCKER_HOST: 'unix:///nowhere/engine.sock', WEB_PATH: webPath },
    },
    port,
  )

beforeAll(async () => {
  proxy = await startProxy(root)
  webPath = copyDashboard(root)
  larder = await start()
  const owner = await larder.firstSignIn()
  await eventually(
    async () => (await owner.request('GET', '/api/events/active')).ok,
    'the history answers',
  )
  const now = Math.floor(Date.now() / 1000)
  const body = { name: 'Winter LAN', startTime: now - 3600, endTime: now + 86_400 }
  const created = await owner.request('POST', '/api/events', body)
  // The documented answer.
  event = (await created.json()) as CalendarEvent
  browser = await launchBrowser()
  host = await watchedPage(await signedIn(browser, { larder, owner }), larder.url)
})

afterAll(async () => {
  await larder.stop()
  await proxy.stop()
})

/** A window without a session, with the address of a device. */
async function visitor(address: string, phone = true): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 720 },
    locale: 'en-GB',
    extraHTTPHeaders: { 'X-Forwarded-For': address },
  })
  return watchedPage(context, larder.url)
}

interface Pixels {
  width: number
  height: number
  /** `1` where it is dark, row by row. */
  dark: string
}

/** What the QR code in a picture of the page says. */
async function codeOf(page: Page, reader: Page): Promise<string | null> {
  const picture = (await page.screenshot()).toString('base64')
  // As text: it runs in the browser, which alone knows these names.
  const { width, height, dark } = await reader.evaluate<Pixels>(`(async () => {
    const picture = await fetch('data:image/png;base64,${picture}')
    const image = await createImageBitmap(await picture.blob())
    const { width, height } = image
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    let dark = ''
    for (let at = 0; at < data.length; at += 4) dark += data[at] < 128 ? '1' : '0'
    return { width, height, dark }
  })()`)
  const pixels = Uint8ClampedArray.from({ length: 4 * dark.length }, (_, index) =>
    index % 4 === 3 || dark[index >> 2] === '0' ? 255 : 0,
  )
  return jsQr(pixels, width, height)?.data ?? null
}

/** Milliseconds until the page shows the text. */
async function shownAfter(page: Page, text: string): Promise<number> {
  const startedMs = performance.now()
  await page.getByText(text, { exact: true }).first().waitFor({ timeout: liveLimitMs })
  return Math.round(performance.now() - startedMs)
}

test('a party: switch, beamer, three phones, a download and a vote', async () => {
  await host.page.goto(`${larder.url}/events/${event.id}`)
  await host.page.getByRole('button', { name: en['party.turnOn'] }).click()
  const link = host.page.getByRole('link', { name: en['party.kioskLink'] })
  const kioskPath = (await link.getAttribute('href')) ?? ''

  const beamer = await visitor('127.0.0.9', false)
  await beamer.page.goto(`${larder.url}${kioskPath}`)
  const reader = await (await browser.newContext()).newPage()
  let address: string | null = null
  await beamer.page.getByRole('img', { name: en['party.join'] }).first().waitFor()
  await eventually(async () => {
    address = await codeOf(beamer.page, reader)
    return address !== null
  }, 'the code on the beamer can be read')
  expect(address ?? '').toStartWith(`${larder.url}/s#`)

  const phones: WatchedPage[] = []
  for (const own of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    const phone = await visitor(own)
    await phone.page.goto(address ?? '')
    await phone.page.getByText(en['party.youAreNew']).waitFor()
    phones.push(phone)
  }
  const [first, second, third] = phones
  if (first === undefined || second === undefined || third === undefined) throw new Error('phones')

  const path = '/size/6000000/depot/441/chunk/aa'
  const get = (from: string) => download({ port: proxy.port, path, from, headers: alphaHeaders })
  await get('127.0.0.3')
  await get('127.0.0.2')
  const downloadMs = await shownAfter(beamer.page, 'Team Fortress 2')
  await first.page.getByText('6.00 MB', { exact: false }).first().waitFor()
  await third.page.getByText(en['party.youAreNew']).waitFor()

  await second.page.getByRole('searchbox').fill('Doom')
  await second.page.getByRole('button', { name: /Doom/ }).click()
  const wishMs = await shownAfter(beamer.page, 'Doom')
  await third.page.getByRole('button', { name: /Doom/ }).click()
  await third.page.getByRole('button', { name: /Doom/, pressed: true }).waitFor()
  await third.page.getByRole('button', { name: /2 votes/ }).waitFor()
  await host.page.getByText('2 votes', { exact: false }).waitFor()
  // A name needs the host's permission, then the guest who chooses it.
  expect(await second.page.getByLabel(en['party.myName']).count()).toBe(0)
  await host.page.getByRole('button', { name: en['party.texts'] }).click()
  await host.page.getByRole('switch', { name: en['party.allowNames'] }).click()
  await host.page.getByRole('button', { name: en['party.save'], exact: true }).click()
  await second.page.getByLabel(en['party.myName']).fill('Ada of the frogs')
  await second.page.getByRole('button', { name: en['party.save'] }).click()
  await beamer.page.getByText('Ada of the frogs').first().waitFor()

  console.log(`shown on the beamer: a download after ${downloadMs} ms, a wish after ${wishMs} ms`)

  const read = async (from: string, page: string, token: string) => {
    const headers = { 'X-Share-Link': token, 'X-Forwarded-For': from }
    return (await fetch(`${larder.url}/api/ext/party/${event.id}/${page}`, { headers })).text()
  }
  const token = (address ?? '').split('#')[1] ?? ''
  const kiosk = () => read('127.0.0.9', 'kiosk', kioskPath.split('#')[1] ?? '')
  const counted = Object.values(
    referenceCount(readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8'), 'plain'),
  )
  const sum = (key: 'hitBytes' | 'missBytes') => counted.reduce((all, one) => all + one[key], 0)
  expect(sum('hitBytes')).toBe(6_000_000)
  await eventually(async () => {
    const { savedBytes, servedBytes } = (JSON.parse(await kiosk()) as KioskView).totals
    return servedBytes === sum('hitBytes') + sum('missBytes') && savedBytes === sum('hitBytes')
  }, "the party's totals are those of the proxy's log")
  const own = await read('127.0.0.3', 'guest', token)
  expect((JSON.parse(own) as GuestView).device).toMatchObject({ bytes: 6_000_000, savedBytes: 0 })
  for (const text of [own, await kiosk()]) expect(text).not.toContain('127.0.0.')

  // The network of the beamer is away for a while.
  const { page } = beamer
  await page.context().setOffline(true)
  await page.getByText(en['party.reconnecting']).waitFor()
  expect(await page.getByText('Doom', { exact: true }).count()).toBeGreaterThan(0)
  await page.context().setOffline(false)
  await page.getByText(en['party.reconnecting']).waitFor({ state: 'detached' })

  expect(await findings(first.page)).toEqual([])
  expect(await findings(beamer.page)).toEqual([])
  await host.picture('party-host')
  await first.picture('party-phone')
  await beamer.picture('party-kiosk')
  for (const { complaints, foreignRequests } of [host, first, second, third]) {
    expect([complaints, foreignRequests]).toEqual([[], []])
  }

  // The service is killed and started again.
  const { port } = new URL(larder.url)
  await larder.kill()
  await page.getByText(en['party.reconnecting']).waitFor()
  await first.page.getByText(en['party.reconnecting']).waitFor()
  expect(await page.getByText('Doom', { exact: true }).count()).toBeGreaterThan(0)
  larder = await start(Number(port))
  await Promise.all(
    [page, first.page].map((it) =>
      it.getByText(en['party.reconnecting']).waitFor({ state: 'detached' }),
    ),
  )
  await get('127.0.0.4')
  await third.page.getByText(en['party.youAreNew']).waitFor({ state: 'detached' })

  await host.page.goto(`${larder.url}/events/${event.id}`)
  await host.page.getByRole('button', { name: en['party.off'] }).click()
  await host.page.getByRole('button', { name: en['party.off'] }).click()
  await Promise.all([beamer, first].map((it) => it.page.getByText(/over/).first().waitFor()))
})
