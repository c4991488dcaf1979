import type { Clock } from '../../core/lib/clock.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import { waited, type Timers } from '../../core/lib/timers.ts'
import {
  EpsilonRefusal,
  type DeviceCode,
  type EpsilonTokens,
  type MicrosoftToken,
} from './tokens.ts'

const intervalSecondsMin = 1
const slowDownSeconds = 5
/** For a code without an end of its own. */
const validSecondsUsual = 900

/**
 * Asks Microsoft until the person has approved the code. Throws EpsilonRefusal when it was declined
 * or is no longer valid; a service that cannot be reached is asked again. Rejects with the signal's
 * reason.
 */
export async function pollForToken(
  parts: { web: Pick<EpsilonTokens, 'poll'>; clock: Clock; timers: Timers },
  code: Pick<DeviceCode, 'device_code' | 'interval' | 'expires_in'>,
  signal: AbortSignal,
): Promise<MicrosoftToken> {
  const { web, clock, timers } = parts
  const validSeconds = code.expires_in > 0 ? code.expires_in : validSecondsUsual
  const endMs = clock.elapsedMs() + validSeconds * 1000
  let seconds = Math.max(intervalSecondsMin, code.interval)
  for (;;) {
    await waited(timers, seconds * 1000, signal)
    signal.throwIfAborted()
    if (clock.elapsedMs() >= endMs) {
      throw new EpsilonRefusal('expired_token', 'The code was not entered in time; sign in again')
    }
    try {
      return await web.poll(code.device_code, signal)
    } catch (error) {
      signal.throwIfAborted()
      const isWaiting = error instanceof EpsilonRefusal && error.reason === 'authorization_pending'
      const isTooFast = error instanceof EpsilonRefusal && error.reason === 'slow_down'
      if (isTooFast) seconds += slowDownSeconds
      else if (!isWaiting && !(error instanceof OutsideError)) throw error
    }
  }
}
