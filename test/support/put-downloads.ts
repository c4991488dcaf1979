import type { History } from '../../db/history/history.ts'
import { downloadObjects, downloads, titles } from '../../db/history/schema.ts'

type Download = Omit<typeof downloads.$inferInsert, 'startedAt' | 'endedAt'>

export interface PutDownload extends Partial<Download> {
  id: number
  /** Unix seconds; an hour ago if absent. */
  startedAt?: number
  /** Unix seconds; its start if absent. */
  endedAt?: number
  /** Keys of its objects, `<first byte> <normalised uri>`. */
  objects?: string[]
}

export type PutTitle = Partial<typeof titles.$inferInsert> & { titleKey: string }

const instantOf = (seconds: number) => new Date(seconds * 1000)

/** Stores downloads; what a row does not name has a plain value. */
export const putDownloads = (history: Pick<History, 'read'>, ...rows: PutDownload[]) =>
  history.read(async (db) => {
    for (const { startedAt, endedAt, objects, ...row } of rows) {
      const started = startedAt ?? Date.now() / 1000 - 3600
      await db.insert(downloads).values({
        datasource: 'default',
        service: 'steam',
        tag: row.service ?? 'steam',
        client: '10.0.0.1',
        titleKey: '',
        isPrefill: false,
        startedAt: instantOf(started),
        endedAt: instantOf(endedAt ?? started),
        hitBytes: 10,
        missBytes: 0,
        requests: 1,
        lastUrl: '/x',
        revision: 1,
        ...row,
      })
      if (objects === undefined) continue
      await db.insert(downloadObjects).values({ downloadId: row.id, objectKeys: objects })
    }
  })

/** Stores titles; without other values one of Steam, of the platform that its key names. */
export const putTitles = (history: Pick<History, 'read'>, ...rows: PutTitle[]) =>
  history.read(async (db) => {
    const updatedAt = new Date()
    const values = rows.map((row) => ({
      platform: row.titleKey.split(':')[0],
      service: 'steam',
      updatedAt,
      ...row,
    }))
    await db.insert(titles).values(values)
  })
