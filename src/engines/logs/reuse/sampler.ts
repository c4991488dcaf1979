/*
 * Hit rate of caches of any size, from a sample of the log (SHARDS: Waldspurger et al., FAST 2015).
 * An object is a cache file, that is a slice or a whole object. It is in the sample when the hash of
 * its key is below a threshold, which falls so that the sample never outgrows its memory. For each
 * request of a sampled object, the bytes requested since the last request of it, divided by the
 * sampled share, are the smallest cache that evicts the least recently used files and still has it.
 *
 * nginx fetches and stores whole slices, so a file is as large as the farthest byte requested of it.
 * Requests count by week of the log; the curve is that of the last weeks. Prefill moves objects, but
 * is no request of a client.
 *
 * Each commit of read positions stores what was sampled since the one before: the changes or, once they
 * are as large, the whole state in their place. A kill loses nothing, and nothing is in the sample twice.
 * It begins anew with the history, and when positions are taken from it.
 */
import type { ByteSpan } from '../../titles/bytes.ts'
import { reuseWeeks, type ReuseCurve } from '../contract.ts'
import { cacheHit, type Line } from '../lines/line.ts'
import { hashPart } from '../lines/object-keys.ts'
import { binCount, binOf, curveOf, newWeek, packWeeks, unpackWeeks, type Week } from './curve.ts'
import { RecencyStack } from './stack.ts'

/** Objects of all samples together: some 4 MB. */
export const reuseObjectsMax = 16_384
const weekSeconds = 604_800
const hashes = 2 ** 32
/** Share of objects that a new sample takes: enough for small caches, little work for a line. */
const firstShare = 1 / 64
/** Share of the sample that stays, more or less, when it is full. */
const keptShare = 7 / 8
/** Part of an id below the hash that decides. */
const lowIds = 2 ** 21
/** A forged or broken byte count must not keep the reader busy. */
const slicesMax = 65_536
const version = 1
const headLength = 4
/** See `#change`. */
type Change = [number, number, number, number, number, number]
const changeLength = 6
const noObject = -1
const noRequest = -1

/** A part of what `hot.sqlite` holds of a sample; a whole one replaces all before it. */
export interface SamplePart {
  isWhole: boolean
  numbers: Uint8Array
}
export type StoredSample = SamplePart & { datasource: string }

interface Options {
  objectsMax?: number
  /** Of a sample that begins; 1 takes every object. */
  share?: number
}

/** The sample of one datasource. */
export class ReuseSampler {
  /** As configured in the proxy; 0: objects are stored whole. */
  sliceBytes = 1_048_576
  readonly #objectsMax: number
  /** As many numbers as a state has of objects. */
  readonly #changesMax: number
  readonly #stack: RecencyStack
  #threshold: number
  #weeks: Week[] = []
  #week = newWeek(-weekSeconds)
  #sinceS = 0
  /** Since the last `take`; not complete beyond `#changesMax`. */
  #changes: number[] = []
  /** Numbers of those that are stored beside the state. */
  #stored = 0

  constructor({ objectsMax = reuseObjectsMax, share = firstShare }: Options = {}) {
    this.#objectsMax = objectsMax
    this.#changesMax = 2 * objectsMax
    this.#stack = new RecencyStack(objectsMax + 1)
    this.#threshold = hashes * share
  }

  /** Counts requests of clients that served bytes, the first of them at `timeS`. */
  count(timeS: number, sums: Pick<Week, 'bytes' | 'requests' | 'hitBytes' | 'hits'>): void {
    this.#change([timeS, noObject, sums.bytes, sums.requests, sums.hitBytes, sums.hits])
  }

  /** Takes a request that served bytes into the sample if its object belongs there. */
  note(line: Line, buffer: Uint8Array, isPrefill: boolean): void {
    const { bytes, firstByte, tag } = line
    // Most objects are requested from their beginning and fit into one slice.
    const isOne = firstByte === 0 && (bytes <= this.sliceBytes || tag.isWhole)
    if (isOne && (line.objectHash ^ tag.keySeed) >>> 0 >= this.#threshold) return
    this.#touch(line, buffer, isPrefill)
  }

  #touch(line: Line, buffer: Uint8Array, isPrefill: boolean): void {
    const { bytes, cache, firstByte, tag } = line
    const sliceBytes = tag.isWhole ? 0 : this.sliceBytes
    const first = sliceBytes === 0 ? 0 : Math.floor(firstByte / sliceBytes)
    const end = firstByte + bytes
    const last = sliceBytes === 0 ? 0 : Math.min(first + slicesMax, Math.ceil(end / sliceBytes) - 1)
    for (let slice = first; slice <= last; slice++) {
      const hash = (hashPart(line.pathHash, slice) ^ tag.keySeed) >>> 0
      if (hash >= this.#threshold) continue
      const id = hash * lowIds + lowHash(buffer, line.target, slice)
      const start = slice * sliceBytes
      const extent = sliceBytes === 0 ? end : Math.min(end - start, sliceBytes)
      const served = extent - Math.max(0, firstByte - start)
      const isFirst = slice === first ? 1 : 0
      this.#change([line.timeS, id, extent, served, isFirst, isPrefill ? noRequest : cache])
    }
  }

  /**
   * Of requests: time, `noObject`, and their sums. Of an object of a request: time, id, bytes up to the
   * farthest one, served bytes, whether it is the first of its request, and the cache status.
   */
  #change(change: Change): void {
    const [timeS, id, bytes, count, third, fourth] = change
    const week = this.#weekOf(timeS)
    this.#record(change, week)
    if (id === noObject) {
      week.bytes += bytes
      week.requests += count
      week.hitBytes += third
      week.hits += fourth
      return
    }
    const touched = this.#stack.touch(id, bytes)
    const request = { isFirst: third === 1, cache: fourth }
    if (fourth !== noRequest) this.#count(week, touched, count, request)
    this.#shrink()
  }

  /** Sums of one week that follow each other are one change. */
  #record(change: Change, { fromS }: Week): void {
    const changes = this.#changes
    const last = changes.length - changeLength
    const sinceS = (changes[last] ?? -1) - fromS
    const isOfLast = change[1] === noObject && changes[last + 1] === noObject
    if (isOfLast && sinceS >= 0 && sinceS < weekSeconds) {
      for (let at = 2; at < changeLength; at++)
        changes[last + at] = (changes[last + at] as number) + (change[at] as number)
    } else if (changes.length <= this.#changesMax) changes.push(...change)
  }

  /** Null before the first request. */
  curve(): Omit<ReuseCurve, 'datasource'> | null {
    const [first] = this.#weeks
    if (first === undefined) return null
    return {
      since: Math.max(this.#sinceS, first.fromS),
      objects: this.#stack.size,
      share: this.#threshold / hashes,
      ...curveOf(this.#weeks),
    }
  }

  /** What is not stored yet; null: nothing. */
  take(): SamplePart | null {
    const changes = this.#changes
    if (changes.length === 0) return null
    this.#changes = []
    const isWhole = this.#stored + changes.length > this.#changesMax
    this.#stored = isWhole ? 0 : this.#stored + changes.length
    return { isWhole, numbers: isWhole ? this.#pack() : packed([version], changes) }
  }

  /** Continues with what `take` returned, in order; numbers of another version are ignored. */
  restore({ isWhole, numbers }: SamplePart): void {
    const all = new Float64Array(numbers.slice().buffer)
    if (all[0] !== version) return
    if (isWhole) {
      this.#unpack(all)
      return
    }
    for (let at = 1; at < all.length; at += changeLength)
      this.#change([...all.subarray(at, at + changeLength)] as Change)
    this.#stored += all.length - 1
    this.#changes = []
  }

  #pack(): Uint8Array {
    const weeks = packWeeks(this.#weeks)
    return packed(
      [version, this.#threshold, this.#sinceS, weeks.length],
      weeks,
      this.#stack.entries(),
    )
  }

  #unpack(state: Float64Array): void {
    const [, threshold = 0, sinceS = 0, length = 0] = state
    this.#threshold = threshold
    this.#sinceS = sinceS
    this.#weeks = unpackWeeks(state.subarray(headLength, headLength + length))
    const stack = state.subarray(headLength + length)
    for (let at = 0; at < stack.length; at += 2) {
      this.#stack.touch(stack[at] as number, stack[at + 1] as number)
      // Another datasource takes a part of the memory now.
      this.#shrink()
    }
  }

  #count(
    week: Week,
    { above, bytes: own }: { above: number; bytes: number },
    served: number,
    { isFirst, cache }: { isFirst: boolean; cache: number },
  ): void {
    const weight = hashes / this.#threshold
    week.sampledBytes += served * weight
    // The log has one cache status for a request, that of its first slice.
    const requests = isFirst ? weight : 0
    week.sampledRequests += requests
    if (cache !== cacheHit) {
      week.sampledMissBytes += served * weight
      week.sampledMisses += requests
    }
    if (above < 0) {
      if (cache !== cacheHit) return
      week.unknownBytes += served * weight
      week.unknownRequests += requests
      return
    }
    const bin = binOf(own + above * weight)
    if (bin >= binCount) return
    week.byteBins[bin] = (week.byteBins[bin] as number) + served * weight
    week.requestBins[bin] = (week.requestBins[bin] as number) + requests
  }

  #weekOf(timeS: number): Week {
    const last = this.#week
    if (timeS >= last.fromS && timeS < last.fromS + weekSeconds) return last
    const fromS = timeS - (timeS % weekSeconds)
    if (this.#sinceS === 0 || timeS < this.#sinceS) this.#sinceS = timeS
    let week = this.#weeks.find((one) => one.fromS === fromS)
    if (week === undefined) {
      week = newWeek(fromS)
      this.#weeks.push(week)
      this.#weeks.sort((a, b) => a.fromS - b.fromS)
      const newest = (this.#weeks.at(-1) as Week).fromS
      const oldest = newest - (reuseWeeks - 1) * weekSeconds
      this.#weeks = this.#weeks.filter((one) => one.fromS >= oldest)
    }
    this.#week = week
    return week
  }

  #shrink(): void {
    // Hashes are spread evenly. One that many ids share goes as a whole.
    while (this.#stack.size > this.#objectsMax) {
      this.#threshold = Math.floor(this.#threshold * keptShare)
      this.#stack.dropFrom(this.#threshold * lowIds)
    }
  }
}

/** Tells objects apart whose hashes are equal. */
function lowHash(buffer: Uint8Array, { from, to }: ByteSpan, slice: number): number {
  let hash = slice
  for (let at = from; at < to; at++) {
    const byte = buffer[at] as number
    if (byte === 0x3f) break
    hash = (Math.imul(hash, 31) + byte) | 0
  }
  return (hash ^ (hash >>> 11)) & (lowIds - 1)
}

function packed(...parts: ArrayLike<number>[]): Uint8Array {
  const numbers = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    numbers.set(part, at)
    at += part.length
  }
  return new Uint8Array(numbers.buffer)
}
