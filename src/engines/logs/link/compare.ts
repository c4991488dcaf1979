import type { HistorySide, Link } from '../../shipper/link.ts'

/** Why local positions and the history do not belong together. */
export type MismatchReason =
  /** There are no local positions, and the history cannot provide any. */
  | 'positionsLost'
  /** The history has batches sealed after this file was copied. */
  | 'positionsOlder'
  /** The history lacks batches that it had acknowledged. */
  | 'historyOlder'
  /** The history is empty, but was not before. */
  | 'historyEmpty'
  /** The history belongs to another installation. */
  | 'otherHistory'

/** What to do before the first batch is sent. */
export type Verdict = 'same' | 'begin' | 'takeOver' | MismatchReason

export interface PositionsSide {
  /** Id of this data folder. */
  installation: string
  link: Link | null
  lastSeq: number
  batchIdAt(seq: number): string | null
}

/** Without a link: the file is new. */
function unlinked({ installation }: PositionsSide, { link, hasData }: HistorySide): Verdict {
  if (link === null) return hasData ? 'positionsLost' : 'begin'
  const isOurs = link.installation === installation
  // The link was begun, but the service died before sending anything.
  if (isOurs && link.batchId === null && !hasData) return 'begin'
  return isOurs && link.isComplete ? 'takeOver' : 'positionsLost'
}

/** Whether a history continues exactly at the local positions, and what to do if not. */
export function compareSides(positions: PositionsSide, history: HistorySide): Verdict {
  const { link: here } = positions
  const { link: there, hasData } = history
  if (here === null) return unlinked(positions, history)
  if (there === null) return hasData ? 'historyOlder' : 'historyEmpty'
  if (there.installation !== here.installation) return 'otherHistory'
  if (there.epoch !== here.epoch)
    return there.epoch > here.epoch ? 'positionsOlder' : 'historyOlder'
  if (there.seq < here.seq) return 'historyOlder'
  if (there.seq > positions.lastSeq) return 'positionsOlder'
  return positions.batchIdAt(there.seq) === there.batchId ? 'same' : 'positionsOlder'
}
