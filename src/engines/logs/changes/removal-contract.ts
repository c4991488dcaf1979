export type { RemovalRequest } from '../../inputs.ts'

/** Flat; crosses the thread at most four times a second. */
export interface RemovalProgress {
  percentComplete: number
  filesTotal: number
  filesProcessed: number
  linesProcessed: number
  linesRemoved: number
}

export interface RemovalOutcome {
  filesProcessed: number
  filesRewritten: number
  filesDeleted: number
  linesProcessed: number
  linesRemoved: number
  /** Sizes on disk of the examined files. */
  bytesBefore: number
  bytesAfter: number
  isCancelled: boolean
  /** Files left unchanged although lines of them match; the reason may be shown to users. */
  refused: { file: string; reason: string }[]
}

export interface DeletionOutcome {
  filesDeleted: number
  /** Size on disk. */
  bytes: number
  refused: { file: string; reason: string }[]
}
