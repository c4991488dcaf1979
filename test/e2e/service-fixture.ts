import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { cachelogLine, type LoggedRequest } from '../../src/demo/log-formats.ts'
import { history, Traffic } from '../../src/demo/log-generator.ts'
import { installationKey, Visitor, type Account } from '../../src/demo/visitor.ts'
import { labAccount, Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { copyDashboard } from './browser.ts'

const clients = ['192.168.1.21', '192.168.1.22', 'fd00::28'] as const
const days = 3

/** A service with some days of history, a freshly built dashboard, and its owner. */
export interface ServiceFixture {
  larder: Larder
  owner: Visitor
}

/** A client's request for an object of a service that the invented traffic does not use. */
export const missOf = (at: number, object: string): LoggedRequest => ({
  at,
  tag: 'wsus',
  client: clients[0],
  forwardedFor: '-',
  method: 'GET',
  target: `/d/msdownload/${object}.cab`,
  status: 200,
  bytes: 1_000_000,
  userAgent: 'Microsoft-Delivery-Optimization/10.0',
  cacheStatus: 'MISS',
  host: 'download.windowsupdate.com',
  range: '-',
})

/**
 * It stops after the file's last test. Resolves when everything is in the history. `earlier`:
 * requests that end before the invented traffic begins, in order.
 */
export async function openServiceFixture(
  environment: Record<string, string> = {},
  earlier: readonly LoggedRequest[] = [],
): Promise<ServiceFixture> {
  const root = tempFolder('e2e')
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  mkdirSync(join(root, 'cache'))
  const untilAt = Math.floor(Date.now() / 1000)
  const fromAt = untilAt - days * 86_400
  // At any time of day: games of Steam, Epic Games and Battle.net, all clients, no Windows Update.
  const traffic = new Traffic({ seed: 298, startAt: fromAt, clients, chunksPerDay: 800 })
  const invented = [...history(traffic, { fromAt, untilAt })].flat()
  const lines = [...earlier, ...invented].map(cachelogLine)
  writeFileSync(join(logPath, 'access.log'), `${lines.join('\n')}\n`)
  const larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath }],
    environment: { ...environment, WEB_PATH: copyDashboard(root) },
  })
  const owner = await larder.firstSignIn()
  // As the first run does when existing logs are to be read.
  await owner.write('PATCH', '/api/logs/position', { position: 0 })
  await owner.write('POST', '/api/logs/process')
  const { hitBytes, missBytes } = traffic.ledger.totals
  const bytes = earlier.reduce((sum, request) => sum + request.bytes, hitBytes + missBytes)
  await eventually(async () => {
    const answer = await owner.request('GET', '/api/stats/dashboard')
    // Unavailable while the history's server starts.
    if (!answer.ok) return false
    // Our own endpoint.
    const figures = (await answer.json()) as { totalServed: number }
    return figures.totalServed === bytes
  }, 'the whole log is in the history')
  return { larder, owner }
}

/** A browser window that is already signed in. */
export async function signedIn(
  browser: Browser,
  { larder, owner }: { larder: Pick<Larder, 'url'>; owner: Pick<Visitor, 'cookieHeader'> },
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    ...options,
  })
  const cookies = owner.cookieHeader.split('; ').map((cookie) => {
    const at = cookie.indexOf('=')
    return { name: cookie.slice(0, at), value: cookie.slice(at + 1), url: larder.url }
  })
  await context.addCookies(cookies)
  return context
}

let addresses = 0

/** Signs in from a new address: five sign-ins a minute are allowed for each. */
export async function signInElsewhere(
  { url, dataPath }: { url: string; dataPath: string },
  account: Account,
): Promise<Visitor> {
  const visitor = new Visitor(url, `127.0.1.${++addresses}`)
  await visitor.signIn(installationKey(dataPath), account)
  return visitor
}

/**
 * The same with its own session. Session tokens rotate while a page is used, and the previous one
 * is valid for half a minute, so longer tests cannot share one.
 */
export async function ownWindow(
  browser: Browser,
  { larder }: Pick<ServiceFixture, 'larder'>,
  options: BrowserContextOptions = {},
) {
  const owner = await signInElsewhere(larder, labAccount)
  return signedIn(browser, { larder, owner }, options)
}
