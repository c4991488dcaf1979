import type { HistoryTarget } from '../../db/history/connect.ts'
import type { DownloadRow, TrafficRow } from '../../src/engines/shipper/contract.ts'
import { shipBatch } from '../../src/engines/shipper/ship.ts'
import { describeTitle } from '../../src/engines/titles/titles.ts'
import { openTestClient } from './postgres.ts'

const named = {
  datasource: 'default',
  service: 'steam',
  client: '10.0.0.1',
  titleKey: 'alpha:731',
  isPrefill: false,
  hitBytes: 0,
  missBytes: 0,
  requests: 1,
}

/** A download as log engines ship it, with plain values for what is not named. */
export const downloadRow = (
  row: Partial<DownloadRow> & Pick<DownloadRow, 'startedAt'>,
): DownloadRow => ({
  ...named,
  id: 1,
  tag: row.service ?? named.service,
  endedAt: row.startedAt,
  lastUrl: '/a',
  objectKeys: [],
  revision: 1,
  ...row,
})

/** Traffic of a bucket, likewise. */
export const trafficRow = (row: Partial<TrafficRow> & Pick<TrafficRow, 'firstAt'>): TrafficRow => ({
  ...named,
  bucketAt: row.firstAt - (row.firstAt % 300),
  failedRequests: 0,
  downloads: 0,
  lastAt: row.firstAt,
  ...row,
})

/** Ships one batch of these rows. */
export async function ship(
  target: HistoryTarget,
  rows: { downloads?: DownloadRow[]; traffic?: TrafficRow[] },
): Promise<void> {
  const sql = openTestClient(target)
  const batch = { batchId: crypto.randomUUID(), downloads: [], traffic: [], ...rows }
  await shipBatch(sql, batch, { describeTitle, knownTitles: new Set() })
  await sql.end()
}
