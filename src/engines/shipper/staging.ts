import {
  flagField,
  integerField,
  nullField,
  secondsField,
  textArrayField,
  textField,
} from './copy.ts'

interface Form {
  /** Type of the staged column: instants are Unix seconds until stored. */
  type: string
  field: (value: unknown) => string
}

const whole = (type: string): Form => ({ type, field: (value) => integerField(Number(value)) })

const forms: Readonly<Record<string, Form>> = {
  bigint: whole('bigint'),
  integer: whole('integer'),
  text: {
    type: 'text',
    field: (value) => (typeof value === 'string' ? textField(value) : nullField),
  },
  // The only arrays are those of object keys.
  'text[]': { type: 'text[]', field: (value) => textArrayField(value as string[]) },
  boolean: { type: 'boolean', field: (value) => flagField(value === true) },
  'timestamp with time zone': {
    type: 'float8',
    field: (value) => secondsField(Number(value)),
  },
}

function formOf(type: string): Form {
  const form = forms[type]
  if (form === undefined) throw new Error(`columns of type ${type} cannot be staged`)
  return form
}

export interface StagedColumn<Row> {
  key: keyof Row
  name: string
  type: string
}

export const isInstant = ({ type }: { type: string }): boolean =>
  type === 'timestamp with time zone'

/**
 * A temporary table for rows of the given columns; lives as long as the connection. Its name tells its
 * columns: behind a pooler, the connection may have one that another version made.
 */
export function stagedTable<Row>(name: string, columns: readonly StagedColumn<Row>[]) {
  const formed = columns.map(({ key, name: column, type }) => ({ key, column, ...formOf(type) }))
  const definitions = formed.map(({ column, type }) => `${column} ${type}`).join(', ')
  const table = `${name}_${Bun.hash.crc32(definitions).toString(16)}`
  return {
    table,
    columns: formed.map(({ column }) => column),
    create: `create temp table if not exists ${table} (${definitions}) on commit delete rows`,
    fields: (row: Row) => formed.map(({ key, field }) => field(row[key])),
  }
}
