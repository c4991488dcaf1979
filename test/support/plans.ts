import { expect } from 'bun:test'
import postgres, { type Sql } from 'postgres'
import { readerSettings, type HistoryTarget } from '../../db/history/connect.ts'

/** One node of the planner's output; rows are those of one loop, of a plan that was carried out. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

export interface PlanReader {
  sql: Sql
  /** All plan nodes of a report's queries. */
  plansOf: (report: () => Promise<unknown>, carriedOut?: boolean) => Promise<PlanNode[]>
}

/** A reader of reports that shows how its queries are carried out. */
export function readPlans(target: HistoryTarget): PlanReader {
  const sent: { text: string; values: unknown[] }[] = []
  const sql = postgres({
    ...target,
    max: 1,
    onnotice: () => {},
    connection: { TimeZone: 'UTC', ...readerSettings },
    debug: (_connection, text, values) => void sent.push({ text, values }),
  })
  async function plansOf(report: () => Promise<unknown>, carriedOut = false) {
    sent.length = 0
    await report()
    const statements = sent.filter(({ text }) => /\bFROM\b/.test(text) && !/pg_catalog/.test(text))
    expect(statements.length).toBeGreaterThan(0)
    const nodes: PlanNode[] = []
    for (const { text, values } of statements) {
      const [row] = await sql.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
        `EXPLAIN (FORMAT JSON, ANALYZE ${carriedOut}) ${text}`,
        // The driver returns the parameters as sent, ready to be reused.
        values as string[],
      )
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) nodes.push(...nodesOf(Plan))
    }
    return nodes
  }
  return { sql, plansOf }
}

/** Rows that a plan fetched of tables whose names match, those included that a filter dropped. */
export const rowsRead = (nodes: readonly PlanNode[], tables: RegExp): number =>
  nodes
    .filter((node) => tables.test(node['Relation Name'] ?? ''))
    .reduce((sum, node) => {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
      return sum + rows * (node['Actual Loops'] ?? 0)
    }, 0)
