import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/** The list of domains that lead to a cache, and where it came from. */
export const DomainsSource = Model('DomainsSource', {
  repoUrl: Text,
  branch: Text,
  envFilePath: Nullable(Text),
  /** The caching stack forbids fetching the list. */
  noFetch: Flag,
  /** Null for the list that Larder brings along. */
  fetchedAtUtc: Nullable(Utc),
  /** The list was not fetched in this process. */
  fromCache: Flag,
  /** Where the caching stack's settings were read. */
  envSource: stringUnion(['dockerInspect', 'envFile', 'defaults'] as const),
  /** Why the list could not be fetched. */
  error: Nullable(Text),
})
export type DomainsSource = Static<typeof DomainsSource>

export const DomainsRefreshed = Type.Object({
  domainsSource: DomainsSource,
  serviceCount: Int,
  domainCount: Int,
})

/** Where resolvers are searched for: the caching stack's network, this host, or both. */
export const resolverModes = ['auto', 'bridge', 'host'] as const
export type ResolverMode = (typeof resolverModes)[number]

export const CacheDomainService = Model('CacheDomainService', {
  name: Text,
  description: Text,
  /** Host names; a leading `*.` stands for every name below. */
  domains: Type.Array(Text),
})
export type CacheDomainService = Static<typeof CacheDomainService>

export const edgeOutcomes = [
  'content',
  'redirectToHttps',
  'otherRedirect',
  'denied',
  'notFoundOrStale',
  'rangeRejected',
  'serverError',
  'tlsCertificateFailure',
  'connectFailure',
  'timeout',
  'invalidResponse',
] as const
export type EdgeOutcome = (typeof edgeOutcomes)[number]

const EdgeAnswer = Type.Object({
  outcome: stringUnion(edgeOutcomes),
  statusCode: Nullable(Int),
  redirectScheme: Nullable(Text),
})
export type EdgeAnswer = Static<typeof EdgeAnswer>

/** One public server of a platform, asked for one byte over HTTP and HTTPS. */
const Edge = Model('StatusCheckEdge', {
  address: Text,
  addressFamily: stringUnion(['ipv4', 'ipv6'] as const),
  http: EdgeAnswer,
  https: EdgeAnswer,
})
export type Edge = Static<typeof Edge>

export const protocolStatuses = [
  'notRun',
  'bothUsable',
  'httpUsable',
  'httpsOnlyCandidate',
  'inconclusive',
] as const
export const protocolReasons = [
  'bothUsable',
  'httpUsable',
  'httpsOnlyRedirect',
  'httpsOnlyDenied',
  'httpsOnlyTransport',
  'edgeDisagreement',
  'insufficientEdges',
  'nonDefinitiveEdges',
  'noPublicEdges',
  'dohUnavailable',
  'tooManyEdges',
  'wildcardEntry',
] as const

const protocol = {
  protocolStatus: stringUnion(protocolStatuses),
  /** Null only while the probe has not run. */
  protocolReason: Nullable(stringUnion(protocolReasons)),
  /** Probed servers that agree. */
  consensusEdges: Int,
  totalPublicEdges: Int,
  edges: Type.Array(Edge),
}
const EdgeProbe = Model('StatusCheckEdgeProbe', protocol)
export type EdgeProbe = Static<typeof EdgeProbe>

export const domainStatuses = [
  'resolved',
  'mismatched',
  'unresolved',
  'unverified',
  'blocked',
] as const

export const DomainCheckResult = Model('DomainCheckResult', {
  /** The name that was asked for: of a wildcard, a name below it. */
  domain: Text,
  originalEntry: Text,
  service: Text,
  status: stringUnion(domainStatuses),
  resolvedIps: Type.Array(Text),
  expectedIps: Type.Array(Text),
  heartbeatVerified: Flag,
  servedBy: Nullable(Text),
  error: Nullable(Text),
  latencyMs: Nullable(Num),
  /** Of a single domain that is tested. */
  edgeProbe: Nullable(EdgeProbe),
})
export type DomainCheckResult = Static<typeof DomainCheckResult>

export const HeartbeatResult = Model('HeartbeatResult', {
  reachable: Flag,
  servedBy: Nullable(Text),
  cacheIp: Nullable(Text),
  error: Nullable(Text),
})
export type HeartbeatResult = Static<typeof HeartbeatResult>

const ContentPath = Model('StatusCheckContentPath', {
  service: Text,
  host: Text,
  pathDisplay: Text,
  sampleObservedAtUtc: Utc,
  cacheEvidence: Type.Object({
    outcome: stringUnion(['hit', 'miss'] as const),
    statusCode: Int,
    bytes: LargeInt,
  }),
  ...protocol,
})
export type ContentPath = Static<typeof ContentPath>

/** Whether content that clients fetched over HTTP still comes over HTTP. */
const ContentReport = Model('StatusCheckContentReport', {
  availability: stringUnion(['available', 'noSamples', 'unreadable', 'logMissing'] as const),
  checkedAtUtc: Utc,
  /** Older lines of large logs were not read. */
  scanTruncated: Flag,
  scannedBytes: LargeInt,
  paths: Type.Array(ContentPath),
})
export type ContentReport = Static<typeof ContentReport>

export const serviceStatuses = [
  'resolved',
  'partial',
  'unresolved',
  'unverified',
  'disabled',
] as const

const CheckedService = Model('StatusCheckService', {
  service: Text,
  description: Text,
  status: stringUnion(serviceStatuses),
  resolvedCount: Int,
  totalCount: Int,
  domains: Type.Array(DomainCheckResult),
})
export type CheckedService = Static<typeof CheckedService>

const Summary = Type.Object({
  totalServices: Int,
  resolvedServices: Int,
  partialServices: Int,
  unresolvedServices: Int,
  disabledServices: Int,
  unverifiedServices: Int,
  totalDomains: Int,
  resolvedDomains: Int,
  unverifiedDomains: Int,
})

export const resolverSources = ['configured', 'detected', 'system'] as const
/** Addresses to which domains should lead; without them they are found out. */
export const ExpectedBody = {
  expectedCacheIps: Type.Optional(Type.Array(Type.String({ maxLength: 45 }), { maxItems: 16 })),
}

export const expectedSources = [
  'request',
  'config',
  'dns',
  'dockerInspect',
  'envFile',
  'detected',
  'none',
] as const

export const StatusCheckResult = Model('StatusCheckResult', {
  startedAtUtc: Utc,
  completedAtUtc: Utc,
  resolverSource: stringUnion(resolverSources),
  /** Null: the system's own. */
  dnsServer: Nullable(Text),
  expectedCacheIps: Type.Array(Text),
  expectedIpSource: stringUnion(expectedSources),
  heartbeat: HeartbeatResult,
  services: Type.Array(CheckedService),
  summary: Summary,
  avgLatencyMs: Nullable(Num),
  cacheNodes: Type.Array(Type.Object({ servedBy: Text, ips: Type.Array(Text) })),
  contentReport: ContentReport,
})
export type StatusCheckResult = Static<typeof StatusCheckResult>

export const StatusCheckState = Model('StatusCheckState', {
  lastResult: Nullable(StatusCheckResult),
  domainsSource: DomainsSource,
  isRunning: Flag,
  operationId: Nullable(Text),
  resolverMode: stringUnion(resolverModes),
})

export const DomainList = Type.Object({ services: Type.Array(CacheDomainService) })
export const ResolverModeAnswer = Type.Object({ resolverMode: stringUnion(resolverModes) })
export const CheckStarted = Type.Object({ operationId: Text })
export const TestedDomain = Type.Object({
  result: DomainCheckResult,
  heartbeat: Nullable(HeartbeatResult),
})
