import type { StateDatabase } from '../../../db/state/open.ts'
import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import { excludedClients } from './service.ts'

/** Removes clients from a snapshot and recomputes its sums. */
export function withoutClients(speeds: SpeedSnapshot, hidden: readonly string[]): SpeedSnapshot {
  const isShown = ({ clientIp }: { clientIp: string }) => !hidden.includes(clientIp)
  if (speeds.clientSpeeds.every(isShown) && speeds.gameSpeeds.every(isShown)) return speeds
  const gameSpeeds = speeds.gameSpeeds.filter(isShown)
  const clientSpeeds = speeds.clientSpeeds.filter(isShown)
  const sum = (list: number[]) => list.reduce((total, value) => total + value, 0)
  return {
    ...speeds,
    gameSpeeds,
    clientSpeeds,
    totalBytesPerSecond: sum(clientSpeeds.map(({ bytesPerSecond }) => bytesPerSecond)),
    entriesInWindow: sum(gameSpeeds.map(({ requestCount }) => requestCount)),
    hasActiveDownloads: gameSpeeds.length > 0,
  }
}

/** The snapshot without hidden clients. */
export const shownSpeeds = (
  state: Pick<StateDatabase, 'db'>,
  speeds: SpeedSnapshot,
): SpeedSnapshot => withoutClients(speeds, excludedClients(state).hidden)
