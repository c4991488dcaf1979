import type { Fragment, Sql, TransactionSql } from 'postgres'
import { openClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { longestMs } from './stream.ts'

export interface Rows<Row> {
  /** Pages as arrays; ends normally or with an error. */
  pages: AsyncGenerator<Row[]>
  /** Aborts the running query and closes the connection. */
  abort: () => void
}

/**
 * Reads a query's rows page by page from one snapshot. Uses its own connection, so that slow
 * readers do not block reports; the server checks every second that the client is still connected.
 */
export function cursorOver<Row>(
  target: HistoryTarget,
  question: (sql: Sql) => Fragment,
  pageRows: number,
): Rows<Row> {
  const sql = openClient(target, {
    name: 'export',
    connections: 1,
    // Without an index for its order, the first page comes after ten million rows were sorted.
    statementTimeoutMs: longestMs,
    isReader: true,
  })
  const opened = Promise.withResolvers<TransactionSql>()
  const finished = Promise.withResolvers<void>()
  const close = () => {
    finished.resolve()
    void sql.end({ timeout: 0 }).catch(() => {})
  }

  async function* pages(): AsyncGenerator<Row[]> {
    const transaction = sql.begin('read only', async (begun) => {
      await begun`set local client_connection_check_interval = '1s'`
      opened.resolve(begun)
      await finished.promise
    })
    transaction.catch(opened.reject)
    try {
      const begun = await opened.promise
      await begun`DECLARE exported NO SCROLL CURSOR FOR ${question(sql)}`
      for (;;) {
        const rows = await begun.unsafe<Row[]>(`FETCH ${pageRows} FROM exported`)
        if (rows.length > 0) yield [...rows]
        if (rows.length < pageRows) return
      }
    } finally {
      close()
    }
  }
  return { pages: pages(), abort: close }
}
