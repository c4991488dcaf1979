import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import { createValue } from '../app/value.ts'
import type { Connection } from './hub.ts'
import { addSample, sampleOf, withRecent, type Sample } from './samples.ts'

/** State of the live connection outside the query cache. */
interface LiveState {
  connection: Connection
  /** Whole seconds without any frame; 0 while that is no concern. */
  silentSeconds: number
  speeds: SpeedSnapshot | null
  samples: readonly Sample[]
  /** Number of report refreshes. */
  refreshes: number
}

const live = createValue<LiveState>({
  connection: 'connecting',
  silentSeconds: 0,
  speeds: null,
  samples: [],
  refreshes: 0,
})
const change = (part: Partial<LiveState>): void => live.set({ ...live.get(), ...part })

export const setConnection = (connection: Connection): void => change({ connection })
export const setSilent = (silentMs: number): void => {
  const silentSeconds = Math.floor(silentMs / 1000)
  if (silentSeconds !== live.get().silentSeconds) change({ silentSeconds })
}
export const countRefresh = (): void => change({ refreshes: live.get().refreshes + 1 })
export const setSpeeds = (speeds: SpeedSnapshot): void =>
  change({ speeds, samples: addSample(live.get().samples, sampleOf(speeds)) })

/** What the service has kept of the last minutes. */
export const setRecent = (recent: readonly Sample[]): void =>
  change({ samples: withRecent(live.get().samples, recent) })

export const useConnection = () => live.usePart(({ connection }) => connection)
export const useSilentSeconds = () => live.usePart(({ silentSeconds }) => silentSeconds)
/** Whether figures of the moment are those of an earlier one. */
export const useIsStale = () =>
  live.usePart(
    ({ connection, silentSeconds }) =>
      silentSeconds > 0 || connection === 'reconnecting' || connection === 'offline',
  )
export const useSpeeds = () => live.usePart(({ speeds }) => speeds)
export const useSamples = () => live.usePart(({ samples }) => samples)
export const useRefreshes = () => live.usePart(({ refreshes }) => refreshes)
