/** What the hubs of the platforms send and answer; REST answers come from the typed client. */
import type {
  DaemonSession,
  PlatformEvent,
  PlatformPayload,
} from '../../../prefill/hubs/payloads.ts'

export type {
  CredentialChallenge,
  DaemonSession,
  PlatformCall,
  PrefillRunState as RunState,
} from '../../../prefill/hubs/payloads.ts'
export type { PrefillProgress as Progress } from '../../../prefill/protocol/progress.ts'
export type { PlatformCalls } from '../../../prefill/hubs/contract.ts'
export type { SelectedApp, SelectedAppsStatus } from '../../../prefill/protocol/apps.ts'

/** An event of a platform's hub; its name without the platform's prefix. */
export type HubEvent =
  | { [E in PlatformEvent]: { event: E; data: PlatformPayload<E> } }[PlatformEvent]
  | { event: 'SessionSubscribed'; data: DaemonSession }
