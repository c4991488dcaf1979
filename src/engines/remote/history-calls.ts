import { Value } from '@sinclair/typebox/value'
import {
  downloadIdStep,
  failedSpans,
  type DownloadRow,
  type ShipBatch,
  type TrafficRow,
} from '../shipper/contract.ts'
import type { HistoryPart } from '../shipper/link.ts'
import { isPossibleTime, latestS } from '../shipper/row-limits.ts'
import type { HistoryAnswer } from '../shipper/service-history.ts'
import { HistoryCall } from '../shipper/wire.ts'

/* What a node may write: rows of its own datasources, with ids and positions of its own slot. */

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
  if (!Value.Check(HistoryCall, call)) {
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
