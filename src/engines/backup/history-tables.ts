import { is } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type { Sql, TransactionSql } from 'postgres'
import * as linkSchema from '../../../db/history/link-schema.ts'
import { migrationsFolder } from '../../../db/history/migrate.ts'
import * as schema from '../../../db/history/schema.ts'
import type { SnapshotTable } from './contract.ts'

/** The tables of the history, by its schema: a shared database may have others. */
export const historyTables = [...Object.values(schema), ...Object.values(linkSchema)]
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table).name)

/** Also those that later migrations drop: a snapshot before an update holds them. */
const everyTable = (): string[] => {
  const statements = readMigrationFiles({ migrationsFolder }).flatMap(({ sql }) => sql)
  const made = statements.flatMap((text) => /^\s*create table "(\w+)"/i.exec(text)?.[1] ?? [])
  return [...new Set([...historyTables, ...made])]
}

/** An SQL identifier; names come from our schema, or from a snapshot. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const listOf = (columns: readonly string[]): string => columns.map(quoted).join(', ')

/** As `current_schema()::regnamespace`, which folds a name in capitals. */
export const ownSchema = (sql: Sql | TransactionSql) =>
  sql`(select oid from pg_namespace where nspname = current_schema())`

/** Tables that refer to others come last. */
export async function readTables(sql: TransactionSql): Promise<SnapshotTable[]> {
  const rows = await sql<{ name: string; column: string; refers: boolean }[]>`
    select relname as name, attname as column, exists (
        select 1 from pg_constraint where contype = 'f' and conrelid = pg_class.oid) as refers
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = ${ownSchema(sql)} and relname in ${sql(everyTable())}
      and not relispartition
      and attnum > 0 and not attisdropped and attgenerated = ''
    order by refers, relname, attnum`
  const tables = new Map<string, SnapshotTable>()
  for (const { name, column } of rows) {
    const table = tables.get(name) ?? { name, columns: [] }
    table.columns.push(column)
    tables.set(name, table)
  }
  return [...tables.values()]
}

/** Months with traffic, as Unix seconds of their start. */
export async function readMonths(sql: TransactionSql): Promise<number[]> {
  const rows = await sql<{ at: number }[]>`
    select distinct extract(epoch from date_trunc('month', bucket_at, 'UTC'))::float8 as at
    from traffic order by 1`
  return rows.map(({ at }) => at)
}

/** Bytes of all tables, without indexes. */
export async function historyBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(pg_table_size(oid)), 0)::float8 as bytes from pg_class
    where relnamespace = ${ownSchema(sql)} and relkind = 'r'`
  return row?.bytes ?? 0
}
