import { readdirSync, readFileSync } from 'node:fs'
import type { Sql } from 'postgres'
import type { Larder } from '../lab/larder.ts'
import { familyOf } from '../lab/processes.ts'
import { eventually } from '../support/eventually.ts'
import { median, milliseconds } from './measure.ts'

/** Milliseconds of processors that one call took, and for how long its processes waited for one. */
export interface Cost {
  service: number
  postgres: number
  waited: number
}

const readers = ['larder-reader', 'larder-lister']
const tickMs = 10
const tablesMax = 3
/** Fewer rows of a table are not worth a word. */
const rowsMin = 500

/** Nanoseconds that a thread has run, and waited to run. */
function scheduled(path: string): [ran: number, waited: number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`${path}/schedstat`, 'utf8').split(' ').map(Number)
    return [ran / 1e6, waited / 1e6]
  } catch {
    // It has ended in the meantime.
    return [0, 0]
  }
}

/** Parallel workers end with their query: only their parent still knows their time. */
function endedChildrenMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}

function costUntilNow(larder: Larder, family: readonly number[]): Cost {
  const threads = readdirSync(`/proc/${larder.pid}/task`)
  const postmaster = larder.postgresPid()
  const cost: Cost = {
    service: threads.reduce((sum, id) => sum + scheduled(`/proc/${larder.pid}/task/${id}`)[0], 0),
    postgres: postmaster === null ? 0 : endedChildrenMs(postmaster),
    waited: 0,
  }
  for (const pid of family) {
    const [ran, waited] = scheduled(`/proc/${pid}`)
    if (pid !== larder.pid) cost.postgres += ran
    cost.waited += waited
  }
  return cost
}

/** Starts the account of one call; the returned function ends it. */
export function startCost(larder: Larder): () => Cost {
  const family = familyOf(larder.pid)
  const before = costUntilNow(larder, family)
  return () => {
    const { service, postgres, waited } = costUntilNow(larder, family)
    return {
      service: service - before.service,
      postgres: postgres - before.postgres,
      waited: waited - before.waited,
    }
  }
}

interface TableReads {
  name: string
  rows: number
  pages: number
}

/** Sums of all reads so far by table, partitions together. Ends the readers: only then are they complete. */
async function tableReads(sql: Sql): Promise<Map<string, TableReads>> {
  const own = sql`application_name = ANY(${readers}::text[])`
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${own}`
  const isOver = async () => (await sql`SELECT 1 FROM pg_stat_activity WHERE ${own}`).length === 0
  await eventually(isOver, 'the readers have ended')
  const tables = await sql<TableReads[]>`
    SELECT regexp_replace(relname, '(_[0-9]+)+$', '') AS name,
      sum(seq_tup_read + coalesce(entries, 0))::float8 AS rows,
      sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::float8 AS pages
    FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid, relname) LEFT JOIN (
      SELECT relid, sum(idx_tup_read) AS entries FROM pg_stat_user_indexes GROUP BY relid
    ) AS indexes USING (relid)
    GROUP BY 1`
  return new Map(tables.map((table) => [table.name, table]))
}

const short = (count: number) => (count < 1000 ? String(count) : `${Math.round(count / 1000)} k`)

/** What Postgres reads for one call, as a text: rows of the largest tables, and all pages. */
export async function readsOf(sql: Sql, call: () => Promise<unknown>): Promise<string> {
  const answered = () =>
    eventually(
      () =>
        call().then(
          () => true,
          () => false,
        ),
      'the service has readers again',
    )
  const before = await tableReads(sql)
  await answered()
  const after = await tableReads(sql)
  await answered()
  const read = [...after.values()].map(({ name, rows, pages }) => ({
    name,
    rows: rows - (before.get(name)?.rows ?? 0),
    pages: pages - (before.get(name)?.pages ?? 0),
  }))
  const most = read
    .filter(({ rows }) => rows >= rowsMin)
    .sort((one, other) => other.rows - one.rows)
    .slice(0, tablesMax)
  const pages = read.reduce((sum, table) => sum + table.pages, 0)
  return [...most.map(({ name, rows }) => `${short(rows)} ${name}`), `${short(pages)} pages`].join(
    ', ',
  )
}

/** The processor time of the median call, and the wait of the one that waited most. */
export function costText(costs: readonly Cost[]): string {
  const middle = (of: (cost: Cost) => number) => milliseconds(median(costs.map(of)))
  const all = middle(({ service, postgres }) => service + postgres)
  const waited = milliseconds(Math.max(...costs.map((cost) => cost.waited)))
  return `processor ${all}, Postgres ${middle((cost) => cost.postgres)} of it; waited up to ${waited}`
}
