import { hash53 } from '../../../core/lib/hash53.ts'
import { deltaPerHostTag, pathLengthMax } from '../../cache/format/key-scheme.ts'
import { rowLimits } from '../../shipper/row-limits.ts'
import type { Title } from '../../titles/titles.ts'
import type { Line } from '../lines/line.ts'
import { hashPart, objectPath, plainPathEnd } from '../lines/object-keys.ts'

/** Objects not recorded again while their place is not taken by another one; a power of two. */
const rememberedMax = 2 ** 18
const utf8BytesMax = 4

/** Objects by title. */
export type HostTitles = ReadonlyMap<string, readonly number[]>

/**
 * Records titles that paths do not identify: several titles of one platform share their paths, and
 * cache keys have no host. The cache index reads them to assign its files.
 */
export class HostTitleRecorder {
  /** By the low bits of a hash; empty until the first line with such a title. */
  #remembered = new Uint32Array(0)
  readonly #key = Buffer.alloc(utf8BytesMax * rowLimits.service + pathLengthMax)
  /** What was hashed last; most have one length, and a new view costs as much as a hash. */
  #hashed = this.#key.subarray(0, 0)
  #found = new Map<string, number[]>()

  note(line: Line, buffer: Uint8Array, { key }: Title): void {
    if (this.#remembered.length === 0) this.#remembered = new Uint32Array(rememberedMax)
    const quick = hashPart(line.pathHash, 0)
    const place = quick & (rememberedMax - 1)
    if (this.#remembered[place] === quick) return
    this.#remembered[place] = quick
    const hashes = this.#found.getOrInsertComputed(key, () => [])
    const { text, isOfFile } = line.tag
    hashes.push(this.#objectHash(text, line, buffer))
    if (isOfFile) hashes.push(this.#objectHash(deltaPerHostTag, line, buffer))
  }

  take(): HostTitles {
    const found = this.#found
    if (found.size > 0) this.#found = new Map()
    return found
  }

  /** As in the cache index: `hash53` of tag and path. */
  #objectHash(tag: string, line: Line, buffer: Uint8Array): number {
    const { from, to } = line.target
    const end = plainPathEnd(buffer, from, Math.min(to, from + pathLengthMax))
    if (end < 0) return hash53(`${tag}${objectPath(buffer, line)}`)
    const key = this.#key
    let length = key.write(tag)
    // A view to copy from would cost more than copying.
    for (let at = from; at < end; at++) key[length++] = buffer[at] as number
    if (this.#hashed.length !== length) this.#hashed = key.subarray(0, length)
    return hash53(this.#hashed)
  }
}
