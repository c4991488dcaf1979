import type { CacheParts } from '../parts.ts'
import type { DatasourceFacts } from '../datasources/contract.ts'
import type { RepeatedRequest, TailRequest } from '../../engines/log-scan/tail-contract.ts'
import { suspicion } from '../../engines/log-scan/repeats.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { datasourceNamed } from './object-name.ts'
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
  const only = query.datasource === undefined ? null : datasourceNamed(deps, query.datasource)
  await deps.datasources.requireClearScheme(only ?? undefined)
  const all = await deps.datasources.all()
  const toS = Math.floor(deps.clock.now().getTime() / 1000)
  const time = { timeZone: deps.config.timeZone, fromS: toS - query.minutes * 60, toS }
  const found: { datasource: string; sliceBytes: number; request: RepeatedRequest }[] = []
  const coverage = []
  for (const facts of all.filter(({ name }) => only === null || name === only)) {
    const tail = tailOf(facts, time)
    const { requests, ...read } = await deps.logScan.repeats({ ...tail, client })
    const of = { datasource: facts.name, sliceBytes: tail.sliceBytes }
    found.push(...requests.map((request) => ({ ...of, request })))
    coverage.push({ datasource: facts.name, ...read })
  }
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
