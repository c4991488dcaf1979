import type { LineFilter } from './line-filter.ts'

/** Flat, as it crosses the thread four times a second at most. */
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
  /** Sizes on disk of the files that were looked at. */
  bytesBefore: number
  bytesAfter: number
  isCancelled: boolean
  /** Files that were left as they are although lines of them are meant; a reason fit for people. */
  refused: { file: string; reason: string }[]
}

export interface RemovalRequest {
  datasource: string
  filter: LineFilter
}

export interface DeletionOutcome {
  filesDeleted: number
  /** Size on disk. */
  bytes: number
  refused: { file: string; reason: string }[]
}
