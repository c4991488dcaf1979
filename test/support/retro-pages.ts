import { expect } from 'bun:test'
import type { RetroDownloadDto, RetroPage } from '../../src/downloads/downloads/model.ts'
import type { ReportApp } from './report-app.ts'

/** The rows of all pages of the downloads list. */
export async function allRetroPages(app: ReportApp, query: string): Promise<RetroDownloadDto[]> {
  const items: RetroDownloadDto[] = []
  for (let page = 1; ; page++) {
    const path = `/api/downloads/retro?${query}&Page=${page}&PageSize=200`
    const answer: RetroPage = await app.read(path)
    items.push(...answer.items)
    if (page >= answer.totalPages) {
      expect(items).toHaveLength(answer.totalItems)
      return items
    }
  }
}
