/** What the hubs of the platforms send and answer; REST answers come from the typed client. */
import type {
  CredentialChallenge,
  DaemonSession,
  OwnedGame,
  PrefillCacheStatus,
} from '../../../prefill/sessions/model.ts'
import type { Progress as DaemonProgress } from '../../../prefill/protocol/progress.ts'

export type { CredentialChallenge, DaemonSession, OwnedGame, PrefillCacheStatus }

/** Progress of a run; states of the daemon, and those of the manager. */
export type Progress = Omit<DaemonProgress, 'state' | 'depots'> & { state: string }

export type RunState = 'started' | 'completed' | 'failed' | 'cancelled'

export interface LastResult {
  status: string
  completedAt: string
  durationSeconds: number
}

export interface SelectedApp {
  appId: string
  name: string
  downloadSize: number
  isUpToDate: boolean
  isUnsupportedOs: boolean
  unavailableReason: string | null
}

export interface SelectedStatus {
  apps: SelectedApp[]
  totalDownloadSize: number
  message: string | null
}
