import { Type, type Static } from '@sinclair/typebox'
import { normalAddress } from '../../core/lib/address.ts'
import { OutsideError, type Outside, type OutsideRequest } from '../../core/lib/outside.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import type { DnsAnswer } from './radar.ts'

export const queryLogKinds = ['adguard', 'pihole'] as const

/** The DNS server whose query log is read. */
export interface QueryLog {
  kind: (typeof queryLogKinds)[number]
  /** Base address of its web interface. */
  url: string
  /** AdGuard Home only. */
  user: string
  password: string
}

/** Newest queries of one reading. */
const queriesMax = 5000
const timeoutMs = 10_000
const cachedTypes = new Set(['A', 'AAAA'])

const Text = Type.String({ maxLength: 1000 })
/** Members that are read, as the OpenAPI document of AdGuard Home has them. */
const AdguardLog = Type.Object({
  data: Type.Array(
    Type.Object({
      answer: Type.Optional(
        Type.Union([Type.Array(Type.Object({ type: Text, value: Text })), Type.Null()]),
      ),
      client: Text,
      question: Type.Object({ name: Text, type: Text }),
      time: Text,
    }),
  ),
})
/** The same of Pi-hole 6. */
const PiholeSession = Type.Object({
  session: Type.Object({ valid: Type.Boolean(), sid: Type.Union([Text, Type.Null()]) }),
})
const PiholeLog = Type.Object({
  queries: Type.Array(
    Type.Object({
      time: Type.Number(),
      type: Text,
      status: Type.Union([Text, Type.Null()]),
      domain: Text,
      upstream: Type.Union([Text, Type.Null()]),
      client: Type.Object({ ip: Text }),
    }),
  ),
})

/** A password must not follow a redirect, and one wrong attempt must not become three. */
const once = { timeoutMs, attempts: 1, redirect: 'error', isChosen: true } as const

const isCached = (type: string): type is DnsAnswer['type'] => cachedTypes.has(type)

function ofAdguard({ data }: Static<typeof AdguardLog>): DnsAnswer[] {
  return data.flatMap(({ answer, client, question: { name, type }, time }) => {
    const address = normalAddress(client)
    const atMs = Date.parse(time)
    if (address === null || Number.isNaN(atMs) || !isCached(type)) return []
    const addresses = (answer ?? []).flatMap((one) =>
      one.type === type ? [normalAddress(one.value) ?? ''] : [],
    )
    return [{ client: address, host: name, atMs, type, addresses, upstream: null }]
  })
}

/** Pi-hole logs no addresses of answers, but which server it has asked. */
function ofPihole({ queries }: Static<typeof PiholeLog>): DnsAnswer[] {
  return queries.flatMap(({ time, type, status, domain, upstream, client: { ip } }) => {
    const address = normalAddress(ip)
    if (address === null || !isCached(type)) return []
    const server =
      status === 'FORWARDED' ? normalAddress((upstream ?? '').split('#')[0] ?? '') : null
    return [
      { client: address, host: domain, atMs: time * 1000, type, addresses: [], upstream: server },
    ]
  })
}

async function readAdguard(outside: Outside, { url, user, password }: QueryLog) {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const address = `${url}/control/querylog?limit=${queriesMax}`
  const { value } = await askJson(
    outside,
    { url: address, headers: { authorization }, ...once },
    AdguardLog,
  )
  return value === null ? [] : ofAdguard(value)
}

async function readPihole(outside: Outside, { url, password }: QueryLog) {
  const signIn: OutsideRequest = {
    ...once,
    url: `${url}/api/auth`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  }
  const { value } = await askJson(outside, signIn, PiholeSession)
  const sid = value?.session.valid === true ? value.session.sid : null
  // Without a password Pi-hole has no session, and needs none.
  const headers: Record<string, string> = sid === null ? {} : { 'X-FTL-SID': sid }
  try {
    const address = `${url}/api/queries?length=${queriesMax}`
    const log = await askJson(outside, { url: address, headers, ...once }, PiholeLog)
    return log.value === null ? [] : ofPihole(log.value)
  } finally {
    // Sessions are few: one that stays would keep people out of the web interface.
    if (sid !== null) {
      const end = { url: `${url}/api/auth`, method: 'DELETE', headers, ...once } as const
      await outside.get(end, async (answer) => answer.body?.cancel()).catch(() => {})
    }
  }
}

/** Why a log cannot be read; a refusal has its own words. */
export function problemOf(error: unknown): string {
  if (!(error instanceof OutsideError)) throw error
  if (error.status === 401 || error.status === 403) return 'The DNS server refuses the sign-in'
  if (error.status === 429) return 'The DNS server asks to wait; it is asked again later'
  return error.message
}

/** The newest answers of the network's DNS server. Throws OutsideError. */
export const readQueryLog = (outside: Outside, log: QueryLog): Promise<DnsAnswer[]> =>
  log.kind === 'adguard' ? readAdguard(outside, log) : readPihole(outside, log)
