/** Line coverage from an lcov report. */
export interface Coverage {
  lines: number
  covered: number
}

/** Sums the files accepted by `isCounted`; paths are relative to the project. */
export function coverageOf(report: string, isCounted: (path: string) => boolean): Coverage {
  const total = { lines: 0, covered: 0 }
  let counts = false
  for (const line of report.split('\n')) {
    if (line.startsWith('SF:')) counts = isCounted(line.slice(3))
    else if (counts && line.startsWith('LF:')) total.lines += Number(line.slice(3))
    else if (counts && line.startsWith('LH:')) total.covered += Number(line.slice(3))
  }
  return total
}
