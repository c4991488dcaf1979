import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Small values of the file itself, for example Steam's change number. */
export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text().notNull(),
})

/** Steam apps with the name that Steam's product information gives them. */
export const alphaApp = sqliteTable('alpha_app', {
  appId: integer().primaryKey(),
  name: text().notNull(),
  /** The game that a DLC or tool belongs to; null: none, or not known. */
  parentId: integer(),
})

/** Depots with the name that their app gives them; most have none. */
export const alphaDepot = sqliteTable('alpha_depot', {
  depotId: integer().primaryKey(),
  name: text().notNull(),
})

/** Which apps use a depot. Only the owner gives a download its name. */
export const alphaMapping = sqliteTable(
  'alpha_mapping',
  {
    depotId: integer().notNull(),
    appId: integer().notNull(),
    isOwner: integer({ mode: 'boolean' }).notNull(),
    /** `crawl`, `orphan-resolved`, or as in the imported list. */
    source: text().notNull(),
    /** Unix ms. */
    discoveredAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.depotId, table.appId] }),
    index('alpha_mapping_app').on(table.appId),
  ],
)

/** Answers of the Steam store, kept so that no app is looked up twice. */
export const alphaStore = sqliteTable('alpha_store', {
  appId: integer().primaryKey(),
  /** Null: the store does not sell this app. */
  name: text(),
  imageUrl: text(),
  /** Unix ms. */
  askedAt: integer().notNull(),
})
