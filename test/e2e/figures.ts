import type { Page } from 'playwright-core'

/** What a page shows at one moment. */
interface Shown {
  /** Texts of the figures that have an explanation, by the figure's key. */
  figures: [key: string, text: string][]
  /** Labels of the bars of cached and fetched bytes, with the amounts beside them. */
  bars: [label: string, beside: string[]][]
  /** Saved bytes in other units: how, the amount, the bytes and the bar below them. */
  converted: [how: string, amount: string, bytes: string, bar: string][]
}

/** In one go, because figures change while they are read. As text: it runs in the page. */
const readShown = (page: Page): Promise<Shown> =>
  page.evaluate(`(() => {
    const textOf = (element) => element?.innerText?.trim() ?? ''
    // A figure follows the line of its name.
    const figures = [...document.querySelectorAll('[data-figure]')].map((button) => [
      button.getAttribute('data-figure'),
      textOf(button.parentElement.nextElementSibling),
    ])
    const bars = [...document.querySelectorAll('[role="row"], li, section')]
      .map((place) => [place, place.querySelectorAll('[role="img"][aria-label]')])
      .filter(([, found]) => found.length === 1)
      .map(([place, [bar]]) => [
        bar.getAttribute('aria-label'),
        [...place.querySelectorAll('.figure')]
          .filter((figure) => !figure.previousElementSibling?.querySelector('[data-figure]'))
          .map(textOf),
      ])
    const converted = [...document.querySelectorAll('[data-converted]')].map((one) => {
      const line = one.closest('p')
      const bar = line.parentElement.querySelector('[role="img"]')?.getAttribute('aria-label')
      const bytes = line.firstChild.textContent + ' ' + line.firstElementChild.textContent
      return [one.getAttribute('data-converted'), textOf(one), bytes, bar ?? '']
    })
    return { figures, bars, converted }
  })()`)

const powers = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Bytes of a text that is nothing but an amount; null for others, also for speeds. */
function bytesOf(text: string): number | null {
  const [, value = '', unit = ''] = /^([\d.,]+)\s(B|[kMGTP]B)$/.exec(text) ?? []
  return unit === '' ? null : Number(value.replaceAll(',', '')) * 1000 ** powers.indexOf(unit)
}

/** Amounts have three digits, so sums of two differ in the third. */
const isNear = (one: number, other: number) => Math.abs(one - other) <= 0.011 * Math.max(one, other)

const units: Record<string, number> = { minute: 60, hour: 3600, day: 86_400 }

/** Why an amount is not what its bytes come to; null when it is. Both are rounded. */
function conversionFault([how, amount, bytes, bar]: Shown['converted'][number]): string | null {
  const saved = bytesOf(bytes)
  if (saved === null || !bar.startsWith(`${bytes} from cache`)) return `${bytes} above ${bar}`
  const number = (text: string) => Number(text.replaceAll(',', ''))
  const [, value = '', unit = ''] = /([\d.,]+)\s(\w+)$/.exec(amount) ?? []
  const [, rate = ''] = /^at ([\d.,]+)/.exec(how) ?? []
  const seconds = units[unit.replace(/s$/, '')]
  const expected =
    seconds === undefined
      ? (saved / 1e9) * number(rate)
      : (saved * 8) / number(rate) / 1e6 / seconds
  const decimals = value.split('.')[1]?.length ?? 0
  const rounding = 0.51 / 10 ** decimals
  const isRight = Math.abs(number(value) - expected) <= rounding + 0.011 * expected
  return isRight ? null : `${amount} for ${bytes} ${how}: not ${expected}`
}

/** Figures of the same meaning that differ on this page, as sentences. */
export async function contradictions(page: Page): Promise<string[]> {
  const { figures, bars, converted } = await readShown(page)
  const faults = converted.map(conversionFault).filter((fault) => fault !== null)
  const known = new Map<string, string>()
  for (const [key, text] of figures) {
    const other = known.get(key) ?? text
    if (other !== text) faults.push(`${key} is ${other} and ${text}`)
    known.set(key, text)
  }
  for (const [label, beside] of bars) {
    const [cached, fetched, percent] = label.split(', ')
    const [one, two] = [cached, fetched].map((part) => bytesOf(part?.split(' from')[0] ?? ''))
    if (one === undefined || one === null || two === undefined || two === null) continue
    const share = Number(percent?.split(/\s/)[0])
    const expected = one + two === 0 ? 0 : (100 * one) / (one + two)
    if (Math.abs(share - expected) > 1.1) faults.push(`${label}: not ${expected.toFixed(1)} %`)
    const amounts = beside.map(bytesOf).filter((bytes) => bytes !== null)
    const [amount] = amounts
    if (amounts.length === 1 && amount !== undefined && !isNear(amount, one + two)) {
      faults.push(`${beside.join(' | ')} beside ${label}`)
    }
  }
  return faults
}
