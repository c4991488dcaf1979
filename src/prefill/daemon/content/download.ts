/*
 * Content goes to the cache's address with the original `Host` (`content/`), never to the host
 * itself, over an HTTP client of its own: `fetch` took three times the processor time for the same
 * bytes. Bodies are counted and dropped. One token bucket limits all requests; reading pauses
 * while it is empty, so a limit reaches the sender. Journals list finished requests, so that an
 * interrupted run requests only what is missing; they expire after a day, because the cache may
 * have evicted what they list.
 */
import type { CacheClient, ContentRequest } from './cache-client.ts'
import { RefusedContent, requireContent, withFailOver } from './fail-over.ts'
import type { Journal } from './journal.ts'
import { isHit, type Meter } from './meter.ts'
import type { ByteRange } from './ranges.ts'
import { errorText } from '../../../core/lib/error-text.ts'

/** Something that the game's client would request. */
export interface ContentObject {
  /** Hosts that have it, the preferred one first. */
  hosts: readonly string[]
  target: string
  range?: ByteRange | undefined
  /** Planned size; 0: unknown. */
  bytes: number
  /** The client requests it, but can do without: its failure is not counted. */
  isOptional?: boolean
  /** Called when a host answers 403, so that further objects are not requested from it. */
  refused?: (host: string) => void
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
  /** Before the second attempt on the same host. */
  pauseMs?: number
}

export interface Downloaded {
  failed: number
  /** Why the first object failed. */
  reason: string | null
}

/** Attempts on one object; where it has more hosts, each of them is tried. */
const attemptsMin = 4
const pauseMsUsual = 1000
/** After so many failures without a success in between, the remaining objects are not tried. */
const failuresInRowMax = 30

const withBypass = (target: string) => `${target}${target.includes('?') ? '&' : '?'}nocache=1`

const isForbidden = (error: unknown) => error instanceof RefusedContent && error.isForbidden

const keyOf = ({ target, range }: ContentObject) =>
  range === undefined ? target : `${target} ${range.first}-${range.last}`

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

  function fetchObject({ hosts, target, range, refused }: ContentObject): Promise<void> {
    const attemptsMax = Math.max(attemptsMin, hosts.length)
    return withFailOver({ hosts, signal, attemptsMax, pauseMs }, async (host, tried) => {
      const isBypassing = bypass === 'always' || (bypass === 'retries' && tried > 0)
      try {
        await attempt({ host, target: isBypassing ? withBypass(target) : target, range })
      } catch (error) {
        if (isForbidden(error)) refused?.(host)
        throw error
      }
    })
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
      if (object.isOptional === true) return
      failed++
      // Refused by hosts that later objects no longer have: it says nothing about those.
      if (object.refused === undefined || !isForbidden(error)) failedInRow++
      reason ??= errorText(error)
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
  const outcomes = await Promise.allSettled(Array.from({ length: parallel }, work))
  // Not before all have ended: nothing is under way when this function returns.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return { failed, reason }
}
