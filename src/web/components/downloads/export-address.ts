import { periodOf, type Range } from '../../app/range.ts'
import type { DownloadsQuery } from '../../api/wire.ts'
import type { ExportFormat } from '../export-menu.tsx'

/** URL of the whole filtered list as a file; the server writes it row by row. */
export function exportAddress(query: DownloadsQuery, range: Range, format: ExportFormat): string {
  const params = new URLSearchParams({ format })
  const { Page: _page, PageSize: _size, ...filters } = query
  const period = periodOf(range, new Date())
  const all = {
    ...filters,
    StartTime: period?.startTime,
    EndTime: period?.endTime,
    EventId: range.event,
  }
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) params.set(name, String(value))
  }
  return `/api/ext/downloads/export?${params.toString()}`
}
