import type { OwnedGame } from '../protocol/apps.ts'
import type { DaemonFacts } from '../../platforms/service-facts.ts'
import type { Challenge, StoredLogin } from '../protocol/login.ts'
import type { DepotManifest } from '../protocol/progress.ts'
import type { CacheClient } from './content/cache-client.ts'
import type { ContentObject } from './content/download.ts'
import type { Meter } from './content/meter.ts'

/** Which apps a run is about, beside lists of ids. */
export interface AppFilter {
  all: boolean
  recent: boolean
  recentlyPurchased: boolean
  /** The most played ones; Infinity: as many as the platform counts as such. */
  top: number | null
}

/** What a game consists of now, without its list of contents. */
export interface AppVersion {
  name: string
  /** Texts that change when the content does: a version name, or `<depot>:<manifest>` each. */
  versions: string[]
}

/** Everything that a run requests for one app. */
export interface AppPlan {
  /** Bytes of all objects; 0 where the sizes are not known. */
  totalBytes: number
  objects: Iterable<ContentObject>
  /** Requested before the others: one object of each part, to find out which hosts have the part. */
  probes?: Iterable<ContentObject>
  /**
   * Why parts of the app cannot be downloaded, found out before or during the download. The other
   * parts are downloaded, but the app has failed.
   */
  problems?: readonly string[]
  depots: DepotManifest[]
  /** Null: it can be downloaded. */
  unavailable: { isUnsupportedOs: boolean; reason: string } | null
}

export interface PlanOptions {
  signal: AbortSignal
  /** Systems that are wanted, for example `windows`; empty: the platform's usual one. */
  systems: readonly string[]
  /** Engines whose manifests are content themselves request them through the cache. */
  client: () => Promise<CacheClient>
  meter: Meter
  preparing: (message: string) => void
}

/** A question to the user; the answer of `device-code` comes from elsewhere. */
export type Question = Pick<Challenge, 'credentialType'> &
  Partial<Pick<Challenge, 'email' | 'authUrl' | 'userCode'>>

/** What a login may show to the user and ask. */
export interface LoginDialog {
  /** Resolves to the credential. Rejects when the challenge expires or the login is cancelled. */
  ask: (question: Question) => Promise<string>
  /** Shows something without waiting for a credential. */
  show: (question: Question) => void
  signal: AbortSignal
}

/** A login failed for a reason that the user may read. */
export class LoginError extends Error {}

/** Who is signed in; times are ISO-8601. */
export interface SignedIn {
  /** Name of the account, as the platform shows it. */
  displayName: string | null
  /** Name that the user typed. */
  username: string | null
  /** End of the long-lived token. */
  authExpiryUtc: string | null
}

/** The sign-in of a platform with accounts. */
export interface EngineLogin {
  /** Null: nobody. */
  readonly signedIn: SignedIn | null
  /** Signs in with what is stored; false without it. Rejects when it is refused. */
  restore(signal: AbortSignal): Promise<boolean>
  /** Rejects with LoginError. */
  signIn(dialog: LoginDialog): Promise<void>
  /** Signs in with tokens that a manager has stored. Rejects with LoginError. */
  signInWith(stored: StoredLogin, signal: AbortSignal): Promise<void>
  /** Forgets the session in memory. */
  forget(): void
  /** Forgets it and deletes what is stored. */
  signOut(): Promise<void>
}

/** A game in an engine's list, where nothing is known of its image or of who plays it. */
export const listedGame = (appId: string, name: string): OwnedGame => ({
  appId,
  name,
  imageUrl: null,
  minutesPlayedLast2Weeks: 0,
})

/** What one platform's engine does against the outside world. */
export interface Engine {
  readonly wire: DaemonFacts
  /** Null: no account is needed. */
  readonly login: EngineLogin | null
  /** Sent with content requests; null: none. */
  readonly userAgent: string | null
  /** Requests at the same time, unless the run says otherwise. */
  readonly parallel: number
  /** Whether the cache is made to fetch again what broke off, and everything in a forced run. */
  readonly bypassesCache: boolean
  games(signal: AbortSignal): Promise<OwnedGame[]>
  /** Ids of the apps that a filter means. */
  choose(filter: AppFilter, signal: AbortSignal): Promise<string[]>
  /** For the wanted systems, or the usual one. Rejects for an unknown app. */
  version(appId: string, signal: AbortSignal, systems?: readonly string[]): Promise<AppVersion>
  /** Rejects for an unknown app, or when its contents cannot be listed. */
  plan(appId: string, options: PlanOptions): Promise<AppPlan>
  /** Hosts and paths by which log lines are assigned to games; absent: not known by the platform. */
  cdnInfo?: (appIds: readonly string[], signal: AbortSignal) => Promise<object>
  /** Absent: it holds nothing open. */
  close?: () => Promise<void>
}
