import { isAscii } from 'node:buffer'
import { hash53 } from '../../../core/lib/hash53.ts'
import { platformOf, TitleReader, type Platform } from '../../titles/titles.ts'
import { normalisedPath } from '../../logs/lines/object-keys.ts'
import { serviceOfTag } from '../../logs/lines/service-name.ts'
import { parseKey } from '../format/key.ts'

/** Tags cached with their service before the cache is cleared. */
const tagsMax = 5000
/** A tag is a short word or a host name; longer ones are cut, in the index only. */
const tagLengthMax = 255
/** Key prefixes of a per-host proxy, and the service of its logs. */
const perHostTags: Readonly<Record<string, string>> = {
  'lancache-steam': 'steam',
  'lancache-epicgames': 'epicgames',
  'lancache-riot': 'riot',
  'lancache-blizzard': 'blizzard',
  'lancache-windows-update': 'wsus',
}
/** Keys of these contain the request target as sent, query included. */
const rawTargetTags: ReadonlySet<string> = new Set(['lancache-epicgames', 'lancache-riot'])

export const isRawTarget = (tag: string): boolean => rawTargetTags.has(tag)

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

/** Equal for all slices of one object; ignores the queries of per-host keys. */
export const objectHashOf = (tag: string, uri: string): number =>
  hash53(`${tag}${isRawTarget(tag) ? normalisedPath(uri) : uri}`)

/** The service name that reports use for a key's tag. */
export const serviceOfKeyTag = (tag: string): string =>
  Object.hasOwn(perHostTags, tag) ? (perHostTags[tag] as string) : serviceOfTag(tag)

/** Identifies the content of cache files from the raw bytes of their keys. */
export class KeyReader {
  readonly #titles = new TitleReader()
  readonly #tags = new Map<string, TagFacts>()

  /** Null without a path: not a proxy's key. */
  read(key: Buffer): Identity | null {
    // One character per byte, so that string offsets are byte offsets.
    const parsed = parseKey(key.toString('latin1'))
    if (parsed === null) return null
    const from = parsed.tag.length
    const to = from + parsed.uri.length
    const { tag, uri } = isAscii(key) ? parsed : decoded(key, from, to)
    const known = tag.length > tagLengthMax ? tag.slice(0, tagLengthMax) : tag
    const { service, platform, isRaw } = this.#factsOf(known)
    const objectHash = isRaw ? objectHashOf(known, uri) : hash53(key.subarray(0, to))
    let titleKey = ''
    if (platform !== null) {
      if (this.#titles.isFull) this.#titles.forget()
      titleKey = this.#titles.read(platform, key, { from, to }, { from: to, to }).key
    }
    return { tag: known, service, titleKey, uri, objectHash, sliceStart: parsed.sliceStart }
  }

  #factsOf(tag: string): TagFacts {
    const known = this.#tags.get(tag)
    if (known !== undefined) return known
    if (this.#tags.size >= tagsMax) this.#tags.clear()
    const service = serviceOfKeyTag(tag)
    const platform = platformOf(service)
    const facts = {
      service,
      platform: platform === 'delta' ? null : platform,
      isRaw: isRawTarget(tag),
    }
    this.#tags.set(tag, facts)
    return facts
  }
}
