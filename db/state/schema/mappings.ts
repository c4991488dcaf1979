import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const instant = () => integer({ mode: 'timestamp_ms' })

/** Games of Epic Games, and how far the platform was asked about each. */
export const betaGame = sqliteTable('beta_game', {
  appId: text().primaryKey(),
  name: text().notNull(),
  imageUrl: text(),
  /** How it was found: `mapping-login`, `scheduled-refresh`, `free-games`, `system`. */
  source: text().notNull(),
  discoveredAt: instant().notNull(),
  lastSeenAt: instant().notNull(),
  /** Null for games that are not in the library. */
  namespace: text(),
  catalogItemId: text(),
  /** The newest build in the library; null: there is nothing to download. */
  buildVersion: text(),
  /** The build whose base path was stored last. */
  pathVersion: text(),
  /** When the catalogue was asked for the name; null: the name is the app id. */
  namedAt: instant(),
})

/** Base paths of builds on Epic's CDN. Old ones stay: downloads of the past have them. */
export const betaPattern = sqliteTable(
  'beta_pattern',
  {
    /** Directory of a build's manifest, without a trailing slash. */
    path: text().primaryKey(),
    appId: text().notNull(),
    host: text().notNull(),
    discoveredAt: instant().notNull(),
  },
  (table) => [index('beta_pattern_app').on(table.appId)],
)

/** Titles of the Microsoft Store. */
export const epsilonGame = sqliteTable('epsilon_game', {
  productId: text().primaryKey(),
  title: text().notNull(),
  imageUrl: text(),
  discoveredAt: instant().notNull(),
  lastSeenAt: instant().notNull(),
  /** Content ids of its packages, as the store's catalogue names them. */
  contentIds: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** When the store's catalogue was asked; null: never. */
  describedAt: instant(),
})

/** Parts of package URLs that identify a title, in lower case. */
export const epsilonFragment = sqliteTable(
  'epsilon_fragment',
  {
    fragment: text().primaryKey(),
    productId: text().notNull(),
    host: text().notNull(),
    discoveredAt: instant().notNull(),
  },
  (table) => [index('epsilon_fragment_product').on(table.productId)],
)

/** ETags of answers whose content is stored, for conditional requests. */
export const mappingEtag = sqliteTable('mapping_etag', {
  name: text().primaryKey(),
  etag: text().notNull(),
})
