import type { BadgeFigure, WidgetSummary } from './model.ts'

const labels: Record<BadgeFigure, string> = {
  saved: 'bandwidth saved',
  today: 'saved today',
  ratio: 'cache hits',
  speed: 'cache speed',
  free: 'cache free',
}
const unknown = 'unknown'
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const
/** Width of a character of the 11 px type face, and of the space around a text. */
const charPx = 6.6
const padPx = 7

/** Decimal units with three digits: `1.23 TB`. */
export function shortBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  const digits = step === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(value)))
  return `${value.toFixed(digits)} ${units[step]}`
}

function valueOf(figure: BadgeFigure, summary: WidgetSummary): string {
  if (figure === 'speed') return `${shortBytes(summary.bytesPerSecond)}/s`
  if (figure === 'ratio') {
    return summary.hitPercent === null ? unknown : `${summary.hitPercent.toFixed(1)} %`
  }
  const { totalSavedBytes: saved, todaySavedBytes: today, cacheFreeBytes: free } = summary
  const bytes = { saved, today, free }[figure]
  return bytes === null ? unknown : shortBytes(bytes)
}

/** Width of a half of the badge, in pixels. */
const widthOf = (text: string) => Math.ceil(text.length * charPx) + 2 * padPx

const half = (x: number, text: string, fill: string) => [
  `<rect x="${x}" width="${widthOf(text)}" height="20" fill="${fill}"/>`,
  `<text x="${x + widthOf(text) / 2}" y="14" fill="#fff">${text}</text>`,
]

/** A badge with one figure. All its text is ours, so nothing has to be escaped. */
export function badgeOf(figure: BadgeFigure, summary: WidgetSummary): string {
  const label = labels[figure]
  const value = valueOf(figure, summary)
  const name = `${label}: ${value}`
  const width = widthOf(label) + widthOf(value)
  const font = 'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
  const size = `width="${width}" height="20"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    `<clipPath id="r"><rect ${size} rx="4"/></clipPath>`,
    `<g clip-path="url(#r)" text-anchor="middle" ${font}>`,
    ...half(0, label, '#334155'),
    ...half(widthOf(label), value, value === unknown ? '#64748b' : '#0f766e'),
    '</g></svg>',
  ].join('\n')
}
