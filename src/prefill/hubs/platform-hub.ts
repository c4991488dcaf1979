import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { HubClient, LiveHub } from '../../core/live/contract.ts'
import { createHub } from '../../core/live/hub.ts'
import { AppError } from '../../core/http/errors.ts'
import type { PrefillParts } from '../parts.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { PlatformHub } from './contract.ts'

/** Connections that follow one session; the oldest is dropped. */
const followersMax = 3
/** Calls of one connection that are not answered yet. */
const callsMax = 8

const Call = Type.Object({
  id: Type.Union([Type.String({ maxLength: 100 }), Type.Number()]),
  method: Type.String({ maxLength: 100 }),
  args: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10 })),
})

/** Answers a call of a client; rejects with AppError, whose text the client receives. */
export type AnswerCall = (
  client: HubClient,
  method: string,
  args: readonly unknown[],
) => Promise<unknown>

export interface CallingHub extends PlatformHub {
  /** The side of the sockets. */
  live: LiveHub
  /** From now on the client receives the events of this session. */
  follow(client: HubClient, sessionId: string): void
}

/** The hub of a platform: events of its sessions, and calls `{id, method, args}`. */
export function createPlatformHub(
  { events, log, clock, timers }: PrefillParts,
  platform: Platform,
  answer: AnswerCall,
): CallingHub {
  const followers = new Map<string, HubClient[]>()
  const openCalls = new Map<HubClient, number>()

  const failed = (error: unknown) => {
    if (error instanceof AppError && error.refusal === 'forbidden') {
      return { message: 'Access denied' }
    }
    if (error instanceof AppError) {
      const { stageKey, context } = error.extra
      return { message: error.message, stageKey, context }
    }
    log.error({ err: error, platform }, 'a call of a prefill hub failed')
    return { message: 'An error occurred' }
  }

  async function call(client: HubClient, message: unknown): Promise<void> {
    if (!Value.Check(Call, message)) return
    const { id, method, args = [] } = message
    const count = openCalls.get(client) ?? 0
    if (count >= callsMax) {
      return client.send({ id, error: { message: 'Too many calls at one time' } })
    }
    openCalls.set(client, count + 1)
    try {
      client.send({ id, result: (await answer(client, method, args)) ?? null })
    } catch (error) {
      client.send({ id, error: failed(error) })
    } finally {
      openCalls.set(client, (openCalls.get(client) ?? 1) - 1)
    }
  }

  function gone(client: HubClient): void {
    openCalls.delete(client)
    for (const [sessionId, list] of followers) {
      const others = list.filter((one) => one !== client)
      if (others.length === 0) followers.delete(sessionId)
      else followers.set(sessionId, others)
    }
  }

  const live = createHub({
    events,
    log,
    clock,
    timers,
    calls: { receive: (client, message) => void call(client, message), gone },
  })

  return {
    live,
    publish: (event, data, audience) => live.publish(event, data, audience),
    toFollowers(sessionId, event, data, userId) {
      for (const client of followers.get(sessionId) ?? []) {
        // The session's own user is addressed below.
        if (userId === undefined || client.caller.sessionId !== userId) client.send({ event, data })
      }
      if (userId !== undefined) live.publish(event, data, { sessionId: userId })
    },
    forget: (sessionId) => void followers.delete(sessionId),
    follow(client, sessionId) {
      const others = (followers.get(sessionId) ?? []).filter((one) => one !== client)
      followers.set(sessionId, [...others, client].slice(-followersMax))
    },
  }
}
