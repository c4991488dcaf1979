import type { CacheParts } from '../parts.ts'
import type { DatasourceFacts } from '../datasources/contract.ts'
import { awayTextOf } from '../../engines/remote/hosts.ts'
import { EngineFailure } from '../../engines/host.ts'
import type {
  RepeatedRequest,
  RepeatsOutcome,
  TailRequest,
} from '../../engines/log-scan/tail-contract.ts'
import { suspicion } from '../../engines/log-scan/repeats.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { reasonFor } from './reasons.ts'

/** Per answer. */
export const suspectsMax = 200

export interface SuspectQuery {
  client?: string | undefined
  minutes: number
  datasource?: string | undefined
}

/** A datasource's logs, for reading their ends. */
export const tailOf = (
  facts: DatasourceFacts,
  of: { timeZone: string; fromS: number; toS: number },
): TailRequest => ({
  logPath: facts.logPath,
  scheme: facts.scheme === 'bare_metal' ? 'bare_metal' : 'monolithic',
  sliceBytes: facts.isSliced ? facts.sliceBytes : 0,
  ...of,
})

function clientOf(text: string | undefined): string | null {
  if (text === undefined || text.trim() === '') return null
  const address = normalAddress(text)
  if (address === null) throw new AppError('invalid', 'client must be an IP address')
  return address
}

/** Objects requested repeatedly in recent logs, the most conspicuous first. */
export async function findSuspects(deps: CacheParts, query: SuspectQuery) {
  const client = clientOf(query.client)
  const only =
    query.datasource === undefined ? null : datasourceNamed(deps.config, query.datasource).name
  const all = await deps.datasources.all()
  const asked = all.filter(({ name }) => only === null || name === only)
  for (const { name } of asked) {
    // Among others, one on a node that is away is named below.
    const isLeftOut = only === null && awayTextOf(deps.nodeHosts, name) !== null
    if (!isLeftOut) await deps.datasources.requireClearScheme(name)
  }
  const toS = Math.floor(deps.clock.now().getTime() / 1000)
  const time = { timeZone: deps.config.timeZone, fromS: toS - query.minutes * 60, toS }
  const read = await Promise.all(
    asked.map(async (facts) => {
      const tail = tailOf(facts, time)
      const { requests, ...coverage } = await deps.logScan
        .repeats({ ...tail, client })
        .catch(unread)
      const of = { datasource: facts.name, sliceBytes: tail.sliceBytes }
      return { coverage: { datasource: facts.name, ...coverage }, of, requests }
    }),
  )
  const found = read.flatMap(({ of, requests }) => requests.map((request) => ({ ...of, request })))
  const coverage = read.map((one) => one.coverage)
  found.sort((a, b) => suspicion(b.request) - suspicion(a.request))
  const shown = found.slice(0, suspectsMax)
  const present = await deps.cache.present(
    shown.map(({ datasource, request }) => ({
      datasource,
      tag: request.tag,
      uri: request.path,
      firstByte: request.sliceStart ?? 0,
    })),
  )
  const suspects = shown.map(({ datasource, sliceBytes, request }, at) => ({
    datasource,
    ...wireOf(request),
    slice: request.sliceStart === null ? null : request.sliceStart / Math.max(1, sliceBytes),
    isInIndex: present[at] ?? null,
  }))
  return { fromUtc: iso(time.fromS), toUtc: iso(toS), suspects, coverage }
}

/** The logs of a node that is away, for one. */
function unread(error: unknown): RepeatsOutcome {
  if (!(error instanceof EngineFailure)) throw error
  const nothing = { filesRead: 0, linesRead: 0, isCut: false, requests: [], dropped: 0 }
  return { ...nothing, problem: error.message }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

function wireOf(request: RepeatedRequest) {
  const { firstS, lastS, rawUrl, sliceStart: _sliceStart, ...facts } = request
  return {
    ...facts,
    url: rawUrl,
    firstSeenUtc: iso(firstS),
    lastSeenUtc: iso(lastS),
    suspicion: suspicion(request),
    reason: reasonFor(request),
  }
}
