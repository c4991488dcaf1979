import type { Audience } from '../../core/live/contract.ts'
import type { Platform } from '../platforms.ts'

/** The hub of one platform, as far as sessions send events to it. */
export interface PlatformHub {
  publish(event: string, data: object, audience: Audience): void
  /** To connections that follow the session, and to all of `userId` if given. */
  toFollowers(sessionId: string, event: string, data: object, userId?: string): void
  /** The session is over: nobody follows it any more. */
  forget(sessionId: string): void
}

export type PlatformHubs = Readonly<Record<Platform, PlatformHub>>
