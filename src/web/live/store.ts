import { useSyncExternalStore } from 'react'
import type { SpeedSnapshot } from '../../engines/logs/contract.ts'
import type { Connection } from './hub.ts'
import { addSample, sampleOf, type Sample } from './samples.ts'

/** What came over the hub and is not kept in the query cache. */
interface LiveState {
  connection: Connection
  speeds: SpeedSnapshot | null
  samples: readonly Sample[]
  /** Grows with every news about stored downloads. */
  refreshes: number
}

let state: LiveState = { connection: 'connecting', speeds: null, samples: [], refreshes: 0 }
const listeners = new Set<() => void>()

function change(part: Partial<LiveState>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const setConnection = (connection: Connection): void => change({ connection })
export const countRefresh = (): void => change({ refreshes: state.refreshes + 1 })
export const setSpeeds = (speeds: SpeedSnapshot): void =>
  change({ speeds, samples: addSample(state.samples, sampleOf(speeds)) })

export const useConnection = () => useSyncExternalStore(subscribe, () => state.connection)
export const useSpeeds = () => useSyncExternalStore(subscribe, () => state.speeds)
export const useSamples = () => useSyncExternalStore(subscribe, () => state.samples)
export const useRefreshes = () => useSyncExternalStore(subscribe, () => state.refreshes)
