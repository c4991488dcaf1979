import type { SpeedSnapshot } from '../../engines/logs/contract.ts'
import { createValue } from '../app/value.ts'
import type { Connection } from './hub.ts'
import { addSample, sampleOf, type Sample } from './samples.ts'

/** State of the live connection outside the query cache. */
interface LiveState {
  connection: Connection
  speeds: SpeedSnapshot | null
  samples: readonly Sample[]
  /** Number of report refreshes. */
  refreshes: number
}

const live = createValue<LiveState>({
  connection: 'connecting',
  speeds: null,
  samples: [],
  refreshes: 0,
})
const change = (part: Partial<LiveState>): void => live.set({ ...live.get(), ...part })

export const setConnection = (connection: Connection): void => change({ connection })
export const countRefresh = (): void => change({ refreshes: live.get().refreshes + 1 })
export const setSpeeds = (speeds: SpeedSnapshot): void =>
  change({ speeds, samples: addSample(live.get().samples, sampleOf(speeds)) })

export const useConnection = () => live.use(({ connection }) => connection)
export const useSpeeds = () => live.use(({ speeds }) => speeds)
export const useSamples = () => live.use(({ samples }) => samples)
export const useRefreshes = () => live.use(({ refreshes }) => refreshes)
