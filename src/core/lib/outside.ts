import pLimit, { type LimitFunction } from 'p-limit'
import { isIP } from 'node:net'
import { chosenAddress, ForbiddenAddress, type Resolve } from './chosen-address.ts'
import { pause } from './pause.ts'
import { version } from './version.ts'

/** Sent with every request to a service on the internet. */
export const userAgent = `Larder/${version}`

/** The longest pause that an answer may ask for with `Retry-After`. */
const longestPauseMs = 60_000
/** Larger answers are refused; libraries of thousands of games stay far below. */
const bytesMaxUsual = 8 * 1024 * 1024
/** Statuses after which the same request may succeed. */
const passing = new Set([429, 500, 502, 503, 504])

/** A service on the internet did not do what was asked. The message names only its host. */
export class OutsideError extends Error {
  /** Null: no usable answer at all. */
  readonly status: number | null

  constructor(text: string, status: number | null, cause?: unknown) {
    super(text, { cause })
    this.status = status
  }
}

export interface OutsideRequest {
  url: string
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** For one attempt, body included. */
  timeoutMs: number
  /** Bytes of the body, decompressed; what is longer fails while it is read. Default: 8 MiB. */
  bytesMax?: number
  /** Statuses of 400 and above that `use` reads, too. */
  accepts?: readonly number[]
  /** One for a call that must not be repeated, or that a person waits for. Default: three. */
  attempts?: number
  /** Other than `follow` where no other host may be reached, as with credentials. */
  redirect?: 'follow' | 'error' | 'manual'
  /** Chosen by a user: its address is judged, the connection goes there, redirects are errors. */
  isChosen?: boolean
}

/** Uses an answer with a status below 400, or an accepted one, and reads its body; 304 included. */
type Use<T> = (response: Response) => Promise<T>

export interface Outside {
  /**
   * One request at a time per host (or as many as the options say), a pause after each, and up to
   * three attempts with growing pauses. Throws OutsideError, or what `use` throws; rejects with the
   * signal's reason, at once while others have their turn.
   */
  get<T>(request: OutsideRequest, use: Use<T>): Promise<T>
}

export interface OutsideOptions {
  /** Between the end of a request and the next one to the same host. */
  gapMs?: number
  /** Requests to one host at the same time. Default: one. */
  parallel?: number
  /** Before the second attempt; doubled before the third. */
  pauseMs?: number
  /** Shortens the time of every attempt. */
  timeoutMsMax?: number
  /** Resolves hosts that users chose. Default: the system. */
  resolve?: Resolve
}

const attemptsUsual = 3

/** A request to the address that was judged, with the host's name in `Host` and in the certificate. */
async function pinned(url: string, resolve?: Resolve) {
  const target = new URL(url)
  const { host, hostname } = target
  const address = await chosenAddress(hostname, resolve)
  target.hostname = isIP(address) === 6 ? `[${address}]` : address
  const isNamed = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0
  const tls = isNamed && target.protocol === 'https:' ? { tls: { serverName: hostname } } : {}
  return { url: target.href, host, init: { ...tls, keepalive: false, redirect: 'error' as const } }
}

/** What the host did. The cause itself may name the whole address, which may be a secret. */
function failureOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'cannot be reached'
  const code = 'code' in cause ? String(cause.code) : ''
  if (cause.name === 'TimeoutError') return 'did not answer in time'
  if (code === 'UnexpectedRedirect') return 'redirects to another address, which is not followed'
  if (/CERT|UNABLE_TO_VERIFY/.test(code)) return 'has a certificate that is not trusted'
  return 'cannot be reached'
}

function pauseOf(response: Response, usualMs: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? '')
  return seconds > 0 ? Math.min(seconds * 1000, longestPauseMs) : usualMs
}

/**
 * An answer whose body fails with OutsideError, unless it is no longer wanted: when it breaks off, and
 * behind so many bytes, however it is compressed and read. A few kilobytes can be unpacked to
 * gigabytes. What the platform says about it may contain the whole address.
 */
export function boundedAnswer(response: Response, host: string, bytesMax: number): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  let bytes = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        const { name } = cause instanceof Error ? cause : { name: '' }
        if (name === 'AbortError') throw cause
        const text = name === 'TimeoutError' ? 'did not answer in time' : 'broke off its answer'
        throw new OutsideError(`${host} ${text}`, null, cause)
      })
      if (done) return controller.close()
      bytes += value.length
      if (bytes <= bytesMax) return controller.enqueue(value)
      void reader.cancel()
      throw new OutsideError(`${host} sent more than ${bytesMax} bytes`, null)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}

/** Requests to services on the internet, at a pace that they need not limit. */
export function createOutside(options: OutsideOptions = {}): Outside {
  const { gapMs = 250, parallel = 1, pauseMs = 2000, timeoutMsMax = Infinity } = options
  const turns = new Map<string, LimitFunction>()

  async function attempt<T>(request: OutsideRequest, use: Use<T>) {
    const { url, method = 'GET', body, redirect = 'follow', accepts = [] } = request
    const { bytesMax = bytesMaxUsual } = request
    const { host } = new URL(url)
    const late = AbortSignal.timeout(Math.min(request.timeoutMs, timeoutMsMax))
    const signal = request.signal === undefined ? late : AbortSignal.any([late, request.signal])
    const headers = { 'user-agent': userAgent, ...request.headers }
    const init = { method, headers, redirect, signal, ...(body !== undefined && { body }) }
    let response: Response
    try {
      if (request.isChosen === true) {
        const to = await pinned(url, options.resolve)
        const named = { ...headers, host: to.host }
        response = await fetch(to.url, { ...init, ...to.init, headers: named })
      } else response = await fetch(url, init)
    } catch (cause) {
      request.signal?.throwIfAborted()
      if (cause instanceof ForbiddenAddress) {
        return { error: new OutsideError(cause.message, null, cause), pauseMs }
      }
      return { error: new OutsideError(`${host} ${failureOf(cause)}`, null, cause), pauseMs }
    }
    const { status } = response
    if (status < 400 || accepts.includes(status)) {
      return { value: await use(boundedAnswer(response, host, bytesMax)) }
    }
    await response.body?.cancel()
    const text = `${host} answered with status ${status}`
    return { error: new OutsideError(text, status), pauseMs: pauseOf(response, pauseMs) }
  }

  async function withRetries<T>(request: OutsideRequest, use: Use<T>): Promise<T> {
    const { signal, attempts = attemptsUsual } = request
    for (let left = attempts - 1; ; left--) {
      signal?.throwIfAborted()
      const outcome = await attempt(request, use)
      if (outcome.error === undefined) return outcome.value
      const { status } = outcome.error
      if (left === 0 || (status !== null && !passing.has(status))) throw outcome.error
      await pause(outcome.pauseMs * (attempts - left), signal)
    }
  }

  return {
    async get<T>(request: OutsideRequest, use: Use<T>) {
      const { host } = new URL(request.url)
      const turn = turns.get(host) ?? pLimit(parallel)
      turns.set(host, turn)
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const { signal } = request
      signal?.throwIfAborted()
      const leave = () => reject(signal?.reason)
      signal?.addEventListener('abort', leave)
      // The turn ends after the pause, the caller's wait with the answer.
      void turn(async () => {
        signal?.removeEventListener('abort', leave)
        await withRetries(request, use).then(resolve, reject)
        await pause(gapMs)
      })
      return promise
    },
  }
}
