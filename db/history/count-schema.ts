import { bigint, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'

const count = () => bigint({ mode: 'number' })

/**
 * How many single downloads (rows of their own in the retro view: no depot, no prefill, some bytes)
 * lie in each class of an order, so that a page far behind is found without counting its way there.
 * Spans and blocks are those of `download_groups`. Classes: migration 0008_single_counts.
 */
export const singleCounts = pgTable(
  'single_counts',
  {
    spanDays: smallint().notNull(),
    /** 0: by end; 1: by size; 2: by the share that came from the cache. */
    sorting: smallint().notNull(),
    /** Empty: everybody. */
    client: text().notNull(),
    block: integer().notNull(),
    /** Classes of an order are numbered in the order of their values. */
    bucket: integer().notNull(),
    /** As in `download_groups`; never 0. */
    kind: smallint().notNull(),
    downloads: count().notNull(),
    evicted: count().notNull(),
  },
  (table) => [
    primaryKey({
      name: 'single_counts_key',
      columns: [table.spanDays, table.sorting, table.client, table.block, table.bucket, table.kind],
    }),
  ],
)
