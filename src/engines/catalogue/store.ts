import type { Database } from 'bun:sqlite'
import type { alphaMapping, alphaStore } from '../../../db/catalog/schema.ts'
import type { DepotName } from './contract.ts'

/** One mapping on its way into the store. */
export type MappingRow = typeof alphaMapping.$inferSelect

/** A mapping with the names of its app and depot. */
export interface StoredMapping extends MappingRow {
  appName: string | null
  depotName: string | null
}

/** What product information says about one app. */
export interface AppFacts {
  appId: number
  name: string | null
  /** The game that it belongs to, if it is a DLC or tool. */
  parentId: number | null
  /** Of its list of DLC. */
  dlcIds: number[]
  depots: { depotId: number; ownerId: number; name: string | null }[]
}

/** Source of mappings that were found by trying neighbouring apps; an import keeps them. */
export const orphanSource = 'orphan-resolved'
export const crawlSource = 'crawl'
/** Source of mappings that a prefill reported. */
export const prefillSource = 'prefill'

const placeholder = /^Steam App \d+$/

const number = (row: unknown): number => (row as { n: number | null } | null)?.n ?? 0

/** `catalog.sqlite` as its worker sees it. All methods are synchronous and short. */
export class CatalogueStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  get(key: string): string | null {
    const row = this.#db.query('SELECT value FROM meta WHERE key = ?').get(key)
    return (row as { value: string } | null)?.value ?? null
  }

  set(key: string, value: string | null): void {
    if (value === null) this.#db.query('DELETE FROM meta WHERE key = ?').run(key)
    else this.#db.query('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value)
  }

  /** Everything is read again by the next run. */
  forget(): void {
    this.#db.transaction(() => {
      for (const table of ['alpha_mapping', 'alpha_depot', 'alpha_app', 'alpha_store', 'meta']) {
        this.#db.run(`DELETE FROM ${table}`)
      }
    })()
  }

  mappings(): number {
    return number(this.#db.query('SELECT count(*) AS n FROM alpha_mapping').get())
  }

  depots(): number {
    const owned = 'SELECT count(*) AS n FROM alpha_mapping WHERE is_owner = 1'
    return number(this.#db.query(owned).get())
  }

  hasOwner(depotId: number): boolean {
    const owner = 'SELECT 1 FROM alpha_mapping WHERE depot_id = ? AND is_owner = 1'
    return this.#db.query(owner).get(depotId) !== null
  }

  hasApp(appId: number): boolean {
    return this.#db.query('SELECT 1 FROM alpha_app WHERE app_id = ?').get(appId) !== null
  }

  /** The owner, else the app of the same number or the one before: most depots follow their app. */
  nameOf(depotId: number): DepotName | null {
    const owner = 'SELECT app_id AS n FROM alpha_mapping WHERE depot_id = ? AND is_owner = 1'
    let appId = number(this.#db.query(`${owner} ORDER BY app_id`).get(depotId))
    if (appId === 0) appId = [depotId, depotId - 1].find((id) => this.hasApp(id)) ?? 0
    if (appId === 0) return null
    const row = this.#db
      .query(
        `SELECT (SELECT name FROM alpha_app WHERE app_id = $appId) AS app,
          (SELECT name FROM alpha_depot WHERE depot_id = $depotId) AS depot,
          (SELECT name FROM alpha_store WHERE app_id = $appId) AS store,
          (SELECT image_url FROM alpha_store WHERE app_id = $appId) AS imageUrl`,
      )
      .get({ appId, depotId }) as Record<'app' | 'depot' | 'store' | 'imageUrl', string | null>
    const names = [row.store, row.app, row.depot].filter((name) => name !== null)
    const name = names.find((text) => !placeholder.test(text)) ?? `Steam App ${appId}`
    return { depotId, appId, name, imageUrl: row.imageUrl }
  }

  users(depotId: number): { depotId: number; appId: number }[] {
    const all = 'SELECT depot_id AS depotId, app_id AS appId FROM alpha_mapping WHERE depot_id = ?'
    return this.#db.query(all).all(depotId) as { depotId: number; appId: number }[]
  }

  /**
   * Stores what a batch of a crawl found. The first owner that the crawl sees keeps a depot; one of
   * an earlier crawl or an import gives way. Returns how many pairs are new.
   */
  addApps(apps: AppFacts[], { source, since }: { source: string; since: number }): number {
    const before = this.mappings()
    this.#db.transaction(() => {
      for (const { appId, name, parentId, depots } of apps) {
        if (name !== null) this.addAppName(appId, name, parentId)
        for (const depot of depots) {
          if (depot.name !== null) this.addDepotName(depot.depotId, depot.name)
          this.#addOwner(depot.depotId, depot.ownerId, { source, since })
          if (depot.ownerId === appId) continue
          this.#add({ depotId: depot.depotId, appId, isOwner: false, source, discoveredAt: since })
        }
      }
    })()
    return this.mappings() - before
  }

  /** Notes that an app uses depots. It says nothing about their owner: some are shared. */
  addUses(appId: number, depotIds: readonly number[], at: number): void {
    const insert = this.#db.query(
      `INSERT OR IGNORE INTO alpha_mapping (depot_id, app_id, is_owner, source, discovered_at)
        VALUES (?, ?, 0, ?, ?)`,
    )
    this.#db.transaction(() => {
      for (const depotId of depotIds) insert.run(depotId, appId, prefillSource, at)
    })()
  }

  /** A list names no parents: the known one stays. */
  addAppName(appId: number, name: string, parentId: number | null = null): void {
    this.#db
      .query(
        `INSERT INTO alpha_app (app_id, name, parent_id) VALUES (?, ?, ?)
          ON CONFLICT (app_id) DO UPDATE SET name = excluded.name,
            parent_id = coalesce(excluded.parent_id, parent_id)`,
      )
      .run(appId, name, parentId)
  }

  /** The game that an app belongs to. */
  parentOf(appId: number): number | null {
    const parent = this.#db.query('SELECT parent_id AS n FROM alpha_app WHERE app_id = ?')
    return number(parent.get(appId)) || null
  }

  addDepotName(depotId: number, name: string): void {
    const insert = 'INSERT OR REPLACE INTO alpha_depot (depot_id, name) VALUES (?, ?)'
    this.#db.query(insert).run(depotId, name)
  }

  #addOwner(depotId: number, appId: number, run: { source: string; since: number }): void {
    const row = { depotId, appId, source: run.source, discoveredAt: run.since }
    const owner = this.#db
      .query(
        `SELECT app_id AS n FROM alpha_mapping
          WHERE depot_id = ? AND is_owner = 1 AND discovered_at >= ?`,
      )
      .get(depotId, run.since)
    const isOwner = owner === null || number(owner) === appId
    if (isOwner) {
      this.#db.query('UPDATE alpha_mapping SET is_owner = 0 WHERE depot_id = ?').run(depotId)
    }
    this.#add({ ...row, isOwner })
  }

  #add({ depotId, appId, isOwner, source, discoveredAt }: MappingRow): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO alpha_mapping (depot_id, app_id, is_owner, source, discovered_at)
          VALUES (?, ?, ?, ?, ?)`,
      )
      .run(depotId, appId, isOwner ? 1 : 0, source, discoveredAt)
  }

  /** After a complete crawl: mappings that it did not find again are gone. */
  dropOlderThan(since: number): void {
    this.#db
      .query('DELETE FROM alpha_mapping WHERE discovered_at < ? AND source <> ?')
      .run(since, orphanSource)
  }

  /** Empties the staging table of an import. */
  beginImport(): void {
    this.#db.run('DROP TABLE IF EXISTS temp.incoming')
    this.#db.run(
      `CREATE TEMP TABLE incoming (depot_id INTEGER, app_id INTEGER, is_owner INTEGER,
        source TEXT, discovered_at INTEGER, PRIMARY KEY (depot_id, app_id)) WITHOUT ROWID`,
    )
  }

  stage(rows: MappingRow[]): void {
    const insert = this.#db.query('INSERT OR REPLACE INTO incoming VALUES (?, ?, ?, ?, ?)')
    this.#db.transaction(() => {
      for (const { depotId, appId, isOwner, source, discoveredAt } of rows) {
        insert.run(depotId, appId, isOwner ? 1 : 0, source, discoveredAt)
      }
    })()
  }

  addNames(apps: ReadonlyMap<number, string>, depots: ReadonlyMap<number, string>): void {
    this.#db.transaction(() => {
      for (const [appId, name] of apps) this.addAppName(appId, name)
      for (const [depotId, name] of depots) this.addDepotName(depotId, name)
    })()
  }

  /** Replaces all mappings by the staged ones, except those of resolved orphans. */
  finishImport(): void {
    this.#db.transaction(() => {
      this.#db.query('DELETE FROM alpha_mapping WHERE source <> ?').run(orphanSource)
      this.#db.run('INSERT OR REPLACE INTO alpha_mapping SELECT * FROM incoming')
    })()
    this.#db.run('DROP TABLE incoming')
  }

  /** Apps that the store was not asked for since `since`. */
  unasked(appIds: number[], since: number): number[] {
    const asked = this.#db.query('SELECT 1 FROM alpha_store WHERE app_id = ? AND asked_at >= ?')
    return appIds.filter((appId) => asked.get(appId, since) === null)
  }

  keepStoreAnswer({ appId, name, imageUrl, askedAt }: typeof alphaStore.$inferSelect): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO alpha_store (app_id, name, image_url, asked_at)
          VALUES (?, ?, ?, ?)`,
      )
      .run(appId, name, imageUrl, askedAt)
  }

  /** All mappings in the order of their depots, owners first. */
  *all(): Generator<StoredMapping> {
    const rows = this.#db.query(
      `SELECT depot_id AS depotId, app_id AS appId, is_owner AS isOwner, source,
        discovered_at AS discoveredAt, app.name AS appName, depot.name AS depotName
        FROM alpha_mapping LEFT JOIN alpha_app app USING (app_id)
        LEFT JOIN alpha_depot depot USING (depot_id) ORDER BY depot_id, is_owner DESC, app_id`,
    )
    for (const row of rows.iterate()) {
      const { isOwner, ...rest } = row as Omit<StoredMapping, 'isOwner'> & { isOwner: number }
      yield { ...rest, isOwner: isOwner === 1 }
    }
  }
}
