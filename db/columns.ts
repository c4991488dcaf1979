import { getTableColumns, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'

type Key<T extends Table> = keyof T['_']['columns'] & string

/** The columns of a table in its schema, for hand-written statements. */
export const columnsOf = <T extends Table, const Out extends Key<T> = never>(
  table: T,
  excluded: readonly Out[] = [],
) =>
  Object.entries(getTableColumns(table))
    .filter(([key]) => !excluded.some((out) => out === key))
    .map(([key, column]) => ({
      /** Property name in rows. */
      // The entries are those of the table's type.
      key: key as Exclude<Key<T>, Out>,
      /** Name in the database. */
      name: toSnakeCase(key),
      type: column.getSQLType(),
      isFlag: column.dataType === 'boolean',
    }))
