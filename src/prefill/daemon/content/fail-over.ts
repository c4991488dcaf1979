import { BackOff } from '../../../core/lib/back-off.ts'
import { pause } from '../../../core/lib/pause.ts'
import type { ByteRange } from './ranges.ts'
import type { ResponseHead } from './response-parser.ts'

/** The answer cannot be used. */
export class RefusedContent extends Error {
  /** Another attempt on the same host changes nothing. */
  readonly isLasting: boolean
  /** The host has nothing of this kind for anyone. */
  readonly isForbidden: boolean

  constructor(text: string, isLasting: boolean, isForbidden = false) {
    super(text)
    this.isLasting = isLasting
    this.isForbidden = isForbidden
  }
}

const isLastingStatus = (status: number) => status < 500 && status !== 408 && status !== 429

/** Throws RefusedContent for an answer without the requested bytes. */
export function requireContent({ status, headers }: ResponseHead, range?: ByteRange): void {
  if (status === 206 && range !== undefined) return
  if (status !== 200) {
    const text = `the cache answered with status ${status}`
    throw new RefusedContent(text, isLastingStatus(status), status === 403)
  }
  if (range === undefined) return
  // The whole file instead of a range: right only where the range is the whole file.
  const isWhole = range.first === 0 && Number(headers.get('content-length')) <= range.last + 1
  if (!isWhole) throw new RefusedContent('the cache ignored the requested range', true)
}

const isFinal = (error: unknown, isLastHost: boolean) =>
  isLastHost && error instanceof RefusedContent && error.isLasting

export interface FailOver {
  hosts: readonly string[]
  signal: AbortSignal
  attemptsMax: number
  /** Before the second attempt on the same host; doubled before each further one. */
  pauseMs: number
}

const pauseMsMax = 8000

/**
 * Tries one host after the other, the first one again after the last. Rejects with the last error,
 * or with the signal's reason.
 */
export async function withFailOver<T>(
  { hosts, signal, attemptsMax, pauseMs }: FailOver,
  attempt: (host: string, tried: number) => Promise<T>,
): Promise<T> {
  const backOff = new BackOff(pauseMs, pauseMsMax)
  for (let tried = 0; ; tried++) {
    try {
      return await attempt(hosts[tried % hosts.length] ?? '', tried)
    } catch (error) {
      signal.throwIfAborted()
      const isLastHost = tried + 1 >= hosts.length
      if (tried + 1 >= attemptsMax || isFinal(error, isLastHost)) throw error
      // Another host is tried at once; the same one gets time to recover.
      if (isLastHost) await pause(backOff.next(), signal)
    }
  }
}
