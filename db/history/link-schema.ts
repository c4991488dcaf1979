import {
  bigint,
  boolean,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

/**
 * Which positions belong to this history: one row, updated in each batch's transaction. A
 * `hot.sqlite` that does not continue exactly here is lost, older, or from another installation.
 */
export const ingestLink = pgTable('ingest_link', {
  id: smallint().primaryKey().default(1),
  installation: text().notNull(),
  /** Incremented whenever positions are adopted or reset: identifies older copies of a file. */
  epoch: bigint({ mode: 'number' }).notNull(),
  /** Number and id of the last batch; id is null before the first one. */
  seq: bigint({ mode: 'number' }).notNull(),
  batchId: text(),
  /** `ingest_position` holds every position as of the last batch. */
  isComplete: boolean().notNull(),
  /** Small values besides the positions, as the log engine's JSON. */
  facts: text(),
  updatedAt: timestamp({ withTimezone: true, mode: 'date' }).notNull(),
})

/** Log files, skipped ranges and open downloads as of the last batch; rows of `hot.sqlite`. */
export const ingestPosition = pgTable(
  'ingest_position',
  {
    kind: text({ enum: ['member', 'skipped', 'open'] }).notNull(),
    id: bigint({ mode: 'number' }).notNull(),
    /** The row, as the log engine's JSON. */
    fields: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)
