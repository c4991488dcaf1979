import { reachClient, type HistoryTarget } from './connect.ts'
import { describeFailure, failureCode, HistoryFault } from './failures.ts'

/** No server has it by default, and a pooler does not pass it on. */
const markMs = 12_345
/** Postgres shows it with its unit. */
const mark = `${markMs}ms`

/** Reported by poolers for a parameter that they do not know. */
const protocolViolation = '08P01'

/** `host`, `host:port` or `[address]:port`, separated by commas. */
export function serversOf({ host, port }: { host: string; port: number }) {
  return host.split(',').map((entry) => {
    const [, bracketed, name, own] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry.trim()) ?? []
    return { host: bracketed ?? name ?? entry.trim(), port: own === undefined ? port : Number(own) }
  })
}

interface Inspected {
  target: HistoryTarget
  isReplica: boolean
  /** Increases with every promotion: a former primary that came back has an older one. */
  timeline: string
}

const options = (signal: AbortSignal) => ({
  name: 'control',
  connections: 1,
  statementTimeoutMs: markMs,
  signal,
})

/** `isChoice`: it is one of several, so that its timeline counts. */
export async function inspectServer(
  direct: HistoryTarget,
  signal: AbortSignal,
  isChoice = false,
): Promise<Inspected> {
  let target = direct
  const sql = await reachClient(direct, options(signal)).catch((error: unknown) => {
    if (failureCode(error) !== protocolViolation) throw error
    target = { ...direct, isPooled: true }
    return reachClient(target, options(signal))
  })
  try {
    const [facts] = await sql<{ isReplica: boolean; limit: string }[]>`
      select pg_is_in_recovery() as "isReplica", current_setting('statement_timeout') as limit`
    const isReplica = facts?.isReplica ?? true
    // A pooler may accept the settings of a session and drop them.
    if (facts?.limit !== mark) target = { ...direct, isPooled: true }
    if (!isChoice || isReplica) return { target, isReplica, timeline: '' }
    const [wal] = await sql<{ timeline: string }[]>`
      select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`
    return { target, isReplica, timeline: wal?.timeline ?? '' }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Connects to the named servers and returns the one that is the primary, and whether a pooler in
 * transaction mode is in between. Of two primaries, the one that was promoted last: the other is a
 * former primary that came back. Throws when none of them is one.
 */
export async function findServer(
  configured: HistoryTarget,
  signal: AbortSignal,
): Promise<HistoryTarget> {
  const servers = serversOf(configured)
  const isChoice = servers.length > 1
  const results = await Promise.allSettled(
    servers.map((server) => inspectServer({ ...configured, ...server }, signal, isChoice)),
  )
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const [primary] = found
    .filter(({ isReplica }) => !isReplica)
    .sort((a, b) => b.timeline.localeCompare(a.timeline))
  if (primary !== undefined) return primary.target
  const texts = results.map((result, index) =>
    result.status === 'fulfilled'
      ? `Postgres at ${servers[index]?.host}:${servers[index]?.port} is a read-only replica: name the primary`
      : describeFailure(result.reason, { ...configured, ...servers[index] }),
  )
  const [first] = results
  if (!isChoice && first?.status === 'rejected') throw first.reason
  throw new HistoryFault(texts.join('; '))
}
