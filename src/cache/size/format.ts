const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/** `0 B`, `1.5 KB`, `12.34 GB`: steps of 1024, at most two decimals. */
export function formatSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${Math.round(value * 100) / 100} ${units[unit] ?? 'B'}`
}

/** `< 1 second`, `12 seconds`, `3m 5s`, `2h 10m`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (seconds < 1) return '< 1 second'
  if (whole < 60) return `${whole} ${whole === 1 ? 'second' : 'seconds'}`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`
}
