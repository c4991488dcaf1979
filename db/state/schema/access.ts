import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const account = sqliteTable(
  'account',
  {
    id: text().primaryKey(),
    username: text().notNull(),
    /** Lower-cased form: names are unique ignoring case. */
    usernameKey: text().notNull(),
    passwordHash: text().notNull(),
    role: text({ enum: ['admin', 'user'] }).notNull(),
    isOwner: integer({ mode: 'boolean' }).notNull(),
    isDisabled: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
    lastLoginAt: integer({ mode: 'timestamp_ms' }),
  },
  (table) => [uniqueIndex('account_username').on(table.usernameKey)],
)

/** Who an account is at an OpenID Connect provider: a subject is unique within its issuer. */
export const identity = sqliteTable(
  'account_identity',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    accountId: text()
      .notNull()
      .references(() => account.id, { onDelete: 'cascade' }),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index('account_identity_account').on(table.accountId),
  ],
)

/** Tokens are stored only as SHA-256; after a rotation the previous one stays valid for a while. */
export const session = sqliteTable(
  'session',
  {
    id: text().primaryKey(),
    type: text({ enum: ['admin', 'user', 'guest'] }).notNull(),
    accountId: text().references(() => account.id, { onDelete: 'cascade' }),
    tokenHash: text().notNull(),
    previousTokenHash: text(),
    /** The column has its name from when it held the time of the rotation. */
    previousEndsAt: integer('rotated_at', { mode: 'timestamp_ms' }),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
    lastSeenAt: integer({ mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
    revokedAt: integer({ mode: 'timestamp_ms' }),
    ipAddress: text().notNull(),
    userAgent: text().notNull(),
    publicIpAddress: text(),
    countryCode: text(),
    countryName: text(),
    regionName: text(),
    city: text(),
    timezone: text(),
    ispName: text(),
    screenResolution: text(),
    browserLanguage: text(),
  },
  (table) => [
    uniqueIndex('session_token').on(table.tokenHash),
    index('session_previous_token').on(table.previousTokenHash),
    index('session_account').on(table.accountId),
  ],
)

/** Prefill grants of guest sessions. */
export const guestGrant = sqliteTable(
  'guest_grant',
  {
    sessionId: text()
      .notNull()
      .references(() => session.id, { onDelete: 'cascade' }),
    platform: text().notNull(),
    expiresAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.platform] })],
)

/** Preferences of one session as one JSON object; a missing row means defaults. */
export const preference = sqliteTable('preference', {
  sessionId: text()
    .primaryKey()
    .references(() => session.id, { onDelete: 'cascade' }),
  value: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

/** Changes to accounts and keys. Ids only, so that entries outlive a deleted account. */
export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    event: text().notNull(),
    actorAccountId: text(),
    actorSessionId: text(),
    targetAccountId: text(),
    detail: text(),
    at: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('audit_at').on(table.at)],
)
