import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { follow, pageLimitMs } from './browser.ts'
import { eventually } from '../support/eventually.ts'
import { en } from './texts.ts'

interface Finding {
  id: string
  impact: string | null
  nodes: string[]
}

/** Half as much to parse on every page as the readable one. */
const checkerSource = readFileSync(
  Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js')),
  'utf8',
)

/**
 * The content security policy of the page forbids foreign script tags, but not the developer tools,
 * which compile it in half the time that `page.evaluate` takes.
 */
async function injectChecker(page: Page): Promise<void> {
  const tools = await page.context().newCDPSession(page)
  await tools.send('Runtime.evaluate', { expression: checkerSource })
  await tools.detach()
}

/** Rules whose result depends on colours; all others find the same in both themes. */
const colourRules = ['color-contrast', 'link-in-text-block']

const violations = (page: Page, rules?: readonly string[]): Promise<Finding[]> =>
  page.evaluate(async (runOnly) => {
    interface Checker {
      run(options: object): Promise<{
        violations: { id: string; impact: string | null; nodes: { html: string }[] }[]
      }>
      _audit: { rules: { id: string; impact?: string }[] }
    }
    // Injected by the line above.
    const { axe: checker } = globalThis as unknown as { axe: Checker }
    const isReported = (impact?: string | null) => impact === 'serious' || impact === 'critical'
    // Rules whose findings are not reported take a part of the time. Their impact overrides that of
    // their checks.
    const unreported = checker._audit.rules.filter(
      ({ impact }) => impact !== undefined && !isReported(impact),
    )
    const { violations: all } = await checker.run({
      resultTypes: ['violations'],
      rules: Object.fromEntries(unreported.map(({ id }) => [id, { enabled: false }])),
      ...(runOnly && { runOnly }),
    })
    return all
      .filter(({ impact }) => isReported(impact))
      .map(({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)),
      }))
  }, rules)

/**
 * Serious and critical findings of the accessibility checker on the current page; `rules`: only of
 * these.
 */
export async function findings(page: Page, rules?: readonly string[]): Promise<Finding[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await injectChecker(page)
  // Elements fading in do not have their final contrast yet.
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
      .map(({ finished }) => finished),
  )`)
  const found = await violations(page, rules)
  // A list may replace its rows while the checker reads them: what is true is found again.
  return found.length === 0 ? found : violations(page, rules)
}

async function showIn(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' })
}

/** Findings of colours in the other theme; the page must follow the system's appearance. */
async function findingsInOther(page: Page, current: 'dark' | 'light'): Promise<Finding[]> {
  await showIn(page, current === 'dark' ? 'light' : 'dark')
  const found = await findings(page, colourRules)
  await showIn(page, current)
  return found
}

/** Findings in both themes. */
export async function findingsInThemes(page: Page): Promise<Record<string, Finding[]>> {
  await showIn(page, 'dark')
  return { dark: await findings(page), light: await findingsInOther(page, 'dark') }
}

/** Keys that the page shows because the texts of their part were not loaded. */
export async function shownKeys(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string>('document.body.innerText')
  return texts.split(/\s+/).filter((word) => Object.hasOwn(en, word))
}

/**
 * Opens a page and waits until data have replaced the placeholders. Throws for a text that is
 * missing.
 */
export async function openReady(page: Page, url: string): Promise<void> {
  page.setDefaultTimeout(pageLimitMs)
  await page.goto(url)
  await untilReady(page, url)
}

/** The same without a load, from another page of the application. */
export async function followReady(page: Page, url: string): Promise<void> {
  page.setDefaultTimeout(pageLimitMs)
  await follow(page, url)
  await untilReady(page, url)
}

async function untilReady(page: Page, url: string): Promise<void> {
  const isReady = () =>
    page.evaluate<boolean>(
      `document.querySelector('h1') !== null && document.querySelector('main .skeleton') === null`,
    )
  await eventually(isReady, `${url} is there`)
  // A sign-in page would be checked instead of the requested one.
  const isSignIn = (await page.locator('input[name="installation-key"]').count()) > 0
  if (isSignIn) throw new Error(`${url} asks to sign in`)
  const missing = await shownKeys(page)
  if (missing.length > 0) throw new Error(`${url} shows keys: ${missing.join(', ')}`)
}
