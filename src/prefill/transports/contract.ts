import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, PhraseText, Text, TextOf, Utc } from '../../core/lib/schema.ts'
import type { CredentialName } from '../../core/secrets/credentials.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { DaemonEvent, DaemonResponse } from '../protocol/envelopes.ts'

/** Where a daemon listens. */
export type DaemonAddress =
  { kind: 'unix'; path: string } | { kind: 'tcp'; host: string; port: number }

/** How the address of the cache was found, in the words of the API. */
export type CacheAddressSource =
  'config' | 'dns' | 'dockerInspect' | 'envFile' | 'detected' | 'none'

/** The address of the cache that a daemon is given. */
export interface CacheAddress {
  /** Null: the daemon detects the cache itself. */
  address: string | null
  source: CacheAddressSource
}

/**
 * Finds the cache for a new daemon. Throws TransportError when the configured host name has no
 * address.
 */
export type FindCacheAddress = (signal?: AbortSignal) => Promise<CacheAddress>

/** What a daemon can reach from where it runs. */
export const NetworkDiagnostics = Model('PrefillNetworkDiagnostics', {
  internetConnectivity: Flag,
  internetConnectivityError: Nullable(Text),
  internetConnectivityIpv4: Nullable(Flag),
  internetConnectivityIpv4Error: Nullable(Text),
  internetConnectivityIpv6: Nullable(Flag),
  internetConnectivityIpv6Error: Nullable(Text),
  dnsResults: Type.Array(
    Type.Object({
      domain: Text,
      resolvedIps: Type.Array(Text),
      isPrivateIp: Flag,
      success: Flag,
      error: Nullable(Text),
    }),
  ),
  testedAt: Utc,
  useHostNetworking: Flag,
  lancacheIpInjected: Nullable(Text),
  lancacheIpSource: Nullable(TextOf<CacheAddressSource>()),
  advice: Type.Array(PhraseText, { description: 'What to do about each fault' }),
})
export type NetworkDiagnostics = Static<typeof NetworkDiagnostics>

/**
 * An account of a platform: the place of one persistent session, with a sign-in of its own. Sessions
 * that are not persistent have none, and are written like the first one.
 */
export interface AccountSlot {
  platform: Platform
  /** 8 hex digits; null: the platform's first account, which always exists. */
  accountId: string | null
}

/** Id of an account in the API. */
export const accountKey = ({ platform, accountId }: AccountSlot): string => accountId ?? platform

/** Name of the sealed secret of an account's daemon. */
export const secretName = ({ platform, accountId }: AccountSlot): CredentialName =>
  accountId === null ? `prefill.${platform}Secret` : `prefill.${platform}Secret.${accountId}`

/** What a session needs from its daemon. */
export interface SessionSpec extends AccountSlot {
  /** 16 hex digits. */
  sessionId: string
  /** Id of the session of access control that created it, or of the system. */
  userId: string
  /** Keeps its login in storage of the account, and may outlive this process. */
  isPersistent: boolean
  /** After this long the daemon ends by itself; null: never. */
  maxLifetimeSeconds: number | null
}

/** A daemon that runs. */
export interface RunningDaemon extends AccountSlot {
  sessionId: string
  /** Name of the container or process, as shown in lists. */
  name: string
  /** Null: not in a container. */
  containerId: string | null
  address: DaemonAddress
  /** Never logged or shown. Null: the daemon asks for none. */
  secret: string | null
  cache: CacheAddress
  /** Aborts with ConnectionLost when the daemon ends by itself; absent: nobody notices. */
  ended?: AbortSignal
}

/** A persistent daemon of an earlier process that still runs. */
export interface AdoptedDaemon extends RunningDaemon {
  userId: string
}

/** What became of the stored login of an account whose daemon does not run, as in the API. */
export type LoginRemoval = 'Removed' | 'NotFound' | 'InUse' | 'DockerUnavailable'

/** Why a daemon could not be started, reached or removed. Its text may be shown to the caller. */
export class TransportError extends Error {
  /** `unavailable`: there is no runtime for daemons; `busy`: its predecessor is being removed. */
  readonly reason: 'unavailable' | 'busy' | 'failed'

  constructor(reason: TransportError['reason'], text: string, options: ErrorOptions = {}) {
    super(text, options)
    this.reason = reason
  }
}

/**
 * What was found of a daemon that someone else runs. `busy`: it prefills for another session;
 * `refused`: nothing listens at its address; `denied`: its socket belongs to another user; `secret`:
 * it wants another one; `silent`: it does not answer in time; `unknown`: what answers is no daemon.
 */
export const outsideStates = [
  'ready',
  'busy',
  'unreachable',
  'refused',
  'denied',
  'secret',
  'silent',
  'unknown',
] as const
export type OutsideState = (typeof outsideStates)[number]

/** One way to run daemons: as a child process, in a container, or outside of this service. */
export interface Transport {
  readonly kind: 'builtin' | 'container' | 'outside'
  /**
   * The sessions of a platform share one daemon that someone else started, and so its login; only
   * one of them at a time has a run.
   */
  readonly isShared: boolean
  /** Running daemons survive the end of this process, and `adopt` finds them. */
  readonly outlivesService: boolean
  /** Whether daemons can be started now; shown as `containerRuntimeAvailable`. */
  isAvailable(): Promise<boolean>
  /** State of a daemon outside; a recent result may be used again. Absent for other kinds. */
  state?(): Promise<OutsideState>
  /** Starts a daemon, or returns the shared one. Throws TransportError. */
  start(spec: SessionSpec, signal: AbortSignal): Promise<RunningDaemon>
  /**
   * Stops the daemon and removes what it leaves behind: its process or container and its folder.
   * Not its stored login. `isForced`: without a grace period. A daemon that is gone already is no
   * error. Throws TransportError.
   */
  remove(daemon: RunningDaemon, options: { isForced: boolean }): Promise<void>
  /**
   * Called once at the start, before any `start`: returns persistent daemons of this platform that
   * still run, the newest first, and removes everything else of earlier processes. `orphans`:
   * persistent sessions that used this transport and were not ended.
   */
  adopt(
    platform: Platform,
    orphans?: readonly Pick<AdoptedDaemon, 'sessionId' | 'userId'>[],
  ): Promise<AdoptedDaemon[]>
  /** Deletes the stored login of the account, and all that a further one has on disk. */
  removeLogin(slot: AccountSlot): Promise<LoginRemoval>
  /** Addresses from which it can ask a cache. May reject. */
  addressesOf(daemon: RunningDaemon): Promise<string[]>
  /** Tests what the daemon can reach; absent: not known for this kind. */
  diagnose?(daemon: RunningDaemon): Promise<NetworkDiagnostics>
  /** Removes or stops what must not outlive the service; does not throw. */
  stop(): Promise<void>
}

/** Why a connection is over. Its text never contains the secret. */
export class ConnectionLost extends Error {
  /** `secret`: the daemon refused it; `frame`: what it sent was no frame of the protocol. */
  readonly reason: 'closed' | 'secret' | 'frame' | 'unreachable'

  constructor(reason: ConnectionLost['reason'], text: string, options?: ErrorOptions) {
    super(text, options)
    this.reason = reason
  }
}

/** A command took longer than its limit; the connection stays open. */
export class CommandTimeout extends Error {}

/** An authenticated connection to a daemon. */
export interface DaemonConnection {
  /**
   * Sends a command and waits for its answer. Rejects with ConnectionLost, or with CommandTimeout
   * after the limit.
   */
  request(type: string, parameters: CommandParameters, limitMs: number): Promise<DaemonResponse>
  close(): void
}

/** Texts on the wire; those that are null are not sent. */
export type CommandParameters = Readonly<Record<string, string | null>>

export interface ConnectionListeners {
  onEvent(event: DaemonEvent): void
  /** The connection is over; called at most once, and not after `close`. */
  onLost(lost: ConnectionLost): void
}

/** Connects and authenticates, in three attempts. Rejects with ConnectionLost. */
export type ConnectDaemon = (
  daemon: Pick<RunningDaemon, 'address' | 'secret'>,
  listeners: ConnectionListeners,
  signal: AbortSignal,
) => Promise<DaemonConnection>
