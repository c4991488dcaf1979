/*
 * Content goes to the cache's address with the original `Host` (`content/`), never to the host
 * itself, over an HTTP client of its own: `fetch` took three times the processor time for the same
 * bytes. Bodies are compared with what is planned (status, range, size, hash), counted and dropped.
 * One token bucket limits all requests; reading pauses while it is empty, so a limit reaches the
 * sender. Faults of the cache are waited for by all requests together (`cache-gate.ts`), those of
 * objects are repeated at once, and again when everything else is there. Journals list finished
 * requests, so that an interrupted run requests only what is missing; they expire after a day,
 * because the cache may have evicted what they list.
 */
import { pause } from '../../../core/lib/pause.ts'
import { CacheFailing } from './cache-gate.ts'
import { ContentFault } from './content-fault.ts'
import type { Journal } from './journal.ts'
import { requestObject, type ContentObject, type RequestOptions } from './request-object.ts'

export type { ContentObject }

export interface DownloadOptions extends RequestOptions {
  /** Null: no object is skipped. */
  journal: Journal | null
  /** Requests at the same time. */
  parallel: number
}

export interface Downloaded {
  failed: number
  /** Why the first object failed. */
  reason: string | null
}

/** Objects that fail are requested again after the others. */
const passesMax = 3
/** After so many failed objects without a success in between, a pass ends. */
const failuresInRowMax = 30

const keyOf = ({ target, range }: ContentObject) =>
  range === undefined ? target : `${target} ${range.first}-${range.last}`

/** One pass over objects; what it does not take from them is left. */
interface PassResult {
  lasting: ContentFault[]
  /** To be requested again. */
  passing: { object: ContentObject; fault: ContentFault }[]
  /** The pass ended early, and another one makes no sense. */
  isHopeless: boolean
}

async function runPass(
  objects: Iterator<ContentObject>,
  options: DownloadOptions,
): Promise<PassResult> {
  const { signal, meter, journal, parallel } = options
  const result: PassResult = { lasting: [], passing: [], isHopeless: false }
  let failedInRow = 0
  let isOver = false

  async function finish(object: ContentObject): Promise<void> {
    const key = keyOf(object)
    if (journal?.has(key) === true) return meter.skipped(object.bytes)
    try {
      await requestObject(object, options)
      failedInRow = 0
    } catch (fault) {
      if (!(fault instanceof ContentFault)) throw fault
      if (object.isOptional === true) return
      if (fault.kind === 'lasting') result.lasting.push(fault)
      else result.passing.push({ object, fault })
      // Refused by hosts that later objects no longer have: it says nothing about those.
      if (fault.isForbidden && object.refused !== undefined) return
      if (++failedInRow < failuresInRowMax && !(fault instanceof CacheFailing)) return
      isOver = true
      result.isHopeless = fault.kind === 'lasting'
      return
    }
    journal?.add(key)
  }

  async function work(): Promise<void> {
    try {
      while (!isOver) {
        signal.throwIfAborted()
        const next = objects.next()
        if (next.done === true) return
        await finish(next.value)
      }
    } catch (error) {
      isOver = true
      throw error
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: parallel }, work))
  // Not before all have ended: nothing is under way when this function returns.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return result
}

/**
 * Requests objects through the cache and discards their bytes. Objects that failed are counted.
 * Rejects with the signal's reason, or with CacheNotFound when the cache is away for too long.
 */
export async function download(
  objects: Iterable<ContentObject>,
  options: DownloadOptions,
): Promise<Downloaded> {
  const planned = objects[Symbol.iterator]()
  let isExhausted = false
  let again: ContentObject[] = []
  let failed = 0
  let lastingFault: ContentFault | undefined
  let passingFault: ContentFault | undefined
  for (let pass = 1; pass <= passesMax; pass++) {
    const repeated = again.values()
    const next = () => {
      const object = planned.next()
      isExhausted = object.done === true
      return isExhausted ? repeated.next() : object
    }
    const { lasting, passing, isHopeless } = await runPass({ next }, options)
    failed += lasting.length
    again = [...passing.map(({ object }) => object), ...repeated]
    lastingFault ??= lasting[0]
    // Those of an earlier pass may have been repeated with success.
    passingFault = passing[0]?.fault
    if (isHopeless || (isExhausted && again.length === 0)) break
    const { repeatPauseMs } = options.client.gate.patience
    if (pass < passesMax) await pause(repeatPauseMs * pass, options.signal)
  }
  failed += again.length
  while (planned.next().done !== true) failed++
  return { failed, reason: (lastingFault ?? passingFault)?.message ?? null }
}
