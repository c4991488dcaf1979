import { isAscii } from 'node:buffer'
import { hash53 } from '../../../core/lib/hash53.ts'
import type { Platform } from '../../../platforms/platforms.ts'
import { platformOf, TitleReader } from '../../titles/titles.ts'
import { isRawTarget, objectHashOf, parseKey, serviceOfKeyTag } from '../format/key-scheme.ts'

/** Tags cached with their service before the cache is cleared. */
const tagsMax = 5000
/** A tag is a short word or a host name; longer ones are cut, in the index only. */
const tagLengthMax = 255
/** What a key states about its file. */
export interface Identity {
  tag: string
  service: string
  titleKey: string
  /** Decoded path; empty when the key has none. */
  uri: string
  objectHash: number
  sliceStart: number
}

interface TagFacts {
  /** One string for all files: maps need not hash it again. */
  tag: string
  service: string
  /** Null where a key identifies no title: no platform, or one whose titles depend on the host. */
  platform: Platform | null
  isRaw: boolean
}

/** Decoded tag and path of a key. */
function decoded(key: Buffer, from: number, to: number): { tag: string; uri: string } {
  const text = key.toString('utf8', 0, to)
  return { tag: key.toString('utf8', 0, from), uri: text.slice(text.indexOf('/')) }
}

/** Identifies the content of cache files from the raw bytes of their keys. */
export class KeyReader {
  readonly #titles = new TitleReader()
  readonly #tags = new Map<string, TagFacts>()
  #last: TagFacts | null = null

  /** Null without a path: not a proxy's key. */
  read(key: Buffer): Identity | null {
    // One character per byte, so that string offsets are byte offsets.
    const parsed = parseKey(key.toString('latin1'))
    if (parsed === null) return null
    const from = parsed.tag.length
    const to = from + parsed.uri.length
    const { tag, uri } = isAscii(key) ? parsed : decoded(key, from, to)
    const { tag: known, service, platform, isRaw } = this.#factsOf(tag)
    const objectHash = isRaw ? objectHashOf(known, uri) : hash53(key.subarray(0, to))
    let titleKey = ''
    if (platform !== null) {
      if (this.#titles.isFull) this.#titles.forget()
      titleKey = this.#titles.read(platform, key, { from, to }, { from: to, to }).key
    }
    return { tag: known, service, titleKey, uri, objectHash, sliceStart: parsed.sliceStart }
  }

  #factsOf(found: string): TagFacts {
    if (found === this.#last?.tag) return this.#last
    const tag = found.length > tagLengthMax ? found.slice(0, tagLengthMax) : found
    const known = this.#tags.get(tag)
    if (known !== undefined) return (this.#last = known)
    if (this.#tags.size >= tagsMax) this.#tags.clear()
    const service = serviceOfKeyTag(tag)
    const platform = platformOf(service)
    const facts = {
      tag,
      service,
      platform: platform === 'delta' ? null : platform,
      isRaw: isRawTarget(tag),
    }
    this.#tags.set(tag, facts)
    return (this.#last = facts)
  }
}
