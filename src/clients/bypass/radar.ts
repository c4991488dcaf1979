/*
 * Clients that use platforms, but not (or no longer) the cache.
 *
 * The history shows only what reaches the cache, so a missing client is a suspicion: it may be on holiday,
 * sold, or have another address. A suspect had a habit, has been silent for twice its longest break, and
 * others used the cache meanwhile. The query log of the network's DNS server, if there is one, is proof:
 * it shows that a client asked for a name of the cache and got another address. A later answer
 * that leads to the cache withdraws that.
 */
import { isOutsideAddress } from '../../core/lib/address.ts'
import { dayMs, silenceOf } from './silence.ts'
import type { UseRow } from './store.ts'

/** One answer of the DNS server. */
export interface DnsAnswer {
  client: string
  host: string
  atMs: number
  type: 'A' | 'AAAA'
  /** Addresses in the answer; empty where the log does not have them. */
  addresses: readonly string[]
  /** The server that was asked, where the log has that instead; null: answered itself, or unknown. */
  upstream: string | null
}

export const proofKinds = ['address', 'upstream', 'ipv6'] as const
export interface Proof {
  kind: (typeof proofKinds)[number]
  service: string
  host: string
  /** The address in the answer, or that of the server that was asked. */
  address: string
  atMs: number
}

/** What the last status check knows: where the network's own DNS leads. */
export interface CacheNames {
  /** Addresses of the cache. */
  addresses: ReadonlySet<string>
  /** Names that lead to it and their service; a leading `*.` stands for every name below. */
  services: ReadonlyMap<string, string>
  /** Services of which the network's DNS leads nothing to the cache. */
  missed: ReadonlySet<string>
}

export const hints = ['ownDns', 'networkDns'] as const
export interface Suspect {
  client: string
  /** Whether it has stopped altogether; else only the services named below have. */
  isSilent: boolean
  lastAtMs: number | null
  /** Its longest break before, in days; null without a habit. */
  usualBreakDays: number | null
  /** Services that it no longer gets through the cache, while others do. */
  services: string[]
  /** Null: there is none, and the suspicion is one. */
  proof: Proof | null
  /** Where to look first; null without a status check. */
  hint: (typeof hints)[number] | null
}

/** Others must have used the cache on so many days of a silence, or the cache itself was away. */
const othersDays = 2

/** The service that a host name belongs to; null when it is not one of the cache. */
export function serviceOfHost(host: string, { services }: CacheNames): string | null {
  const name = host.toLowerCase().replace(/\.$/, '')
  const known = services.get(name)
  if (known !== undefined) return known
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const below = services.get(`*${name.slice(dot)}`)
    if (below !== undefined) return below
  }
  return null
}

/** What one answer proves; `cache`: it leads to the cache; null: nothing. */
function judgeAnswer(answer: DnsAnswer, names: CacheNames): Proof['kind'] | 'cache' | null {
  const { addresses, type, upstream } = answer
  if (addresses.some((address) => names.addresses.has(address))) return 'cache'
  if (addresses.length > 0 && addresses.every(isOutsideAddress)) {
    return type === 'AAAA' ? 'ipv6' : 'address'
  }
  // A cache's own DNS server is in the network; one outside knows only the platform's addresses.
  const isAsked = upstream !== null && isOutsideAddress(upstream)
  return isAsked && addresses.length === 0 && type === 'A' ? 'upstream' : null
}

/** The newest proof against each client that was not withdrawn by a later answer for that name. */
export function proofsOf(answers: readonly DnsAnswer[], names: CacheNames): Map<string, Proof> {
  const latest = new Map<string, { client: string; proof: Proof | null; atMs: number }>()
  for (const answer of answers) {
    const { client, host, type, atMs } = answer
    const service = serviceOfHost(host, names)
    const kind = service === null ? null : judgeAnswer(answer, names)
    if (service === null || kind === null) continue
    const key = `${client}\n${host}\n${type}`
    if ((latest.get(key)?.atMs ?? 0) > atMs) continue
    const address = answer.addresses[0] ?? answer.upstream ?? ''
    const proof = kind === 'cache' ? null : { kind, service, host, address, atMs }
    latest.set(key, { client, proof, atMs })
  }
  const proofs = new Map<string, Proof>()
  for (const { client, proof } of latest.values()) {
    if (proof !== null && proof.atMs > (proofs.get(client)?.atMs ?? 0)) proofs.set(client, proof)
  }
  return proofs
}

interface Use {
  days: number[]
  lastAtMs: number
}

const merged = (rows: readonly UseRow[]): Use => ({
  days: rows.flatMap(({ days }) => days),
  lastAtMs: Math.max(...rows.map(({ lastAtMs }) => lastAtMs)),
})

/** Whether rows of others have traffic on enough days since then. */
function isUsedSince(rows: readonly UseRow[], client: string, sinceMs: number): boolean {
  const since = Math.floor(sinceMs / dayMs)
  const days = rows.flatMap((row) => (row.client === client ? [] : row.days))
  return new Set(days.filter((day) => day > since)).size >= othersDays
}

interface Found extends Pick<Suspect, 'isSilent' | 'usualBreakDays' | 'services'> {
  lastAtMs: number
}

/** What the history says about one client; null: it comes as usual. */
function absenceOf(rows: readonly UseRow[], own: readonly UseRow[], nowMs: number): Found | null {
  const all = merged(own)
  const client = own[0]?.client ?? ''
  const silence = silenceOf(all.days, all.lastAtMs, nowMs)
  if (silence !== null && isUsedSince(rows, client, all.lastAtMs)) {
    const services = own.map(({ service }) => service).sort()
    const { usualBreakDays } = silence
    return { isSilent: true, lastAtMs: all.lastAtMs, usualBreakDays, services }
  }
  // Silent itself, a client says nothing about single services.
  const services = own.filter(({ service, days, lastAtMs }) => {
    const hasOthers = () =>
      isUsedSince(
        rows.filter((row) => row.service === service),
        client,
        lastAtMs,
      )
    const wasHereSince = new Set(all.days.filter((day) => day > lastAtMs / dayMs)).size
    return wasHereSince >= othersDays && silenceOf(days, lastAtMs, nowMs) !== null && hasOthers()
  })
  if (services.length === 0) return null
  const lastAtMs = Math.max(...services.map((row) => row.lastAtMs))
  const names = services.map(({ service }) => service).sort()
  return { isSilent: false, lastAtMs, usualBreakDays: null, services: names }
}

export interface Evidence {
  rows: readonly UseRow[]
  answers: readonly DnsAnswer[]
  /** Null: no status check has run. */
  names: CacheNames | null
  nowMs: number
}

/** Suspects, those with a proof first, then those that were seen last. */
export function suspectsOf({ rows, answers, names, nowMs }: Evidence): Suspect[] {
  const proofs = names === null ? new Map<string, Proof>() : proofsOf(answers, names)
  const byClient = Map.groupBy(rows, ({ client }) => client)
  const suspects = [...new Set([...byClient.keys(), ...proofs.keys()])].flatMap((client) => {
    const own = byClient.get(client) ?? []
    const proof = proofs.get(client) ?? null
    const absence = own.length === 0 ? null : absenceOf(rows, own, nowMs)
    // With content of that service after the answer, the name was asked for something else.
    const isRefuted = own.some((row) => row.service === proof?.service && row.lastAtMs > proof.atMs)
    const held = isRefuted ? null : proof
    if (absence === null && held === null) return []
    const services = absence?.services ?? (held === null ? [] : [held.service])
    const isMissed = services.some((service) => names?.missed.has(service) === true)
    return {
      client,
      isSilent: absence?.isSilent ?? false,
      lastAtMs: own.length === 0 ? null : (absence?.lastAtMs ?? merged(own).lastAtMs),
      usualBreakDays: absence?.usualBreakDays ?? null,
      services,
      proof: held,
      hint: names === null ? null : isMissed ? ('networkDns' as const) : ('ownDns' as const),
    }
  })
  return suspects.sort(
    (a, b) =>
      Number(b.proof !== null) - Number(a.proof !== null) ||
      (b.lastAtMs ?? 0) - (a.lastAtMs ?? 0) ||
      a.client.localeCompare(b.client),
  )
}
