import type { DownloadRow } from '../../api/wire.ts'

const columns: readonly (readonly [name: string, value: (row: DownloadRow) => string | number])[] =
  [
    ['game', (row) => row.appName],
    ['service', (row) => row.service],
    ['clients', (row) => row.clientIps.join(' ') || row.clientIp],
    ['start', (row) => row.startTimeUtc],
    ['end', (row) => row.endTimeUtc],
    ['downloads', (row) => row.requestCount],
    ['total bytes', (row) => row.totalBytes],
    ['bytes from cache', (row) => row.cacheHitBytes],
    ['bytes fetched', (row) => row.cacheMissBytes],
    ['from cache percent', (row) => row.cacheHitPercent],
    ['average bytes per second', (row) => Math.round(row.averageBytesPerSecond)],
    ['depot', (row) => row.depotId ?? ''],
    ['datasource', (row) => row.datasource],
  ]

/** Quotes as RFC 4180 wants, and keeps spreadsheet programs from running a name as a formula. */
export function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (fields: (string | number)[]) => `${fields.map(csvField).join(',')}\r\n`

export const csvHead = (): string => line(columns.map(([name]) => name))

export const csvLines = (rows: readonly DownloadRow[]): string =>
  rows.map((row) => line(columns.map(([, value]) => value(row)))).join('')
