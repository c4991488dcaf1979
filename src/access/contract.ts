import type { Gate } from '../core/http/access.ts'
import type { Antiforgery } from '../core/http/antiforgery.ts'
import type { PeerSource, RemoteAddress } from '../core/http/remote-address.ts'
import type { SessionEnd } from '../core/live/session-ends.ts'
import type { Lockout } from './accounts/lockout.ts'
import type { AccountStore } from './accounts/store.ts'
import type { InstallationKey } from './api-keys/installation-key.ts'
import type { KeyCheck } from './api-keys/key-check.ts'
import type { AuditTrail } from './audit/trail.ts'
import type { GeoLookup } from './geo/lookup.ts'
import type { PreferenceStore } from './preferences/store.ts'
import type { IssuedSession, Sessions } from './sessions/sessions.ts'
import type { SessionRecord } from './sessions/store.ts'
import type { RecoveryWindow } from './setup/recovery.ts'
import type { KnownDevices } from './sign-in/known-devices.ts'

/** Where a request comes from, as sessions remember it. */
export interface Origin {
  ipAddress: string | null
  userAgent: string | null
}

/** What was wrong when somebody was turned away. */
export type Proof = 'sign-in' | 'installation key' | 'current password'

/** Everything about who may do what, made once; routes reach it as `deps.control`. */
export interface AccessControl {
  gate: Gate
  guardDocuments: (request: Request) => Promise<Response | undefined>
  attachServer(server: PeerSource): void
  /** The whole installation key. */
  installationKey(): string
  key: InstallationKey
  keys: KeyCheck
  address: RemoteAddress
  antiforgery: Antiforgery
  sessions: Sessions
  accounts: AccountStore
  preferences: PreferenceStore
  lockout: Lockout
  audit: AuditTrail
  recovery: RecoveryWindow
  /** Closed once the owner was created in this run; deleting all accounts opens it again. */
  ownerClaim: { isClosed: boolean }
  devices: KnownDevices
  /** Null unless looking up places was switched on. */
  geo: GeoLookup | null
  /** The session that everybody shares while authentication is switched off. */
  readonly shared: IssuedSession | null
  /** Ends and forgets every session; the shared one is opened anew. */
  endEverySession(end: SessionEnd): void
  /** Called after the installation key was replaced: what it vouched for has to be forgotten. */
  onKeyRotated(listener: () => void): void
  announceKeyRotated(): void
  origin(request: Request): Origin
  /** Writes a wrong key or password to the log, in the line that the README documents. */
  noteRefused(request: Request, proof: Proof): void
  /** What wrong passwords of this browser are counted under; null: among all that are unknown. */
  deviceOf(request: Request, accountId: string): string | null
  /** The live session behind the cookie of this request. */
  sessionOf(request: Request): SessionRecord | null
}
