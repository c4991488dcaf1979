import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { eventually } from '../lab/wait.ts'

interface Finding {
  id: string
  impact: string | null
  nodes: string[]
}

/** What the checker calls serious or critical on the page as it is now. */
export async function findings(page: Page): Promise<Finding[]> {
  // As text: the policy of the page forbids foreign script tags, not the driver.
  await page.evaluate(axe.source)
  // What is still fading in has no contrast yet.
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
      .map(({ finished }) => finished),
  )`)
  return page.evaluate(async () => {
    interface Checker {
      run(): Promise<{
        violations: { id: string; impact: string | null; nodes: { html: string }[] }[]
      }>
    }
    // The line above put it there.
    const { axe: checker } = globalThis as unknown as { axe: Checker }
    const { violations } = await checker.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)),
      }))
  })
}

/** Looks when data stand on the page, not bars in their place. */
export async function openReady(page: Page, url: string): Promise<void> {
  await page.goto(url)
  const isReady = async () =>
    (await page.locator('h1').count()) > 0 && (await page.locator('main .skeleton').count()) === 0
  await eventually(isReady, `${url} is there`)
  // Whoever is asked to sign in looks at another page than the one that was meant.
  const isSignIn = (await page.locator('input[name="installation-key"]').count()) > 0
  if (isSignIn) throw new Error(`${url} asks to sign in`)
}
