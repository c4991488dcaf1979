const pageRows = 10

/** The row that a key moves to, or null for other keys. */
export function nextRow(key: string, current: number, count: number): number | null {
  if (count === 0) return null
  const last = count - 1
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, current + 1)
    case 'ArrowUp':
      return Math.max(0, current - 1)
    case 'PageDown':
      return Math.min(last, current + pageRows)
    case 'PageUp':
      return Math.max(0, current - pageRows)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}
