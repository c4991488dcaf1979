import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sharePageNames } from '../../../src/core/lib/share-pages.ts'
import { account } from './access.ts'

/** Links that open one page about one subject without an account. */
export const shareLink = sqliteTable('share_link', {
  id: text().primaryKey(),
  page: text({ enum: sharePageNames }).notNull(),
  /** What the page is about, as in the paths of its routes: the id of an event. */
  subject: text().notNull(),
  /** SHA-256 of the token, hexadecimal. Tokens are random, so a plain hash suffices. */
  hash: text().notNull().unique(),
  label: text().notNull(),
  /** Whether the page names devices. */
  showsNames: integer({ mode: 'boolean' }).notNull(),
  /** A link ends with the account that created it; null while authentication is disabled. */
  createdBy: text().references(() => account.id, { onDelete: 'cascade' }),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
  lastUsedAt: integer({ mode: 'timestamp_ms' }),
})
