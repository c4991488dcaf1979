import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Flag, LargeInt, Nullable, Num, stringUnion } from '../../core/lib/schema.ts'
import {
  downloadIdStep,
  failedSpans,
  type DownloadRow,
  type ShipBatch,
  type TrafficRow,
} from '../shipper/contract.ts'
import type { HistoryPart } from '../shipper/link.ts'
import { isPossibleTime, latestS, rowLimits } from '../shipper/row-limits.ts'
import type { HistoryAnswer, HistoryCall } from '../shipper/service-history.ts'

/* What a node may write: rows of its own datasources, with ids and positions of its own slot. */

const textOf = (maxLength: number) => Type.String({ maxLength })
const Id = textOf(100)
/** Rows of a kind in one batch; the outbox seals far fewer. */
const rowsMax = 50_000
const listOf = <T extends Parameters<typeof Type.Array>[0]>(schema: T, maxItems = rowsMax) =>
  Type.Array(schema, { maxItems })

const named = {
  datasource: textOf(rowLimits.datasource),
  service: textOf(rowLimits.service),
  client: textOf(rowLimits.client),
  titleKey: textOf(rowLimits.titleKey),
  isPrefill: Flag,
  hitBytes: LargeInt,
  missBytes: LargeInt,
  requests: LargeInt,
}
const strict = { additionalProperties: false }
const Download = Type.Object(
  {
    ...named,
    id: LargeInt,
    tag: textOf(1000),
    startedAt: Num,
    endedAt: Num,
    lastUrl: textOf(rowLimits.url * 2),
    objectKeys: listOf(textOf(rowLimits.url * 4), 100),
    revision: LargeInt,
  },
  strict,
)
const Traffic = Type.Object(
  {
    ...named,
    bucketAt: LargeInt,
    failedRequests: LargeInt,
    downloads: LargeInt,
    firstAt: Num,
    lastAt: Num,
  },
  strict,
)
const Positions = Type.Object(
  {
    facts: textOf(8_000_000),
    changes: listOf(
      Type.Object(
        {
          kind: stringUnion(['member', 'skipped', 'open']),
          // Below the first position of the next slot.
          id: Type.Integer({ minimum: 0, maximum: 2 ** 50 - 1 }),
          fields: Nullable(textOf(100_000)),
        },
        strict,
      ),
    ),
    isPartial: Flag,
  },
  strict,
)
const Place = { installation: Id, seq: LargeInt }
const Batch = Type.Object(
  {
    batchId: Id,
    downloads: listOf(Download),
    traffic: listOf(Traffic),
    link: Type.Optional(
      Type.Object({ ...Place, epoch: LargeInt, positions: Nullable(Positions) }, strict),
    ),
  },
  strict,
)
const Call = Type.Union([
  Type.Object({ name: stringUnion(['side', 'prune']) }, strict),
  Type.Object(
    {
      name: Type.Literal('beginLink'),
      begun: Type.Object({ ...Place, batchId: Nullable(Id) }, strict),
    },
    strict,
  ),
  Type.Object({ name: Type.Literal('takePositions'), installation: Id }, strict),
  Type.Object({ name: Type.Literal('empty'), installation: Id, forgetsTitles: Flag }, strict),
  Type.Object({ name: Type.Literal('ship'), batch: Batch }, strict),
])

/** Why the batch holds something that the node may not write; null when it does not. */
function faultIn({ downloads, traffic }: ShipBatch, part: HistoryPart): string | null {
  const latest = latestS()
  const names = new Set(part.datasources)
  const isNamed = ({ datasource, service, client }: TrafficRow | DownloadRow) =>
    names.has(datasource) && service !== '' && client !== ''
  for (const row of downloads) {
    if (!isNamed(row)) return 'another datasource, or none'
    if (row.id % downloadIdStep !== part.slot) return 'an id that is not its own'
    const isPossible = [row.startedAt, row.endedAt].every((at) => isPossibleTime(at, latest))
    if (!isPossible || row.endedAt < row.startedAt) return 'an impossible time'
  }
  for (const row of traffic) {
    if (!isNamed(row)) return 'another datasource, or none'
    const isInBucket = (at: number) => at >= row.bucketAt && at <= row.bucketAt + failedSpans.five
    const isPossible = row.bucketAt % failedSpans.five === 0 && isPossibleTime(row.bucketAt, latest)
    if (!isPossible || !isInBucket(row.firstAt) || !isInBucket(row.lastAt)) {
      return 'an impossible time'
    }
  }
  return null
}

/** The call of a node with this part of the history, or why it is refused. */
export function checkedCall(
  call: unknown,
  part: HistoryPart,
): { call: HistoryCall } | { refused: HistoryAnswer } {
  if (!Value.Check(Call, call)) {
    return { refused: { kind: 'failed', text: 'The service does not understand the node' } }
  }
  if (call.name === 'ship') {
    const fault = faultIn(call.batch, part)
    if (fault !== null) {
      const reason = `The service refuses the row of a node: ${fault}`
      return { refused: { kind: 'refused', text: reason, fault: { isOfRow: true, reason } } }
    }
  }
  return { call }
}
