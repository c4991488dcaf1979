import { BackOff } from '../../../core/lib/back-off.ts'
import { pause } from '../../../core/lib/pause.ts'
import type { CacheClient, ContentRequest } from './cache-client.ts'
import type { Journal } from './journal.ts'
import { isHit, type Meter } from './meter.ts'
import type { ByteRange } from './ranges.ts'
import type { ResponseHead } from './response-parser.ts'

/** Something that the game's client would request. */
export interface ContentObject {
  /** Hosts that have it, the preferred one first. */
  hosts: readonly string[]
  target: string
  range?: ByteRange | undefined
  /** Planned size. */
  bytes: number
}

export interface DownloadOptions {
  client: CacheClient
  signal: AbortSignal
  meter: Meter
  /** Null: no object is skipped. */
  journal: Journal | null
  /** Requests at the same time. */
  parallel: number
  /** Query that makes the cache fetch again: on all attempts, on retries only, or never. */
  bypass: 'always' | 'retries' | 'never'
  /** Before the second attempt on the same object; doubled before each further one. */
  pauseMs?: number
}

export interface Downloaded {
  failed: number
  /** Why the first object failed. */
  reason: string | null
}

/** Attempts on one object; each goes to the next of its hosts. */
const attemptsMax = 4
const pauseMsUsual = 1000
const pauseMsMax = 8000
/** After so many failures without a success in between, the remaining objects are not tried. */
const failuresInRowMax = 30

/** The answer cannot be used. */
export class RefusedContent extends Error {
  /** Another attempt on the same host changes nothing. */
  readonly isLasting: boolean

  constructor(text: string, isLasting: boolean) {
    super(text)
    this.isLasting = isLasting
  }
}

const isLastingStatus = (status: number) => status < 500 && status !== 408 && status !== 429

/** Throws RefusedContent for an answer without the requested bytes. */
export function requireContent({ status, headers }: ResponseHead, range?: ByteRange): void {
  if (status === 206 && range !== undefined) return
  if (status !== 200) {
    throw new RefusedContent(`the cache answered with status ${status}`, isLastingStatus(status))
  }
  if (range === undefined) return
  // The whole file instead of a range: right only where the range is the whole file.
  const isWhole = range.first === 0 && Number(headers.get('content-length')) <= range.last + 1
  if (!isWhole) throw new RefusedContent('the cache ignored the requested range', true)
}

const withBypass = (target: string) => `${target}${target.includes('?') ? '&' : '?'}nocache=1`

const keyOf = ({ target, range }: ContentObject) =>
  range === undefined ? target : `${target} ${range.first}-${range.last}`

const isFinal = (error: unknown, isLastHost: boolean) =>
  isLastHost && error instanceof RefusedContent && error.isLasting

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Requests objects through the cache and discards their bytes. Rejects only with the signal's
 * reason; objects that failed are counted.
 */
export async function download(
  objects: Iterable<ContentObject>,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { client, signal, meter, journal, parallel, bypass, pauseMs = pauseMsUsual } = options
  let failed = 0
  let failedInRow = 0
  let reason: string | null = null

  async function attempt(request: ContentRequest): Promise<void> {
    let bytes = 0
    let wasHit: boolean | null = null
    try {
      await client.get(request, {
        signal,
        onHead(head) {
          requireContent(head, request.range)
          wasHit = isHit(head.headers)
        },
        onBody(chunk) {
          bytes += chunk.length
          meter.received(chunk.length, wasHit)
        },
      })
    } catch (error) {
      meter.takeBack(bytes)
      throw error
    }
  }

  async function fetchObject({ hosts, target, range }: ContentObject): Promise<void> {
    const backOff = new BackOff(pauseMs, pauseMsMax)
    for (let tried = 0; ; tried++) {
      const isBypassing = bypass === 'always' || (bypass === 'retries' && tried > 0)
      const host = hosts[tried % hosts.length] ?? ''
      try {
        return await attempt({ host, target: isBypassing ? withBypass(target) : target, range })
      } catch (error) {
        signal.throwIfAborted()
        if (tried + 1 >= attemptsMax || isFinal(error, tried + 1 >= hosts.length)) throw error
        // Another host is tried at once; the same one gets time to recover.
        if (tried + 1 >= hosts.length) await pause(backOff.next(), signal)
      }
    }
  }

  async function finish(object: ContentObject): Promise<void> {
    const key = keyOf(object)
    if (journal?.has(key) === true) return meter.skipped(object.bytes)
    try {
      await fetchObject(object)
      journal?.add(key)
      failedInRow = 0
    } catch (error) {
      signal.throwIfAborted()
      failed++
      failedInRow++
      reason ??= messageOf(error)
    }
  }

  const remaining = objects[Symbol.iterator]()
  async function work(): Promise<void> {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      signal.throwIfAborted()
      if (failedInRow < failuresInRowMax) await finish(next.value)
      else failed++
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { failed, reason }
}
