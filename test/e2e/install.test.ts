/** The dashboard as an installed app: two builds of it, one after the other, and a time without a service. */
import { beforeAll, expect, test } from 'bun:test'
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { dashboard } from '../../src/core/http/spa.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { copyDashboard, launchBrowser, pageLimitMs } from './browser.ts'

const root = tempFolder('install')
const tls = (name: string) => readFileSync(join(import.meta.dir, '../support/tls', name))
const certificate = { cert: tls('localhost.cert.pem'), key: tls('localhost.key.pem') }
const mainOf = (page: string) =>
  /type="module" src="\/assets\/(main-[\w-]+\.js)"/.exec(page)?.[1] ?? ''

let first: string
let second: string
let browser: Browser

/** A later version: another main script, other bytes of the page and the worker; the old script is gone. */
function laterBuild(build: string): string {
  const later = join(root, 'later')
  cpSync(build, later, { recursive: true })
  const page = readFileSync(join(later, 'index.html'), 'utf8')
  const worker = join(later, 'service-worker.js')
  const main = mainOf(page)
  for (const path of [worker, join(later, 'assets', main)]) {
    for (const form of ['.br', '.gzip']) rmSync(path + form, { force: true })
  }
  renameSync(join(later, 'assets', main), join(later, 'assets/main-later.js'))
  writeFileSync(join(later, 'index.html'), page.replaceAll(main, 'main-later.js'))
  writeFileSync(worker, `${readFileSync(worker, 'utf8')}\n// later`)
  return later
}

beforeAll(async () => {
  first = copyDashboard(root)
  second = laterBuild(first)
  browser = await launchBrowser({ trustsAll: true })
})

/** Serves a build; every answer of the API is another one. */
function serve(build: string, { port = 0, isSecure = true } = {}) {
  const files = dashboard(build)
  let answers = 0
  const server = Bun.serve({
    port,
    ...(isSecure && { tls: certificate }),
    fetch: (request) =>
      new URL(request.url).pathname.startsWith('/api/')
        ? Response.json({ answer: ++answers })
        : files(request),
  })
  atEnd(() => server.stop(true))
  return {
    url: `${isSecure ? 'https' : 'http'}://localhost:${server.port}`,
    port: server.port ?? 0,
    server,
  }
}

async function newPage(): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.setDefaultTimeout(pageLimitMs)
  return page
}

/** The main script of the shown page; empty for another page. */
const shownMain = async (page: Page) => mainOf(await page.content())

test('an update takes over at the next load, nothing is stored, and without a service a page says so', async () => {
  const before = serve(first)
  const { port } = before
  const page = await newPage()
  await page.goto(before.url)
  await eventually(
    () => page.evaluate<boolean>('navigator.serviceWorker.controller !== null'),
    'the worker controls the page',
  )
  const old = await shownMain(page)
  expect(old).toStartWith('main-')

  const answers = await page.evaluate<number[]>(`(async () => {
    const ask = async () => (await (await fetch('/api/answer')).json()).answer
    return [await ask(), await ask()]
  })()`)
  expect(answers[1]).toBeGreaterThan(answers[0] ?? 0)
  expect(await page.evaluate<string[]>('caches.keys()')).toEqual([])

  await before.server.stop(true)
  const after = serve(second, { port })
  await page.goto(`${after.url}/downloads`)
  expect(await shownMain(page)).toBe('main-later.js')
  // The new worker does not wait until all tabs are closed.
  await page.evaluate('navigator.serviceWorker.ready.then((registration) => registration.update())')
  await eventually(
    () =>
      page.evaluate<boolean>(`navigator.serviceWorker.getRegistration().then(
        ({ active, waiting, installing }) => active?.state === 'activated' && !waiting && !installing)`),
    'the new worker is in use',
  )

  await after.server.stop(true)
  await page.goto(`${after.url}/games`)
  const offline = page.getByRole('heading', { name: 'Larder does not answer' })
  await offline.waitFor()
  expect(await page.evaluate<string[]>('caches.keys()')).toEqual([])
  const fetch = () => new Response('Bad Gateway', { status: 502 })
  const proxy = Bun.serve({ port, tls: certificate, fetch })
  await page.goto(`${after.url}/games`)
  await offline.waitFor()
  await proxy.stop(true)

  serve(second, { port })
  await page.getByRole('link', { name: 'Try again' }).click()
  await eventually(async () => (await shownMain(page)) === 'main-later.js', 'the page is back')
  expect(new URL(page.url()).pathname).toBe('/games')
})

test('plain HTTP has no worker', async () => {
  const plain = serve(first, { isSecure: false })
  const page = await newPage()
  await page.goto(plain.url)
  await page.locator('#root > *').first().waitFor()
  const found = await page.evaluate<number>(
    'navigator.serviceWorker.getRegistrations().then(({ length }) => length)',
  )
  expect(found).toBe(0)
})

test('the manifest is one, and its icons have the sizes that it names', async () => {
  const { url } = serve(first, { isSecure: false })
  const answer = await fetch(`${url}/manifest.webmanifest`)
  expect(answer.headers.get('Content-Type')).toStartWith('application/manifest+json')
  // Written by us.
  const { icons } = (await answer.json()) as {
    icons: { src: string; sizes: string; type: string }[]
  }
  for (const { src, sizes, type } of icons.filter(({ type: kind }) => kind === 'image/png')) {
    const icon = await fetch(url + src)
    const header = Buffer.from(await icon.arrayBuffer()).subarray(16, 24)
    expect({
      type: icon.headers.get('Content-Type'),
      sizes: `${header.readInt32BE(0)}x${header.readInt32BE(4)}`,
    }).toEqual({ type, sizes })
  }
})
