/** The volume that a line may transfer in a month, as far as the cache causes it. */
export interface DataCapUse {
  /** Instants; the period ends before the second one. */
  from: Date
  until: Date
  /** Bytes that the cache and prefill fetched from the internet. */
  usedBytes: number
  capBytes: number
  /** Percent of the volume at which prefill pauses; null: never. */
  pausePercent: number | null
  /** The mark is reached. */
  isReached: boolean
}

/** Null: no volume is set. Rejects while it is not known what was used. */
export type ReadDataCap = () => Promise<DataCapUse | null>
