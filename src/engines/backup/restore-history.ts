import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Sql, TransactionSql } from 'postgres'
import {
  applyMigrations,
  applyRollups,
  migrationsFolder,
  prepareSchema,
  rollupFunctions,
} from '../../../db/history/migrate.ts'
import { ensurePartitions } from '../shipper/partitions.ts'
import type { Manifest } from './contract.ts'
import { historyTables, listOf, ownSchema, quoted } from './history-tables.ts'
import { rowLimits } from '../shipper/row-limits.ts'

/** Their triggers correct every figure that follows from them. */
const tables = [
  ['downloads', 'started_at'],
  ['traffic', 'bucket_at'],
  ['traffic_hour', 'bucket_at'],
  ['traffic_day', 'bucket_at'],
] as const

/**
 * Applies the limits of every row to restored ones: a snapshot may hold what an older version
 * accepted. Removes rows of impossible times and returns how many; a download with an impossible end
 * keeps its bytes and ends when it began, and a long address is cut.
 */
async function limitRows(sql: TransactionSql): Promise<number> {
  const { earliestS, aheadS, url } = rowLimits
  const isPossible = (name: string) =>
    sql`${sql(name)} between to_timestamp(${earliestS}) and now() + make_interval(secs => ${aheadS})`
  let removed = 0
  for (const [table, time] of tables) {
    removed += (await sql`delete from ${sql(table)} where not (${isPossible(time)})`).count
  }
  await sql`
    update downloads set ended_at = started_at
    where not (${isPossible('ended_at')}) or ended_at < started_at`
  await sql`update downloads set last_url = left(last_url, ${url}) where length(last_url) > ${url}`
  return removed
}

/** How long others that use the tables may keep the restore waiting. */
const lockWaitMs = 60_000

/** Drops what our migrations made and nothing else: the database may be shared. */
async function dropAll(sql: TransactionSql, tables: string[]) {
  await prepareSchema(sql)
  await sql`delete from __drizzle_migrations`
  for (const name of new Set([...historyTables, ...tables])) {
    await sql.unsafe(`drop table if exists ${quoted(name)} cascade`)
  }
  for (const name of rollupFunctions) {
    await sql.unsafe(`drop function if exists ${quoted(name)} cascade`)
  }
}

async function fill(sql: TransactionSql, folder: string, { history }: Manifest): Promise<void> {
  for (const { name, columns } of history.tables) {
    const file = join(folder, 'history', name)
    if (!existsSync(file)) continue // it was empty
    const statement = `copy ${quoted(name)} (${listOf(columns)}) from stdin`
    await pipeline(createReadStream(file), await sql.unsafe(statement).writable())
  }
}

/** Indexes that are no constraints, as statements; filling a table without them is much faster. */
async function dropIndexes(sql: TransactionSql, tables: string[]): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class owner on owner.oid = indrelid
    where owner.relnamespace = ${ownSchema(sql)} and owner.relkind = 'r'
      and not owner.relispartition and owner.relname in ${sql(tables)}
      and not exists (select 1 from pg_constraint where conindid = indexrelid)`
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  return indexes.map(({ definition }) => definition)
}

/** Numbers that the database gives to new rows continue after those of the snapshot. */
async function continueNumbers(sql: TransactionSql, tables: string[]): Promise<void> {
  const columns = await sql<{ table: string; column: string }[]>`
    select relname as table, attname as column from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = ${ownSchema(sql)} and relname in ${sql(tables)}
      and attidentity <> '' and not attisdropped`
  for (const { table, column } of columns) {
    const sequence = `pg_get_serial_sequence('${quoted(table)}', '${column}')`
    await sql.unsafe(`select setval(${sequence}, coalesce(max(${quoted(column)}), 1),
      max(${quoted(column)}) is not null) from ${quoted(table)}`)
  }
}

/**
 * Replaces the history by that of a snapshot, in one transaction: whatever fails, it stays as it
 * was. The tables are made as they were when the snapshot was taken, filled, and then brought to the
 * newest schema. Needs a client with one connection, and nobody else at work. Returns how many rows
 * beyond the limits of time were left out.
 */
export async function restoreHistory(
  sql: Sql,
  folder: string,
  manifest: Manifest,
  migrationsOf = migrationsFolder,
): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder: migrationsOf })
  const known = manifest.history.migrations.length
  const tables = manifest.history.tables.map(({ name }) => name)
  let removed = 0
  await sql.begin(async (transaction) => {
    await transaction`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`
    await dropAll(transaction, tables)
    await applyMigrations(transaction, migrations.slice(0, known))
    await ensurePartitions(transaction, manifest.history.months)
    const indexes = await dropIndexes(transaction, tables)
    await fill(transaction, folder, manifest)
    for (const definition of indexes) await transaction.unsafe(definition)
    await continueNumbers(transaction, tables)
    await applyMigrations(transaction, migrations.slice(known))
    // Only now: roll-ups come with the snapshot, and their triggers would count everything twice.
    await applyRollups(transaction)
    removed = await limitRows(transaction)
  })
  // The restore is done: without new statistics the first reports are slower.
  await sql.unsafe(`analyze ${listOf(historyTables)}`).catch(() => {})
  return removed
}
