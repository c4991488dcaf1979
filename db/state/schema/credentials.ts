import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Secrets of platforms, sealed with the key file of the installation; see src/core/lib/seal.ts. */
export const credential = sqliteTable('credential', {
  /** `<platform>.<what>`; the sealed text is bound to it. */
  name: text().primaryKey(),
  /** Account name, in plain text. */
  label: text(),
  sealed: text().notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
