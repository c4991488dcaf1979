import type { Sql } from 'postgres'
import { failedSpans } from '../../engines/shipper/contract.ts'
import { grainSpans } from './range.ts'
import type { Scope } from './scope.ts'
import { clientRule, prefillRule, within } from './traffic.ts'

/** Failed requests of one service or client. */
export interface FailedSum {
  name: string
  requests: number
}

/** Requests that failed in a scope, by service or client. They belong to no download or event. */
export async function failedSums(
  sql: Sql,
  scope: Scope,
  by: 'service' | 'client',
): Promise<FailedSum[]> {
  if (scope.eventId !== null) return []
  const rows = grainSpans(scope.period)
    .map(
      (span) => sql`
        SELECT ${sql(by)} AS name, requests FROM failed_requests
        WHERE span_seconds = ${span.grain === 'day' ? failedSpans.day : failedSpans.five}
          ${within(sql, 'bucket_at', span)} ${prefillRule(sql, scope.includePrefill)}
          ${clientRule(sql, scope.without)}`,
    )
    .reduce((all, part) => sql`${all} UNION ALL ${part}`)
  return sql<FailedSum[]>`
    SELECT name, sum(requests)::float8 AS requests FROM (${rows}) AS rows GROUP BY name`
}

/** Those of some names together. */
export const failedOf = (sums: readonly FailedSum[], isOne: (name: string) => boolean): number =>
  sums.reduce((total, { name, requests }) => total + (isOne(name) ? requests : 0), 0)
