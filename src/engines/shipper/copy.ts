import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'

/** Characters per write; the stream waits when the server is slower. */
const chunkCharacters = 64 * 1024

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

export const nullField = '\\N'

/** A text column of the COPY text format. Drops zero characters, which Postgres cannot store. */
export const textField = (value: string) =>
  // oxlint-disable-next-line no-control-regex -- exactly these are special in COPY
  /[\0\\\t\n\r]/.test(value)
    ? value.replaceAll('\0', '').replaceAll(/[\\\t\n\r]/g, (sign) => escapes[sign] ?? '')
    : value

/** A text[] column: an array literal, then escaped like any text. */
export const textArrayField = (values: string[]) =>
  textField(`{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`)

/** A whole number; anything else would stop this batch and all later ones. */
export const integerField = (value: number) =>
  Number.isSafeInteger(value)
    ? String(value)
    : String(Number.isFinite(value) ? Math.trunc(value) : 0)

/** Seconds, possibly with a fraction. */
export const secondsField = (value: number) => (Number.isFinite(value) ? String(value) : '0')

export const flagField = (value: boolean) => (value ? 't' : 'f')

function* chunksOf<Row>(rows: readonly Row[], fields: (row: Row) => string[]) {
  let chunk = ''
  for (const row of rows) {
    chunk += `${fields(row).join('\t')}\n`
    if (chunk.length < chunkCharacters) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Streams rows into a table. `columns` are constants, never input. */
export async function copyRows<Row>(
  sql: TransactionSql,
  into: { table: string; columns: readonly string[] },
  rows: readonly Row[],
  fields: (row: Row) => string[],
): Promise<void> {
  if (rows.length === 0) return
  const statement = `copy ${into.table} (${into.columns.join(', ')}) from stdin`
  const stream = await sql.unsafe(statement).writable()
  await pipeline(Readable.from(chunksOf(rows, fields)), stream)
}
