import pLimit from 'p-limit'
import type AlphaUser from 'steam-user'
import { createAlphaConnection, faultOf } from '../../../engines/alpha-connection/connection.ts'
import type { AlphaAccess } from '../../../engines/alpha-connection/contract.ts'
import type { Outside } from '../../../core/lib/outside.ts'

/** The connection is given up when nothing was asked for so long: a run asks once per game. */
const idleMs = 2 * 60_000

export interface TurnParts {
  access: AlphaAccess
  outside: Outside
  /** Steam does not accept the account's sign-in any more. */
  refused: () => void
}

/** Requests over one connection, which is opened when it is needed. */
export interface Turns {
  /** One request at a time. A cancelled one takes its connection with it. */
  ask<T>(signal: AbortSignal, request: (user: AlphaUser) => Promise<T>, limitMs: number): Promise<T>
  close(): Promise<void>
}

export function createTurns({ access, outside, refused }: TurnParts): Turns {
  const turn = pLimit(1)
  let held: { connection: ReturnType<typeof createAlphaConnection>; end: () => void } | null = null
  let idle: ReturnType<typeof setTimeout> | undefined

  function open() {
    const ending = new AbortController()
    const { signal } = ending
    const connection = createAlphaConnection({ access, outside, signal, changed: () => {} })
    held = { connection, end: () => ending.abort() }
    return held
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const ended = held
    held = null
    await ended?.connection.close()
    ended?.end()
  }

  return {
    ask: (signal, request, limitMs) =>
      turn(async () => {
        signal.throwIfAborted()
        clearTimeout(idle)
        const { connection, end } = held ?? open()
        signal.addEventListener('abort', end)
        try {
          return await connection.ask(limitMs, request)
        } catch (error) {
          if (signal.aborted) await close()
          signal.throwIfAborted()
          if (faultOf(error)?.isRefused === true) refused()
          throw error
        } finally {
          signal.removeEventListener('abort', end)
          idle = setTimeout(() => void turn(close), idleMs)
          idle.unref()
        }
      }),
    close: () => turn(close),
  }
}
