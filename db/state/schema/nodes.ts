import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Larder on other machines, beside their caches. */
export const node = sqliteTable('node', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Ed25519, base64url; null until it joins. */
  publicKey: text().unique(),
  /** SHA-256 of its token for joining, hexadecimal; null once it was used. */
  tokenHash: text().unique(),
  tokenExpiresAt: integer({ mode: 'timestamp_ms' }),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  /** Null while it is connected. */
  awaySince: integer({ mode: 'timestamp_ms' }),
  revokedAt: integer({ mode: 'timestamp_ms' }),
  /** Of its program, and where it connected from, both as of the last connection. */
  version: text(),
  address: text(),
})
