import type { Sql, TransactionSql } from 'postgres'

/** What a query of the driver has besides its type: who runs it, whether that has begun, its two ends. */
interface DriverQuery {
  handler: (query: DriverQuery) => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  executed: boolean
}

// The driver makes every query of this class; it has no public type.
const driverQuery = (query: unknown) => query as DriverQuery

/**
 * A client for a pooler in transaction mode, which gives each transaction any of its connections:
 * settings of a session would be lost, or be those of another client. Every transaction begins with
 * the settings, and a statement of its own becomes a transaction, which costs two more round trips.
 * Callers see no difference: a query ends when its transaction has been committed.
 */
export function perTransaction(
  client: Sql,
  settings: Readonly<Record<string, string | number>>,
): Sql {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${literal(name)}, ${literal(String(value))}, true)`,
  )
  const set = (transaction: TransactionSql) => transaction.unsafe(`select ${calls.join(', ')}`)

  const begin = (...words: unknown[]) => {
    const work = words.pop() as (transaction: TransactionSql) => unknown
    return client.begin(words.map(String).join(' '), async (transaction) => {
      await set(transaction)
      return work(transaction)
    })
  }

  function run(query: DriverQuery): void {
    const { resolve, reject } = query
    const answered = Promise.withResolvers<unknown>()
    query.resolve = answered.resolve
    query.reject = answered.reject
    const work = client.begin((transaction) => {
      const prepared = set(transaction)
      const { handler } = driverQuery(prepared)
      // Both at once, the query behind its settings. The driver would send the first one later.
      driverQuery(prepared).executed = true
      handler(driverQuery(prepared))
      handler(query)
      return Promise.all([answered.promise, prepared])
    })
    work.then(([result]) => resolve(result), reject)
  }

  const alone = (made: unknown) => {
    // Other calls of the client make names and lists for use inside a query.
    if (made instanceof Promise) driverQuery(made).handler = run
    return made
  }
  return new Proxy(client, {
    apply: (_client, _this, words) => alone(Reflect.apply(client, undefined, words)),
    get(_client, name) {
      if (name === 'begin') return begin
      if (name === 'unsafe')
        return (...words: Parameters<Sql['unsafe']>) => alone(client.unsafe(...words))
      return Reflect.get(client, name) as unknown
    },
  })
}
