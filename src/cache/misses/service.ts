import type { Sql } from 'postgres'
import { excludedClients } from '../../clients/contract.ts'
import { AppError } from '../../core/http/errors.ts'
import type { DownloadLog, MissCause } from '../../engines/log-scan/tail-contract.ts'
import { tailOf } from '../doctor/suspects.ts'
import type { CacheParts } from '../parts.ts'

interface Row {
  datasource: string
  client: string
  tag: string
  titleKey: string
  isPrefill: boolean
  startS: number
  endS: number
}

const readDownload = async (sql: Sql, id: number): Promise<Row | null> => {
  const [row] = await sql<Row[]>`
    SELECT datasource, client, tag, title_key AS "titleKey", is_prefill AS "isPrefill",
      floor(extract(epoch FROM started_at))::float8 AS "startS",
      ceil(extract(epoch FROM ended_at))::float8 AS "endS"
    FROM downloads WHERE id = ${id}`
  return row ?? null
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

function wireOf({ coverage, readFromS, points, causes, samples, ...log }: DownloadLog, row: Row) {
  const { filesRead, linesRead, problem } = coverage
  // The keys of its type.
  const counts = Object.entries(causes) as [MissCause, number][]
  return {
    ...log,
    filesRead,
    linesRead,
    problem,
    readFromUtc: readFromS === null ? null : iso(readFromS),
    startTimeUtc: iso(row.startS),
    points: points.map(([hitBytes, missBytes]) => ({ hitBytes, missBytes })),
    causes: counts
      .map(([cause, misses]) => ({ cause, misses }))
      .sort((a, b) => b.misses - a.misses),
    samples: samples.map(({ timeS, before, ...sample }) => ({
      ...sample,
      atUtc: iso(timeS),
      requestedBeforeUtc: before === null ? null : iso(before.timeS),
      wasHitBefore: before?.isHit ?? null,
    })),
  }
}

/** Reads a download in the log: when it hit and missed, and why it missed as far as lines prove. */
export async function downloadLog(deps: CacheParts, id: number) {
  const row = await deps.history.read((_db, sql) => readDownload(sql, id))
  if (row === null || excludedClients(deps.state).hidden.includes(row.client)) {
    throw new AppError('notFound', 'Download not found')
  }
  await deps.datasources.requireClearScheme(row.datasource)
  const facts = await deps.datasources.facts(row.datasource)
  const { timeZone } = deps.config
  const { fromS: _, ...tail } = tailOf(facts, { timeZone, fromS: 0, toS: row.endS })
  return wireOf(await deps.logScan.download({ ...tail, ...row }), row)
}
