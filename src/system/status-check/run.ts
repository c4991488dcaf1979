/*
 * The status check asks the network's DNS for every cache domain and judges the answers by the
 * cache's heartbeat. It starts on request, and every six hours while someone is notified of it.
 * The list comes from GitHub at most once a day, unpacked while it arrives; without it the last
 * copy (`cache-domains/list.json`) serves, and before any fetch the copy in
 * `src/system/status-check/shipped` (MIT, its licence lies beside it). Settings of the caching
 * stack are read by name from its containers or its `.env`, never as a whole. DNS questions are
 * packets of our own, because the runtime's resolver answers an unknown name and one without A
 * records alike. Heartbeats go to private addresses only, probes of the platforms' servers to
 * public ones only.
 */
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { SystemParts } from '../parts.ts'
import { contentReport } from './content-path.ts'
import type { DomainLists } from './domains.ts'
import type { AskEdge } from './edges.ts'
import type { StatusCheckResult } from './model.ts'
import { resultOf, sweep, type Basis } from './sweep.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** Share of the progress that the domains take; the rest is the content of the logs. */
const domainsPercent = 85
const stage = (name: string) => `signalr.statusCheck.${name}`

/** What a run stands on. */
export interface RunParts {
  deps: SystemParts
  domains: DomainLists
  basis: () => Promise<Basis>
  ask: AskEdge
}

async function check(parts: RunParts, context: OperationContext): Promise<StatusCheckResult> {
  const { deps, domains, ask } = parts
  const { clock, hub } = deps
  const { operationId, signal, report } = context
  const startedAt = clock.now()
  report({ percentComplete: 0, stageKey: stage('starting') })
  const list = await domains.fresh(signal)
  const basis = await parts.basis()
  const services = await sweep(basis, list, {
    signal,
    progress(completedDomains, totalDomains, currentService) {
      const facts = { completedDomains, totalDomains, currentService }
      const percentComplete = (completedDomains / totalDomains) * domainsPercent
      report({ percentComplete, stageKey: stage('checking'), context: facts })
      hub.publish('StatusCheckProgress', { operationId, ...facts })
    },
  })
  report({ percentComplete: domainsPercent, stageKey: stage('content') })
  const content = await contentReport(deps, { ask, signal })
  return resultOf(basis, services, {
    startedAt,
    completedAt: clock.now(),
    contentReport: content,
  })
}

/** One check of every domain; stores its result. */
export async function runStatusCheck(
  parts: RunParts,
  context: OperationContext,
): Promise<OperationResult> {
  const { hub, settings } = parts.deps
  const { operationId, signal } = context
  const finish = (result: StatusCheckResult | null, error: string | null = null) => {
    const facts = { operationId, success: result !== null, cancelled: signal.aborted }
    hub.publish('StatusCheckComplete', { ...facts, error, result })
  }
  try {
    const result = await check(parts, context)
    settings.set('statusCheck.lastResult', result)
    finish(result)
    const { resolvedDomains, totalDomains } = result.summary
    return {
      kind: 'completed',
      context: { resolvedDomains, totalDomains },
      message: `${resolvedDomains} of ${totalDomains} domains lead to the cache`,
    }
  } catch (error) {
    if (signal.aborted) {
      finish(null)
      return { kind: 'cancelled' }
    }
    finish(null, errorText(error))
    throw error
  }
}
