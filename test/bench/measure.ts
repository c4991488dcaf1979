/** Sorted copy's value at a share, nearest rank; NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
export const thousands = (perSecond: number): string => `${Math.round(perSecond / 1000)} k`

export interface Row {
  what: string
  measured: string
  budget: string
}

/** A Markdown table that is readable as text too. */
export function table(rows: readonly Row[]): string {
  const all = [{ what: 'What', measured: 'Measured', budget: 'Budget' }, ...rows]
  const width = (key: keyof Row) => Math.max(...all.map((row) => row[key].length))
  const widths = { what: width('what'), measured: width('measured'), budget: width('budget') }
  const line = ({ what, measured, budget }: Row) =>
    `| ${what.padEnd(widths.what)} | ${measured.padEnd(widths.measured)} | ${budget.padEnd(widths.budget)} |`
  const [head, ...body] = all.map(line)
  const dashes = [widths.what, widths.measured, widths.budget].map((count) => '-'.repeat(count))
  return [head, `| ${dashes.join(' | ')} |`, ...body].join('\n')
}
