import {
  scanContractVersion,
  scansKept,
  type Candidate,
  type NewScan,
  type SavedScan,
} from './corruption-contract.ts'
import type { Coverage, DetectionMethod, ScanMode, ScanSummary } from './wire.ts'
import type { CacheStore } from '../index/store.ts'

interface ScanRow {
  id: string
  contractVersion: number
  method: DetectionMethod
  mode: ScanMode | null
  isCurrent: number
  completedAt: number
  settings: string
  coverage: string | null
  summary: string | null
}

/** Stores a finished scan as the current one of its method, in one transaction. */
export function saveScan(store: CacheStore, scan: NewScan, candidates: readonly Candidate[]): void {
  const { database } = store
  const add = database.query(
    `INSERT OR IGNORE INTO corruption_candidate (scan_id, id, datasource, service, exact_paths,
       evidence) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  store.transaction(() => {
    demote(store, [scan.method])
    database
      .query(
        `INSERT INTO corruption_scan (id, contract_version, method, mode, is_current, completed_at,
           settings, coverage, summary) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)`,
      )
      .run(
        scan.id,
        scanContractVersion,
        scan.method,
        scan.mode,
        scan.completedAt,
        JSON.stringify(scan.settings),
        JSON.stringify(scan.coverage),
        JSON.stringify(scan.summary),
      )
    for (const { id, datasource, service, exactPaths, evidence } of candidates) {
      const texts = [JSON.stringify(exactPaths), JSON.stringify(evidence)]
      add.run(scan.id, id, datasource, service, ...texts)
    }
    database
      .query(
        `DELETE FROM corruption_scan WHERE method = ?1 AND id NOT IN (
           SELECT id FROM corruption_scan WHERE method = ?1
             ORDER BY is_current DESC, completed_at DESC LIMIT ?2)`,
      )
      .run(scan.method, scansKept)
  })
}

const demote = (store: CacheStore, methods: readonly DetectionMethod[]): void => {
  const change = store.database.query(
    'UPDATE corruption_scan SET is_current = 0 WHERE method = ? AND is_current = 1',
  )
  for (const method of methods) change.run(method)
}

/** Demotes the current scans of these methods to history. */
export const demoteScans = (store: CacheStore, methods: readonly DetectionMethod[]): void =>
  store.transaction(() => demote(store, methods))

/** Scans of the current contract version, newest first. */
export function listScans(store: CacheStore): SavedScan[] {
  const rows = store.database
    .query<ScanRow, [number]>(
      `SELECT id, contract_version AS contractVersion, method, mode, is_current AS isCurrent,
         completed_at AS completedAt, settings, coverage, summary FROM corruption_scan
         WHERE contract_version >= ? ORDER BY completed_at DESC, rowid DESC`,
    )
    .all(scanContractVersion)
  const counts = store.database.query<{ service: string; count: number }, [string]>(
    `SELECT service, count(*) AS count FROM corruption_candidate WHERE scan_id = ?
       GROUP BY service ORDER BY service`,
  )
  return rows.map((row) => ({
    ...row,
    isCurrent: row.isCurrent === 1,
    // Written by `saveScan` with these types.
    settings: JSON.parse(row.settings) as SavedScan['settings'],
    coverage: JSON.parse(row.coverage ?? 'null') as Coverage | null,
    summary: JSON.parse(row.summary ?? 'null') as ScanSummary | null,
    counts: Object.fromEntries(counts.all(row.id).map(({ service, count }) => [service, count])),
  }))
}

/** Candidates of a scan, of one service or of all. */
export function listCandidates(
  store: CacheStore,
  scanId: string,
  service: string | null,
): Candidate[] {
  const rows = store.database.query<
    Pick<Candidate, 'id' | 'datasource' | 'service'> & { paths: string; evidence: string },
    [string, string | null]
  >(
    `SELECT id, datasource, service, exact_paths AS paths, evidence FROM corruption_candidate
       WHERE scan_id = ?1 AND (?2 IS NULL OR service = ?2) ORDER BY service, rowid`,
  )
  return rows.all(scanId, service).map(({ paths, evidence, ...row }) => ({
    ...row,
    // Written by `saveScan` with these types.
    exactPaths: JSON.parse(paths) as string[],
    evidence: JSON.parse(evidence) as Candidate['evidence'],
  }))
}

/** False: there is no such scan. No other scan becomes the current one. */
export const deleteScan = (store: CacheStore, id: string): boolean =>
  store.database.query('DELETE FROM corruption_scan WHERE id = ?').run(id).changes > 0

export const clearScans = (store: CacheStore): void =>
  void store.database.run('DELETE FROM corruption_scan')

/** Drops candidates from their scan once their files are gone from the cache. */
export function dropCandidates(store: CacheStore, scanId: string, ids: readonly string[]): void {
  store.database
    .query(
      `DELETE FROM corruption_candidate WHERE scan_id = ?
         AND id IN (SELECT value FROM json_each(?))`,
    )
    .run(scanId, JSON.stringify(ids))
}
