import type { Page } from 'playwright-core'

/** Movement of a page by itself that is not yet felt. */
const shiftMax = 0.1

/** Sums up the page's movements that no input caused. */
export const watchShifts = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources
        .map(({ node, previousRect: from, currentRect: to }) =>
          [from.y, to.y, from.height, to.height, node?.outerHTML?.slice(0, 120)].join(' '))
        .join('; ')
      if (!hadRecentInput) globalThis.shifts.push([value, moved])
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** Larger movements, when their sum is felt. */
export async function feltShifts(page: Page): Promise<string[]> {
  const shifts = await page.evaluate<[number, string][]>('globalThis.shifts')
  const sum = shifts.reduce((all, [value]) => all + value, 0)
  if (sum <= shiftMax) return []
  const large = shifts.filter(([value]) => value > 0.02)
  return [
    `moves by ${sum.toFixed(2)}`,
    ...large.map(([value, what]) => `${value.toFixed(2)} ${what}`),
  ]
}

/** Controls with a side below 24 pixels, except links within a text. */
export const smallTargets = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('a, button, summary, select, [role="switch"]')]
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect()
        const style = getComputedStyle(control)
        const isShown = width > 1 && height > 1 && style.visibility !== 'hidden'
        const isTarget = style.display !== 'inline' && style.pointerEvents !== 'none'
        return isShown && isTarget && control.tabIndex >= 0 && Math.min(width, height) < 23.5
      })
      .map((control) => control.outerHTML.slice(0, 140))`)

/** Controls that cover each other. A calendar's bars, a field's button and a bar that stays may. */
const coveredNow = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('main :is(a, button, input, select):not(.overflow-y-auto *, .sticky *, [data-day], [data-in-field], [aria-hidden=true])')]
      .map((control) => [control, control.getBoundingClientRect()])
      .filter(([control, { width, height }]) => width > 1 && height > 1 && control.checkVisibility())
      .flatMap(([one, a], index, all) => all.slice(index + 1)
        .filter(([other, b]) => !one.contains(other) &&
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
        .map(([other]) => [one, other].map(({ outerHTML }) => outerHTML.slice(0, 90)).join(' and ')))`)

/** Those that stay covered: a row that news made higher moves the next ones when it is drawn. */
export async function coveredControls(page: Page): Promise<string[]> {
  let covered = await coveredNow(page)
  for (let look = 0; look < 10 && covered.length > 0; look++) {
    await page.evaluate(
      'new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)))',
    )
    const now = await coveredNow(page)
    covered = covered.filter((controls) => now.includes(controls))
  }
  return covered
}

/** Whether a part of the page has less room than it needs, and a scroll bar. */
export const scrolls = (page: Page) =>
  page.evaluate<boolean>(`
    [...document.querySelectorAll('body *')].some((one) =>
      (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight) &&
      /auto|scroll/.test(getComputedStyle(one).overflow))`)
