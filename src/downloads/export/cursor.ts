import type { Fragment, Sql } from 'postgres'
import { openClient, type HistoryTarget } from '../../../db/history/connect.ts'

/** For one page; the whole may take as long as its reader. */
const pageTimeoutMs = 30_000

export interface Rows<Row> {
  /** Page after page, each as an array; ends by itself or with an error. */
  pages: AsyncGenerator<Row[]>
  /** Gives up what is being asked at this moment and closes the connection. */
  abort: () => void
}

/**
 * The rows of a question, so many at a time, as they were at one moment. The connection is its own,
 * so that readers who take their time do not keep reports waiting; the server looks every second
 * whether somebody is still there.
 */
export function cursorOver<Row>(
  target: HistoryTarget,
  question: (sql: Sql) => Fragment,
  pageRows: number,
): Rows<Row> {
  const sql = openClient(target, {
    name: 'export',
    connections: 1,
    statementTimeoutMs: pageTimeoutMs,
    isReader: true,
  })
  const close = () => void sql.end({ timeout: 0 }).catch(() => {})

  async function* pages(): AsyncGenerator<Row[]> {
    try {
      // One connection: what begins here is the transaction that the cursor lives in.
      await sql.unsafe("SET client_connection_check_interval = '1s'; BEGIN READ ONLY")
      await sql`DECLARE exported NO SCROLL CURSOR FOR ${question(sql)}`
      for (;;) {
        const rows = await sql.unsafe<Row[]>(`FETCH ${pageRows} FROM exported`)
        if (rows.length > 0) yield [...rows]
        if (rows.length < pageRows) return
      }
    } finally {
      close()
    }
  }
  return { pages: pages(), abort: close }
}
