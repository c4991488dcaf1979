import { BackOff } from '../../../core/lib/back-off.ts'
import { errorText } from '../../../core/lib/error-text.ts'
import { pause } from '../../../core/lib/pause.ts'
import { createBodyCheck, type ExpectedBody } from './body-check.ts'
import type { CacheClient, ContentHandlers } from './cache-client.ts'
import type { Pass } from './cache-gate.ts'
import { SilentConnection, StaleConnection } from './connection.ts'
import { ContentFault } from './content-fault.ts'
import { isHit, type Meter } from './meter.ts'
import type { ByteRange } from './ranges.ts'

/** Something that the game's client would request. */
export interface ContentObject {
  /** Hosts that have it, the preferred one first. */
  hosts: readonly string[]
  target: string
  range?: ByteRange | undefined
  /**
   * Planned size, which the body must have; 0: unknown. Less than the range: the file may end
   * within it.
   */
  bytes: number
  expected?: ExpectedBody | undefined
  /** The client requests it, but can do without: its failure is not counted. */
  isOptional?: boolean
  /** Called when a host answers 403, so that further objects are not requested from it. */
  refused?: (host: string) => void
}

export interface RequestOptions {
  client: CacheClient
  signal: AbortSignal
  meter: Meter
  /**
   * Query that makes the cache fetch again: on all attempts, after an answer that broke off, or only
   * after a second one. After a wrong body it is always used.
   */
  bypass: 'always' | 'retries' | 'never'
}

/** Receives a body; each attempt starts it anew. */
interface BodySink {
  /** `announced`: bytes according to the response; 0: not said. */
  start(announced: number): void
  add(chunk: Buffer): void
}

/** Attempts on one object, except while the cache is away for all; each of more hosts has one. */
const attemptsMax = 4
const pauseMsMax = 8000

const withBypass = (target: string) => `${target}${target.includes('?') ? '&' : '?'}nocache=1`

/** What went wrong, with the object's address where it matters. */
function faultOf(error: unknown, isAnswered: boolean, address: string): ContentFault {
  if (error instanceof ContentFault) {
    const { kind, message, askedPauseMs, isForbidden } = error
    const facts = { cause: error, askedPauseMs, isForbidden }
    return new ContentFault(kind, `${message}: ${address}`, facts)
  }
  const options = { cause: error }
  if (isAnswered) return new ContentFault('cut', `${errorText(error)}: ${address}`, options)
  const kind = error instanceof SilentConnection ? 'failing' : 'unreachable'
  return new ContentFault(kind, errorText(error), options)
}

interface Attempt extends RequestOptions {
  host: string
  target: string
  pass: Pass
  sink: BodySink | null
}

/** One request; null: it brought the object. Rejects with the signal's reason. */
async function attemptOnce(object: ContentObject, attempt: Attempt): Promise<ContentFault | null> {
  const { client, signal, meter, host, target, pass, sink } = attempt
  const check = createBodyCheck(object)
  let isAnswered = false
  let wasHit: boolean | null = null
  let bytes = 0
  try {
    const handlers: ContentHandlers = {
      signal,
      onHead(head) {
        check.onHead(head)
        isAnswered = true
        pass.succeeded()
        wasHit = isHit(head.headers)
        sink?.start(Number(head.headers.get('content-length') ?? 0))
      },
      onBody(chunk) {
        check.onBody(chunk)
        bytes += chunk.length
        meter.received(chunk.length, wasHit)
        sink?.add(chunk)
      },
    }
    await client.get({ host, target, range: object.range }, handlers)
    check.end()
    return null
  } catch (error) {
    // The bytes of a failed attempt are no progress: they come again.
    meter.takeBack(bytes)
    signal.throwIfAborted()
    // Without the query, which may hold a signature.
    return faultOf(error, isAnswered, `http://${host}${object.target.split('?', 1)[0]}`)
  }
}

/** Hosts that may have an object, and whether another attempt makes sense. */
function createTries(hosts: readonly string[]) {
  const counts = { wrong: 0, passing: 0 }
  let left = hosts
  return {
    hosts: () => left,
    /** True: there is nothing left to try. */
    failed(kind: ContentFault['kind'], host: string): boolean {
      if (kind === 'lasting') left = left.filter((other) => other !== host)
      // Each host once past the cache, beside the one answer of the cache itself.
      else if (kind === 'wrong') return ++counts.wrong > Math.min(hosts.length, attemptsMax - 1)
      else return ++counts.passing >= Math.max(attemptsMax, hosts.length)
      return left.length === 0
    },
  }
}

/**
 * Requests an object through the cache until its body is the planned one: on one host after the
 * other, with pauses after passing faults, and past the cache after a wrong body. Rejects with the
 * signal's reason, with ContentFault, or like `CacheGate.enter`.
 */
export async function requestObject(
  object: ContentObject,
  options: RequestOptions,
  sink: BodySink | null = null,
): Promise<void> {
  const { client, signal, bypass } = options
  const { gate } = client
  const { hosts: order } = gate
  const backOff = new BackOff(gate.patience.firstPauseMs, pauseMsMax)
  const tries = createTries(object.hosts)
  let isBypassing = bypass === 'always'
  let broken = bypass === 'never' ? 0 : 1
  let wrong: ContentFault | null = null
  for (;;) {
    const pass = await gate.enter(signal)
    const host = order.best(tries.hosts())
    const target = isBypassing ? withBypass(object.target) : object.target
    const fault = await attemptOnce(object, { ...options, host, target, pass, sink })
    if (fault === null) return order.succeeded(host)
    const { kind } = fault
    if (kind === 'wrong') wrong = fault
    if (fault.isForbidden && object.refused !== undefined) object.refused(host)
    // A wrong body from the cache is not the host's.
    else if (kind !== 'wrong' || isBypassing) order.failed(host)
    // nginx breaks off, before or within an answer, when slices that it stored do not fit together.
    if (kind === 'cut' || fault.cause instanceof StaleConnection) broken++
    isBypassing ||= kind === 'wrong' || broken > 1
    const isPassing = kind !== 'wrong' && kind !== 'lasting'
    if (!isPassing) pass.succeeded()
    else if (pass.failed(fault)) continue
    if (tries.failed(kind, host)) throw wrong ?? fault
    if (isPassing) await pause(backOff.next(), signal)
  }
}
