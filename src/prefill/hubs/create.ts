/*
 * `prefill/hubs`: each platform has a hub beside the live channel, with the same limits and the
 * same class behind it. Clients call `{id, method, args}` and receive `{id, result}` or `{id,
 * error: {message}}`; the right to prefill is checked with every call, and read again when
 * sessions or grants have changed. Challenges reach only the user of a session and the connections
 * that follow it; credentials are encrypted for the daemon and never stored or logged.
 */
import type { PrefillParts } from '../parts.ts'
import { perPlatform, platforms, type Platform } from '../../platforms/platforms.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createMethods } from './methods.ts'
import { createPlatformHub, type AnswerCall, type CallingHub } from './platform-hub.ts'

export type Hubs = Record<Platform, CallingHub>

/** The five hubs. Calls are answered once `serve` has connected them with the sessions. */
export function createHubs(parts: PrefillParts) {
  const answers = new Map<Platform, AnswerCall>()
  const answerOf =
    (platform: Platform): AnswerCall =>
    async (client, method, args) =>
      answers.get(platform)?.(client, method, args)
  const hubs: Hubs = perPlatform((platform) =>
    createPlatformHub(parts, platform, answerOf(platform)),
  )

  return {
    hubs,
    serve(sessions: Sessions, service: SessionService): void {
      for (const platform of platforms) {
        const hub = () => hubs[platform]
        answers.set(platform, createMethods({ ...parts, sessions, service, platform, own: hub }))
      }
    },
    /** Closes every socket. */
    stop(): void {
      for (const { live } of Object.values(hubs)) live.stop()
    },
  }
}
