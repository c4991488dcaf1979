import { requireChoice } from '../../core/http/choice.ts'
import { Value } from '@sinclair/typebox/value'
import { AppError, staged } from '../../core/http/errors.ts'
import { unfinished } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { SystemParts } from '../parts.ts'
import { hostName } from './domain-list.ts'
import { createDomains, type Domains } from './domains.ts'
import { askEdge, probeEdges, type AskEdge } from './edges.ts'
import { createHeartbeats, directly, type Reach } from './heartbeats.ts'
import { resolverModes, StatusCheckResult, type ResolverMode } from './model.ts'
import { publicAddresses } from './public-dns.ts'
import { chooseResolver, expectedIps, givenIps, type Expected } from './resolver.ts'
import { runStatusCheck } from './run.ts'
import { checkDomain, type Basis } from './sweep.ts'

/** How servers are reached; tests redirect both to this machine. */
export interface Connections {
  reach: Reach
  ask: AskEdge
}

const countsOf = ({ services, source }: Domains) => ({
  domainsSource: source,
  serviceCount: services.length,
  domainCount: services.reduce((sum, one) => sum + one.domains.length, 0),
})

/** Checks one domain, its heartbeat, and the platform's own servers. */
async function testDomain(
  { deps, basis, ask }: { deps: SystemParts; basis: Basis; ask: AskEdge },
  of: { entry: string; service: string },
) {
  const addressesOf = (name: string) => publicAddresses(deps, name)
  const [result, edgeProbe] = await Promise.all([
    checkDomain(basis, of),
    probeEdges({ addressesOf, ask }, { host: of.entry, path: '/' }),
  ])
  const beats = [...(await basis.heartbeats.ofAll(result.resolvedIps)).values()]
  const heartbeat = beats.find(({ reachable }) => reachable) ?? beats[0] ?? null
  return { result: { ...result, edgeProbe }, heartbeat }
}

const alreadyRunning = () =>
  new AppError(
    'conflict',
    'A status check is already running',
    staged('errors.statusCheck.running'),
  )

function storedResult({ settings }: SystemParts): StatusCheckResult | null {
  const stored = settings.get('statusCheck.lastResult')
  return Value.Check(StatusCheckResult, stored) ? stored : null
}

/** Whether the network's DNS leads to the cache, domain by domain. */
export function createStatusCheck(
  parts: SystemParts,
  { reach, ask }: Connections = { reach: directly, ask: askEdge },
) {
  const { clock, config, disk, hub, operations, settings } = parts
  const domains = createDomains(parts)
  const heartbeats = createHeartbeats({ clock, reach })
  const mode = () => settings.get('statusCheck.resolverMode')
  const running = () =>
    operations
      .list()
      .find(({ type, status }) => type === 'statusCheck' && unfinished.has(status)) ?? null

  async function basis(given: Expected | null): Promise<Basis> {
    const stack = await disk.stackSettings()
    const resolver = await chooseResolver({ config, heartbeats }, stack, mode())
    const expected = given ?? (await expectedIps({ config, heartbeats }, stack, resolver))
    return { stack, resolver, expected, heartbeats }
  }

  function submit(isSilent: boolean, given: Expected | null) {
    const run = { deps: parts, domains, basis: () => basis(given), ask }
    return operations.submit({
      type: 'statusCheck',
      scope: 'bulk',
      ...named('statusCheck'),
      isSilent,
      run: (context) => runStatusCheck(run, context),
    })
  }

  return {
    lastResult: () => storedResult(parts),

    async state() {
      const { source } = await domains.read()
      const active = running()
      return {
        lastResult: storedResult(parts),
        domainsSource: source,
        isRunning: active !== null,
        operationId: active?.id ?? null,
        resolverMode: mode(),
      }
    },

    list: async () => ({ services: (await domains.read()).services }),

    /** Throws `conflict` when the caching stack forbids fetching. */
    async refresh(signal: AbortSignal) {
      const answer = countsOf(await domains.refresh(signal))
      hub.publish('CacheDomainsRefreshed', answer)
      return answer
    },

    /** Throws `invalid`. */
    setMode(value: string | undefined): { resolverMode: ResolverMode } {
      const known = requireChoice(resolverModes, value, 'mode')
      settings.set('statusCheck.resolverMode', known)
      return { resolverMode: known }
    },

    /** Throws `invalid`, and `conflict` while a check runs. */
    start(expectedCacheIps?: readonly string[]) {
      const given = givenIps(expectedCacheIps)
      if (running() !== null) throw alreadyRunning()
      const { operationId } = submit(false, given)
      return { operationId }
    },

    /** A check that no one asked for; joins one that runs. */
    startSilently: () => void submit(true, null),

    /** One domain, with the platform's own servers. Throws `invalid`. */
    async test(text: string | undefined, expectedCacheIps?: readonly string[]) {
      const given = givenIps(expectedCacheIps)
      const entry = hostName(text ?? '')
      if (entry === null) throw new AppError('invalid', 'The domain must be a host name')
      const { services } = await domains.read()
      const service = services.find((one) => one.domains.includes(entry))?.name ?? ''
      return testDomain({ deps: parts, basis: await basis(given), ask }, { entry, service })
    },
  }
}

export type StatusCheck = ReturnType<typeof createStatusCheck>
