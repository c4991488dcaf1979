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
 * The state is a row of `hot.sqlite`, written every few minutes and at the end, in the transaction
 * that moves the read positions. After a kill reading continues behind that state: requests in between
 * are missing from the sample, and none is in it twice. It begins anew with the history, and when
 * positions are taken from it.
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

interface Options {
  objectsMax?: number
  /** Of a sample that begins; 1 takes every object. */
  share?: number
}

/** The sample of one datasource. */
export class ReuseSampler {
  /** As configured in the proxy; 0: objects are stored whole. */
  sliceBytes = 1_048_576
  /** Differs from the stored state. */
  isChanged = false
  readonly #objectsMax: number
  readonly #stack: RecencyStack
  #threshold: number
  #weeks: Week[] = []
  #week = newWeek(-weekSeconds)
  #sinceS = 0

  constructor({ objectsMax = reuseObjectsMax, share = firstShare }: Options = {}) {
    this.#objectsMax = objectsMax
    this.#stack = new RecencyStack(objectsMax + 1)
    this.#threshold = hashes * share
  }

  /** Counts requests of clients that served bytes, the first of them at `timeS`. */
  count(timeS: number, sums: Pick<Week, 'bytes' | 'requests' | 'hitBytes' | 'hits'>): void {
    const week = this.#weekOf(timeS)
    week.bytes += sums.bytes
    week.requests += sums.requests
    week.hitBytes += sums.hitBytes
    week.hits += sums.hits
    this.isChanged = true
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
      const touched = this.#stack.touch(id, extent)
      this.isChanged = true
      const week = this.#weekOf(line.timeS)
      if (!isPrefill) this.#count(week, touched, served, { isFirst: slice === first, cache })
    }
    this.#shrink()
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

  pack(): Uint8Array {
    const weeks = packWeeks(this.#weeks)
    const head = [version, this.#threshold, this.#sinceS, weeks.length]
    const stack = this.#stack.entries()
    const packed = new Float64Array(headLength + weeks.length + stack.length)
    packed.set(head)
    packed.set(weeks, headLength)
    packed.set(stack, headLength + weeks.length)
    return new Uint8Array(packed.buffer)
  }

  /** Continues with what `pack` returned; a state of another version is ignored. */
  unpack(state: Uint8Array): void {
    const packed = new Float64Array(state.slice().buffer)
    if (packed[0] !== version) return
    const [, threshold = 0, sinceS = 0, length = 0] = packed
    this.#threshold = threshold
    this.#sinceS = sinceS
    this.#weeks = unpackWeeks(packed.subarray(headLength, headLength + length))
    const stack = packed.subarray(headLength + length)
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
