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
import type { ShareLinks } from './links/links.ts'
import type { PreferenceStore } from './preferences/store.ts'
import type { FoundSession, IssuedSession, Sessions } from './sessions/sessions.ts'
import type { RecoveryWindow } from './setup/recovery.ts'
import type { KnownDevices } from './sign-in/known-devices.ts'

/** Origin of a request, as stored with sessions. */
export interface Origin {
  ipAddress: string | null
  userAgent: string | null
}

/** Which proof was wrong when a request was refused. */
export type Proof = 'sign-in' | 'installation key' | 'current password'

/** Everything that decides access; built once, routes reach it as `deps.control`. */
export interface AccessControl {
  gate: Gate
  guardDocuments: (request: Request) => Promise<Response | undefined>
  attachServer(server: PeerSource): void
  /** The complete installation key. */
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
  links: ShareLinks
  recovery: RecoveryWindow
  /** Closed once the owner was created in this run; deleting all accounts reopens it. */
  ownerClaim: { isClosed: boolean }
  devices: KnownDevices
  /** Null unless geolocation is enabled. */
  geo: GeoLookup | null
  /** The session shared by everyone while authentication is disabled. */
  readonly shared: IssuedSession | null
  /** Ends and deletes every session; the shared one is reopened. */
  endEverySession(end: SessionEnd): void
  /** Called after the installation key was replaced: whatever relied on it must be dropped. */
  onKeyRotated(listener: () => void): void
  announceKeyRotated(): void
  origin(request: Request): Origin
  /** Logs a wrong key or password, in the format that docs/operate.md documents. */
  noteRefused(request: Request, proof: Proof): void
  /**
   * Key under which wrong passwords of this browser are counted; null counts it with the unknown
   * ones.
   */
  deviceOf(request: Request, accountId: string): string | null
  /** The active session of the request's cookie. */
  sessionOf(request: Request): FoundSession | null
}
