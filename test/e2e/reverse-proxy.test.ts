import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { labAccount, Larder } from '../lab/larder.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { copyDashboard, launchBrowser, watchedPage } from './browser.ts'
import { signedIn, signInElsewhere } from './service-fixture.ts'
import { en } from './texts.ts'

let page: Page
/** What the proxy answers without the service. */
let isAway = false
let sockets = 0

/**
 * A reverse proxy that passes on no WebSockets: the first one and those to daemons are opened and stay
 * silent, the second is closed at once, later ones are plain requests to the service.
 */
function startProxy(target: string): string {
  let upgrades = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    websocket: { open: (socket) => void (upgrades === 2 && socket.close()), message: () => {} },
    fetch(request) {
      const { method, headers, body, url } = request
      if (headers.has('upgrade')) {
        upgrades++
        const isOpened = upgrades <= 2 || url.includes('daemon')
        if (isOpened && server.upgrade(request)) return undefined
        for (const name of ['connection', 'upgrade']) headers.delete(name)
      }
      if (isAway) {
        const html = { 'Content-Type': 'text/html' }
        return new Response('<h1>502 Bad Gateway</h1>', { status: 502, headers: html })
      }
      const { pathname, search } = new URL(url)
      return fetch(`${target}${pathname}${search}`, { method, headers, body, decompress: false })
    },
  })
  atEnd(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

beforeAll(async () => {
  isAway = false
  sockets = 0
  const root = tempFolder('reverse-proxy')
  const larder = await Larder.startIn(root, { WEB_PATH: copyDashboard(root) })
  await larder.firstSignIn()
  const owner = await signInElsewhere(larder, labAccount)
  const url = startProxy(larder.url)
  const context = await signedIn(await launchBrowser(), { larder: { url }, owner })
  const watched = await watchedPage(context, url)
  page = watched.page
  page.on('websocket', () => void sockets++)
  await page.goto(`${url}/games`)
})

test('without WebSockets, figures are read again, and the page does not call the service unreachable', async () => {
  await eventually(() => sockets >= 3, 'several attempts to connect have failed')
  await page.waitForResponse((answer) => answer.url().includes('/api/downloads/retro'))
  await page.getByTitle(en['live.reconnectingHint']).waitFor()
  expect(await page.getByTitle(en['live.offlineHint']).count()).toBe(0)
})

test('a page that needs the live connection says that there is none', async () => {
  await page.evaluate(`location.assign('/prefill/epsilon')`)
  await page.getByText(en['prefill.noConnectionText']).waitFor()
})

test('a page that is opened while the proxy has no service comes back by itself', async () => {
  isAway = true
  await page.getByRole('link', { name: en['nav.clients'], exact: true }).click()
  await page.getByText(en['trouble.unreachableText']).waitFor()
  isAway = false
  await page.getByRole('heading', { name: en['nav.clients'] }).waitFor()
})
