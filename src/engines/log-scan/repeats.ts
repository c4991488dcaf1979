import { latin1 } from '../titles/bytes.ts'
import {
  cacheHit,
  cacheMiss,
  firstByteOf,
  type Client,
  type Line,
  type Tag,
} from '../logs/lines/line.ts'
import { hashObject, targetText } from '../logs/lines/object-keys.ts'
import {
  keyFormatOf,
  normalisedPath,
  sliceStartAt,
  type KeyFormat,
} from '../cache/format/key-scheme.ts'
import type {
  HostsOutcome,
  HostsRequest,
  RepeatedRequest,
  RepeatsOutcome,
  RepeatsRequest,
  TailRequest,
} from './tail-contract.ts'
import { TailReader } from './tails.ts'

/** Fewer requests are normal. */
export const askedMin = 3
/** Requests per result. */
export const requestsMax = 500
/** Repeatedly requested slices that are examined; any others are only counted. */
const groupsMax = 50_000
const statusesMax = 8
const hostsMax = 64
const pathMax = 2000
const quickSeconds = 60
/**
 * Counters of the first pass; a power of two. Two slices may share one: the second pass separates
 * them.
 */
const counters = 4_194_304
const counterMax = 255

/** Numbers for clients and tags, to mix into a hash. */
class Numbers<T> {
  readonly #known = new Map<T, number>()
  of(value: T): number {
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const number = this.#known.size + 1
    this.#known.set(value, number)
    return number
  }
}

/** Identifies the slices of requests. */
class SliceNames {
  readonly #request: TailRequest
  readonly #client: string | null
  readonly #numbers = new Numbers<string>()
  readonly #keyFormats = new Map<string, KeyFormat | null>()

  constructor(request: TailRequest, client: string | null) {
    this.#request = request
    this.#client = client
  }

  /** Null: how the object is stored is unknown, or the request is from another client. */
  keyFormat(tag: Tag, client: Client): KeyFormat | null {
    if (this.#client !== null && client.address !== this.#client) return null
    let keyFormat = this.#keyFormats.get(tag.text)
    if (keyFormat === undefined) {
      keyFormat = keyFormatOf(this.#request.scheme, tag.service)
      if (this.#keyFormats.size < groupsMax) this.#keyFormats.set(tag.text, keyFormat)
    }
    return keyFormat
  }

  /** First byte of the slice; null where objects are stored whole. */
  sliceStart(keyFormat: KeyFormat, line: Line, buffer: Buffer): number | null {
    return sliceStartAt(keyFormat, firstByteOf(buffer, line.range), this.#request.sliceBytes)
  }

  counter(line: Line, buffer: Buffer, sliceStart: number | null): number {
    const who = this.#numbers.of(`${line.client.address}\n${line.tag.text}`)
    const hash = hashObject(buffer, line.target, sliceStart ?? 0)
    return (hash ^ Math.imul(who, 0x9e3779b1)) >>> 10
  }
}

interface Group extends RepeatedRequest {
  lastAt: number
}

function begin(line: Line, buffer: Buffer, of: { path: string; sliceStart: number | null }): Group {
  return {
    client: line.client.address,
    tag: line.tag.text,
    service: line.tag.service,
    ...of,
    rawUrl: targetText(line, buffer).slice(0, pathMax),
    host: latin1(buffer, line.host.from, line.host.to).slice(0, 255),
    asked: 0,
    quickRepeats: 0,
    statuses: {},
    fromCache: 0,
    fetched: 0,
    bytes: 0,
    leastBytes: line.bytes,
    mostBytes: line.bytes,
    firstS: line.timeS,
    lastS: line.timeS,
    lastAt: Number.NEGATIVE_INFINITY,
  }
}

function count(group: Group, line: Line): void {
  const { timeS, bytes, status, cache } = line
  group.asked++
  if (Math.abs(timeS - group.lastAt) <= quickSeconds) group.quickRepeats++
  group.lastAt = timeS
  const known = group.statuses[status]
  if (known !== undefined || Object.keys(group.statuses).length < statusesMax) {
    group.statuses[status] = (known ?? 0) + 1
  }
  if (cache === cacheHit) group.fromCache++
  if (cache === cacheMiss) group.fetched++
  group.bytes += bytes
  group.leastBytes = Math.min(group.leastBytes, bytes)
  group.mostBytes = Math.max(group.mostBytes, bytes)
  group.firstS = Math.min(group.firstS, timeS)
  group.lastS = Math.max(group.lastS, timeS)
}

/** Responses other than 200 and 206. */
const failures = ({ asked, statuses }: RepeatedRequest): number =>
  asked - (statuses['200'] ?? 0) - (statuses['206'] ?? 0)

/**
 * Suspicion score: 5 for each repetition within a minute, 1 for each later one, 2 for each failed
 * response.
 */
export const suspicion = (request: RepeatedRequest): number =>
  request.quickRepeats * 4 + (request.asked - 1) + failures(request) * 2

/**
 * Slices that a client (null: any) requested repeatedly. Reads the ends of the logs twice: first to
 * count, then to keep only what was requested several times.
 */
export async function findRepeats(request: RepeatsRequest): Promise<RepeatsOutcome> {
  const reader = new TailReader(request)
  const names = new SliceNames(request, request.client)
  const seen = new Uint8Array(counters)
  await reader.read((line, buffer) => {
    const keyFormat = names.keyFormat(line.tag, line.client)
    if (keyFormat === null) return
    const at = names.counter(line, buffer, names.sliceStart(keyFormat, line, buffer))
    if ((seen[at] as number) < counterMax) seen[at] = (seen[at] as number) + 1
  })
  const groups = new Map<string, Group>()
  let dropped = 0
  await reader.read((line, buffer) => {
    const keyFormat = names.keyFormat(line.tag, line.client)
    if (keyFormat === null) return
    const sliceStart = names.sliceStart(keyFormat, line, buffer)
    if ((seen[names.counter(line, buffer, sliceStart)] as number) < askedMin) return
    const target = targetText(line, buffer)
    const path = keyFormat.isRaw ? target.slice(0, pathMax) : normalisedPath(target)
    const key = `${line.client.address}\n${line.tag.text}\n${path}\n${sliceStart ?? ''}`
    let group = groups.get(key)
    if (group === undefined) {
      if (groups.size >= groupsMax) {
        dropped++
        return
      }
      group = begin(line, buffer, { path, sliceStart })
      groups.set(key, group)
    }
    count(group, line)
  })
  const odd = [...groups.values()].filter(({ asked }) => asked >= askedMin)
  odd.sort((a, b) => suspicion(b) - suspicion(a) || b.lastS - a.lastS || (a.path < b.path ? -1 : 1))
  const requests = odd.slice(0, requestsMax).map(({ lastAt: _lastAt, ...facts }) => facts)
  return { ...reader.coverage, requests, dropped: dropped + odd.length - requests.length }
}

/** Host names under which clients requested objects of a tag, and one of its objects. */
export async function findHosts(request: HostsRequest): Promise<HostsOutcome> {
  const reader = new TailReader(request)
  const counts = new Map<string, number>()
  let objectHost: string | null = null
  await reader.read((line, buffer) => {
    if (line.tag.text !== request.tag) return
    const host = latin1(buffer, line.host.from, line.host.to).toLowerCase().slice(0, 255)
    if (host === '' || host === '-') return
    if (counts.has(host) || counts.size < hostsMax) counts.set(host, (counts.get(host) ?? 0) + 1)
    if (normalisedPath(targetText(line, buffer)) === normalisedPath(request.path)) objectHost = host
  })
  const hosts = [...counts].map(([host, requests]) => ({ host, requests }))
  hosts.sort((a, b) => b.requests - a.requests || (a.host < b.host ? -1 : 1))
  return { ...reader.coverage, hosts, objectHost }
}
