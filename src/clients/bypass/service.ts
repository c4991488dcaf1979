import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { keep } from '../../core/lib/kept.ts'
import { excludedClients } from '../exclusions/service.ts'
import type { ClientsParts } from '../parts.ts'
import type { QueryLogBody } from './model.ts'
import { problemOf, readQueryLog } from './query-log.ts'
import { setQueryLog, storedQueryLog, viewQueryLog } from './query-log-settings.ts'
import { suspectsOf, type CacheNames, type DnsAnswer, type Proof, type Suspect } from './radar.ts'
import { dayMs } from './silence.ts'
import { readUse } from './store.ts'

/** Two months of habits, and the longest silence that is still shown. */
const readDays = 110
const rowsMax = 5000
/** Suspects per answer; more are a network whose DNS does not work. */
const suspectsMax = 100
const dismissedMax = 1000
/** Habits do not change within minutes, and a DNS server is not asked by every page. */
const keptMs = 10 * 60_000

/** What is read of the status check's last result. */
const Checked = Type.Object({
  expectedCacheIps: Type.Array(Type.String()),
  services: Type.Array(
    Type.Object({
      service: Type.String(),
      status: Type.String(),
      domains: Type.Array(
        Type.Object({
          originalEntry: Type.String(),
          status: Type.String(),
          resolvedIps: Type.Array(Type.String()),
          heartbeatVerified: Type.Boolean(),
        }),
      ),
    }),
  ),
})

/** Names and addresses of the cache as the status check has found them. */
function namesOf({ expectedCacheIps, services }: Static<typeof Checked>): CacheNames {
  const domains = services.flatMap(({ service, domains: list }) =>
    list.map((domain) => ({ service, ...domain })),
  )
  const verified = domains.filter(({ heartbeatVerified }) => heartbeatVerified)
  const resolved = domains.filter(({ status }) => status === 'resolved')
  return {
    addresses: new Set([
      ...expectedCacheIps,
      ...verified.flatMap(({ resolvedIps }) => resolvedIps),
    ]),
    services: new Map(
      resolved.map((domain) => [domain.originalEntry.toLowerCase(), domain.service]),
    ),
    missed: new Set(
      services.filter(({ status }) => status === 'unresolved').map(({ service }) => service),
    ),
  }
}

const utc = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** A client is dismissed until something changes: it comes back, or there is a proof. */
const stateOf = ({ lastAtMs, proof }: Suspect) => `${proof?.kind ?? ''} ${utc(lastAtMs) ?? ''}`

const shownProof = ({ atMs, ...proof }: Proof) => ({
  ...proof,
  atUtc: new Date(atMs).toISOString(),
})

function shownSuspect(suspect: Suspect, isDismissed: boolean) {
  const { client, lastAtMs, proof, ...rest } = suspect
  return {
    ...rest,
    clientIp: client,
    lastSeenUtc: utc(lastAtMs),
    proof: proof && shownProof(proof),
    isDismissed,
  }
}

/** Clients that use platforms without the cache. */
export function createBypass(parts: ClientsParts) {
  const { clock, history, settings, state, outside, log } = parts

  async function answersOfDns(): Promise<{ answers: DnsAnswer[]; problem: string | null }> {
    const source = storedQueryLog(parts)
    if (source === null) return { answers: [], problem: null }
    try {
      return { answers: await readQueryLog(outside, source), problem: null }
    } catch (error) {
      const problem = problemOf(error)
      log.warn({ problem }, 'the query log of the DNS server cannot be read')
      return { answers: [], problem }
    }
  }

  async function read() {
    const nowMs = clock.now().getTime()
    const since = new Date(nowMs - readDays * dayMs)
    const [rows, { answers, problem }] = await Promise.all([
      history.read((_db, sql) => readUse(sql, since, rowsMax)),
      answersOfDns(),
    ])
    const checked = settings.get('statusCheck.lastResult')
    const names = Value.Check(Checked, checked) ? namesOf(checked) : null
    return { suspects: suspectsOf({ rows, answers, names, nowMs }), problem }
  }

  const found = keep(clock, keptMs, read)

  return {
    async list() {
      const { suspects, problem } = await found.read()
      const left = new Set(excludedClients(state).uncounted)
      const dismissed = settings.get('clients.dismissedBypass')
      const items = suspects
        .filter(({ client }) => !left.has(client))
        .slice(0, suspectsMax)
        .map((one) => shownSuspect(one, dismissed[one.client] === stateOf(one)))
      return { items, problem }
    },

    /** Throws `invalid`, `notFound`, and `conflict` when too many are dismissed. */
    async dismiss(text: string, isDismissed: boolean): Promise<void> {
      const address = normalAddress(text)
      if (address === null) throw new AppError('invalid', 'Not an IPv4 or IPv6 address')
      const { [address]: _, ...others } = settings.get('clients.dismissedBypass')
      if (!isDismissed) {
        settings.set('clients.dismissedBypass', others)
        return
      }
      const suspect = (await found.read()).suspects.find(({ client }) => client === address)
      if (suspect === undefined) throw new AppError('notFound', 'This client is not in the list')
      if (Object.keys(others).length >= dismissedMax) {
        throw new AppError('conflict', `${dismissedMax} clients are dismissed already`)
      }
      settings.set('clients.dismissedBypass', { ...others, [address]: stateOf(suspect) })
    },

    queryLog: () => viewQueryLog(parts),

    /** Throws `invalid`. */
    setQueryLog(body: QueryLogBody) {
      const view = setQueryLog(parts, body)
      found.forget()
      return view
    },
  }
}

export type BypassRadar = ReturnType<typeof createBypass>
