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
 * Which positions belong to this history: one row, changed in the transaction of each batch. A
 * `hot.sqlite` that does not continue exactly here is lost, older, or that of another installation.
 */
export const ingestLink = pgTable('ingest_link', {
  id: smallint().primaryKey().default(1),
  installation: text().notNull(),
  /** Grows whenever positions are taken over or begun anew: older copies of a file are told by it. */
  epoch: bigint({ mode: 'number' }).notNull(),
  /** Number and id of the last batch; id is null before the first one. */
  seq: bigint({ mode: 'number' }).notNull(),
  batchId: text(),
  /** `ingest_position` holds every position as of the last batch. */
  isComplete: boolean().notNull(),
  /** Small facts beside the positions, as JSON of the log engine. */
  facts: text(),
  updatedAt: timestamp({ withTimezone: true, mode: 'date' }).notNull(),
})

/** Log files, passed-over ranges and open downloads as of the last batch; rows of `hot.sqlite`. */
export const ingestPosition = pgTable(
  'ingest_position',
  {
    kind: text({ enum: ['member', 'skipped', 'open'] }).notNull(),
    id: bigint({ mode: 'number' }).notNull(),
    /** The row as JSON of the log engine. */
    fields: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)
