import http from 'node:http'
import https from 'node:https'
import ipaddr from 'ipaddr.js'
import { probeAgent } from '../../core/lib/heartbeat.ts'
import type { Edge, EdgeAnswer, EdgeOutcome, EdgeProbe } from './model.ts'

const timeoutMs = 5000
/** Servers that are asked, and those that a name may have. */
const probedMax = 3
const edgesMax = 8
/** Servers that must agree before HTTPS counts as the only way. */
const consensusMin = 2

/** What is asked for, and where: one byte of an object. */
export interface EdgeQuestion {
  host: string
  /** With the query. */
  path: string
}

/** Connects to an address of a platform's server; tests replace it. */
export type AskEdge = (
  protocol: 'http' | 'https',
  address: string,
  question: EdgeQuestion,
) => Promise<EdgeAnswer>

const byStatus: Readonly<Record<number, EdgeOutcome>> = {
  200: 'content',
  206: 'content',
  401: 'denied',
  403: 'denied',
  407: 'denied',
  451: 'denied',
  404: 'notFoundOrStale',
  410: 'notFoundOrStale',
  416: 'rangeRejected',
}

function answerOf({ statusCode = 0, headers }: http.IncomingMessage): EdgeAnswer {
  const isRedirect = statusCode >= 300 && statusCode < 400
  if (isRedirect) {
    const redirectScheme = /^(\w+):/.exec(headers.location ?? '')?.[1]?.toLowerCase() ?? null
    const outcome = redirectScheme === 'https' ? 'redirectToHttps' : 'otherRedirect'
    return { outcome, statusCode, redirectScheme }
  }
  const usual = statusCode >= 500 ? 'serverError' : 'invalidResponse'
  return { outcome: byStatus[statusCode] ?? usual, statusCode, redirectScheme: null }
}

function failureOf(error: Error & { code?: string }): EdgeOutcome {
  const { code = '' } = error
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'tlsCertificateFailure'
  return code.startsWith('HPE_') ? 'invalidResponse' : 'connectFailure'
}

/** What an attempt without a usable answer counts as. */
const unanswered = (outcome: EdgeOutcome): EdgeAnswer => ({
  outcome,
  statusCode: null,
  redirectScheme: null,
})

/** Asks one server for the first byte. Reads no body and follows no redirect. */
export const askEdge: AskEdge = (protocol, address, { host, path }) =>
  new Promise((resolve) => {
    const headers = { host, range: 'bytes=0-0', 'user-agent': probeAgent }
    const target = { host: address, path, headers, agent: false as const, timeout: timeoutMs }
    const take = (response: http.IncomingMessage) => {
      resolve(answerOf(response))
      request.destroy()
    }
    const request =
      protocol === 'http'
        ? http.request({ ...target, port: 80 }, take)
        : https.request({ ...target, port: 443, servername: host }, take)
    const limit = setTimeout(() => {
      resolve(unanswered('timeout'))
      request.destroy()
    }, timeoutMs)
    request.on('error', (error: Error) => resolve(unanswered(failureOf(error))))
    request.on('close', () => {
      clearTimeout(limit)
      resolve(unanswered('connectFailure'))
    })
    request.end()
  })

type Reason = NonNullable<EdgeProbe['protocolReason']>

/** What one server says; null: nothing definite. */
function verdictOf({ http, https }: Edge): Reason | null {
  if (http.outcome === 'content') return https.outcome === 'content' ? 'bothUsable' : 'httpUsable'
  if (https.outcome !== 'content') return null
  if (http.outcome === 'redirectToHttps') return 'httpsOnlyRedirect'
  if (http.outcome === 'denied') return 'httpsOnlyDenied'
  const isTransport = http.outcome === 'connectFailure' || http.outcome === 'timeout'
  return isTransport ? 'httpsOnlyTransport' : null
}

const statusOf = (reason: Reason): EdgeProbe['protocolStatus'] => {
  if (reason === 'bothUsable' || reason === 'httpUsable') return reason
  return reason.startsWith('httpsOnly') ? 'httpsOnlyCandidate' : 'inconclusive'
}

/** Judges what the probed servers answered. */
export function judgeEdges(edges: Edge[], totalPublicEdges: number): EdgeProbe {
  const verdicts = edges.map(verdictOf)
  const definite = verdicts.filter((verdict) => verdict !== null)
  const [first] = definite
  const consensusEdges = definite.filter((verdict) => verdict === first).length
  let protocolReason: Reason = first ?? 'nonDefinitiveEdges'
  if (consensusEdges < definite.length) protocolReason = 'edgeDisagreement'
  else if (first?.startsWith('httpsOnly') === true && consensusEdges < consensusMin) {
    protocolReason = 'insufficientEdges'
  }
  return {
    protocolStatus: statusOf(protocolReason),
    protocolReason,
    consensusEdges,
    totalPublicEdges,
    edges,
  }
}

const familyOf = (address: string): Edge['addressFamily'] =>
  ipaddr.parse(address).kind() === 'ipv6' ? 'ipv6' : 'ipv4'

/** The servers to ask: of each family at least one. */
function chosen(addresses: readonly string[]): string[] {
  const first = (['ipv4', 'ipv6'] as const).flatMap(
    (family) => addresses.find((address) => familyOf(address) === family) ?? [],
  )
  return [...new Set([...first, ...addresses])].slice(0, probedMax)
}

const inconclusive = (protocolReason: Reason, totalPublicEdges = 0): EdgeProbe => ({
  protocolStatus: 'inconclusive',
  protocolReason,
  consensusEdges: 0,
  totalPublicEdges,
  edges: [],
})

/** Whether a platform's public servers deliver an object over HTTP, HTTPS or both. */
export async function probeEdges(
  parts: { addressesOf: (name: string) => Promise<string[] | null>; ask: AskEdge },
  question: EdgeQuestion,
): Promise<EdgeProbe> {
  if (question.host.startsWith('*.')) return inconclusive('wildcardEntry')
  const addresses = await parts.addressesOf(question.host)
  if (addresses === null) return inconclusive('dohUnavailable')
  if (addresses.length === 0) return inconclusive('noPublicEdges')
  if (addresses.length > edgesMax) return inconclusive('tooManyEdges', addresses.length)
  const edges = await Promise.all(
    chosen(addresses).map(async (address) => {
      // A path that no client of ours may send is no failure of the check.
      const ask = (protocol: 'http' | 'https') =>
        parts.ask(protocol, address, question).catch(() => unanswered('invalidResponse'))
      const [http, https] = await Promise.all([ask('http'), ask('https')])
      return { address, addressFamily: familyOf(address), http, https }
    }),
  )
  return judgeEdges(edges, addresses.length)
}
