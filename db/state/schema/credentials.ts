import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Secrets of platforms, sealed under the key file of the installation; see src/core/lib/seal.ts. */
export const credential = sqliteTable('credential', {
  /** `<platform>.<what>`; the sealed text is bound to it. */
  name: text().primaryKey(),
  /** Whose it is, in clear: an account name. */
  label: text(),
  sealed: text().notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
