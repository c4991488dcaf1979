import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { atEnd } from '../support/cleanup.ts'
import { slowness } from '../support/slowness.ts'
import { en } from './texts.ts'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of tests end before optimised code pays for its compilation.
  '--js-flags=--no-maglev,--no-turbofan',
]
const project = join(import.meta.dir, '../..')
/** Longest wait for an element or an answer of a page. */
export const pageLimitMs = 60_000 * slowness
const artefacts = join(project, 'test/artefacts')

/** A page that records errors visible in the developer tools. */
export interface WatchedPage {
  page: Page
  /** Console errors, uncaught exceptions, responses of 500 and above. */
  complaints: string[]
  /** URLs of requests to other origins. */
  foreignRequests: string[]
  /** Saves a screenshot in `test/artefacts/`. */
  picture(name: string): Promise<void>
}

/**
 * Copies the current dashboard into a folder below `root` and returns its path: a build in the
 * meantime must not change the page under test.
 */
export function copyDashboard(root: string): string {
  const prepare = [process.execPath, join(project, 'tools/prepare.ts'), '--web']
  const { exitCode, stderr } = Bun.spawnSync(prepare)
  if (exitCode !== 0) throw new Error(stderr.toString())
  const path = join(root, 'web')
  cpSync(join(project, 'dist/web'), path, { recursive: true })
  return path
}

/**
 * Closed after the file's last test. Scroll bars take space only where they are shown; service
 * workers need a certificate that is trusted, or a browser that trusts every one.
 */
export async function launchBrowser({ showsScrollBars = false, trustsAll = false } = {}) {
  // Service workers have the whole browser, which users install the dashboard in.
  const shell = trustsAll ? null : Bun.which('chromium-headless-shell')
  const executablePath = shell ?? Bun.which('chromium')
  if (executablePath === null) throw new Error('no chromium is installed')
  const args = trustsAll ? [...flags, '--ignore-certificate-errors'] : flags
  const ignoreDefaultArgs = showsScrollBars ? ['--hide-scrollbars'] : []
  const browser = await chromium.launch({ executablePath, args, ignoreDefaultArgs })
  atEnd(() => browser.close())
  return browser
}

/**
 * Goes to an address inside of the application, with what earlier pages have loaded; from anywhere
 * else it loads the page, which takes five times the processor time. Resolves when it is rendered.
 */
export async function follow(page: Page, url: string): Promise<void> {
  const { origin } = new URL(url)
  if (!page.url().startsWith(`${origin}/`)) return void (await page.goto(url))
  await page.evaluate(`new Promise((rendered) => {
    const router = globalThis.__TSR_ROUTER__
    const stop = router.subscribe('onRendered', () => rendered(stop()))
    router.history.push('${url.slice(origin.length)}')
  })`)
}

/** Undoes the action that this message confirms; those of other actions may still be shown. */
export const undo = (page: Page, message: string): Promise<void> =>
  page
    .locator('[data-toast]', { hasText: message })
    .getByRole('button', { name: en['action.undo'] })
    .click()

export async function watchedPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(pageLimitMs)
  // Without a graphics card, a dot that blinks takes an eighth of a processor. The driver overrides
  // the browser's own flag for this.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const complaints: string[] = []
  const foreignRequests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    const isOurs = url.startsWith(`${origin}/`) || /^(data|blob):/.test(url)
    if (!isOurs) foreignRequests.push(url)
  })
  mkdirSync(artefacts, { recursive: true })
  const picture = async (name: string) => {
    await page.screenshot({ path: join(artefacts, `${name}.png`), fullPage: true })
  }
  return { page, complaints, foreignRequests, picture }
}

const unitBytes: Record<string, number> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
}

/** Bytes in a text such as `12.3 GB`; NaN when it shows none, as while it loads. */
export function shownBytes(text: string): number {
  const [, value, unit] = /([\d,.]+)\s*([kKMGT]?i?B)\b/.exec(text) ?? []
  const factor = unitBytes[unit ?? '']
  if (value === undefined || factor === undefined) return Number.NaN
  return Number(value.replaceAll(',', '')) * factor
}
