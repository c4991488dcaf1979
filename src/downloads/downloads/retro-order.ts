import type { Fragment, Sql } from 'postgres'
import type { RetroSort } from './retro-query.ts'

type Term = readonly [column: string, direction: 'ASC' | 'DESC']

const size = '(hit_bytes + miss_bytes)'
const share = '(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1))'
const flipped = { ASC: 'DESC', DESC: 'ASC' } as const

/** Leading sort terms: of rows, and of single downloads where they differ between downloads. */
const leading: Record<RetroSort, { row: Term[]; single: Term[] }> = {
  latest: { row: [], single: [] },
  oldest: { row: [['first_at', 'ASC']], single: [['started_at', 'ASC']] },
  largest: { row: [[size, 'DESC']], single: [[size, 'DESC']] },
  smallest: { row: [[size, 'ASC']], single: [[size, 'ASC']] },
  efficiency: { row: [[share, 'DESC']], single: [[share, 'DESC']] },
  'efficiency-low': { row: [[share, 'ASC']], single: [[share, 'ASC']] },
  sessions: { row: [['downloads', 'DESC']], single: [] },
  alphabetical: { row: [['lower(app_name)', 'ASC']], single: [] },
  service: { row: [['service', 'ASC']], single: [] },
}

const orderBy = (sql: Sql, terms: readonly Term[]): Fragment =>
  sql.unsafe(terms.map((term) => term.join(' ')).join(', '))

/**
 * The order of single downloads in columns of `downloads`, so that indexes apply. By name and
 * service: the order among downloads with the same one.
 */
export function singleOrder(sql: Sql, sort: RetroSort, isReversed: boolean): Fragment {
  const terms: Term[] = [...leading[sort].single, ['ended_at', 'DESC'], ['id', 'DESC']]
  const reversed = terms.map(([column, direction]): Term => [column, flipped[direction]])
  return orderBy(sql, isReversed ? reversed : terms)
}

/** The order of all kinds of rows; the key breaks ties. */
export const rowOrder = (sql: Sql, sort: RetroSort): Fragment =>
  orderBy(sql, [...leading[sort].row, ['last_at', 'DESC'], ['number', 'DESC'], ['key', 'ASC']])
