import { getTableColumns, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'

type Key<T extends Table> = keyof T['_']['columns'] & string

/** The columns of a table as its schema lists them, for statements that are written by hand. */
export const columnsOf = <T extends Table, const Out extends Key<T> = never>(
  table: T,
  leaveOut: readonly Out[] = [],
) =>
  Object.entries(getTableColumns(table))
    .filter(([key]) => !leaveOut.some((out) => out === key))
    .map(([key, column]) => ({
      /** As rows call it. */
      // The entries are those of the table's type.
      key: key as Exclude<Key<T>, Out>,
      /** As the database calls it. */
      name: toSnakeCase(key),
      type: column.getSQLType(),
      isFlag: column.dataType === 'boolean',
    }))
