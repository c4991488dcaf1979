/*
 * Title keys of the five platforms (`alpha:<depot>`, `gamma:<product>`, …), read from raw bytes of
 * log lines and cache keys. Repeated paths cost a hash, not a string. No store, no thread of its
 * own.
 */
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'
import { depotIn, knownDepot } from './alpha/title.ts'
import { basePathEnd, betaLauncherName, isLauncherPath } from './beta/title.ts'
import { ByteInterner, type ByteSpan } from './bytes.ts'
import { deltaName, deltaProduct } from './delta/title.ts'
import { epsilonFragment, mayHaveGuid } from './epsilon/title.ts'
import { rowLimits } from '../shipper/row-limits.ts'
import { firstSegment, gammaName, productFolder, tprSegment } from './gamma/title.ts'

/** The platform of a service's titles; null for services without titles. */
export const platformOf = (service: string): Platform | null =>
  platforms.find((platform) => serviceFacts[platform].titledServices.test(service)) ?? null

/** One content of a platform; the same object for the same key, so identity compares keys. */
export interface Title {
  readonly key: string
  /** Counts up from one within one TitleReader, as an index for data of a title. */
  readonly index: number
  /** Start of the last day that admitted it; the log engine limits the titles per day. */
  day: number
}

/** Of content without a title. */
export const noTitle: Title = { key: '', index: 0, day: -1 }

/** Depots whose titles are found without a look-up; a power of two. */
const recentDepots = 256

/** Distinct byte sequences cached before the cache is cleared. */
const maxInterned = 20_000

/** Extracts title keys from raw log bytes. Repeated paths need a hash, not a string. */
export class TitleReader {
  #byKey = new Map<string, Title>()
  #depots = new Map<number, Title>()
  /** By the low bits of a depot. */
  #recent: ({ depot: number; title: Title } | undefined)[] = []
  readonly #beta = new ByteInterner((text) => this.#title(`beta:${text}`))
  readonly #tpr = new ByteInterner((text) => this.#segment(tprSegment(text)))
  readonly #first = new ByteInterner((text) => this.#segment(firstSegment(text)))
  readonly #delta = new ByteInterner((text) => {
    const product = deltaProduct(text)
    return product === null ? noTitle : this.#title(`delta:${product}`)
  })
  readonly #epsilon = new ByteInterner((text) => {
    const fragment = epsilonFragment(text)
    return fragment === null ? noTitle : this.#title(`epsilon:${fragment}`)
  })

  /** `target` is the request target, query included; `host` decides for delta only. */
  read(platform: Platform, buffer: Uint8Array, target: ByteSpan, host: ByteSpan): Title {
    if (platform === 'alpha') {
      const depot = depotIn(buffer, target)
      return depot < 0 ? noTitle : this.#depot(depot)
    }
    if (platform === 'delta') return this.#delta.get(buffer, host.from, host.to)
    const path = pathOf(buffer, target)
    if (path.to === path.from) return noTitle
    if (platform === 'beta') {
      const end = basePathEnd(buffer, path)
      return end === path.from ? noTitle : this.#beta.get(buffer, path.from, end)
    }
    if (platform === 'epsilon') {
      return mayHaveGuid(buffer, path) ? this.#epsilon.get(buffer, path.from, path.to) : noTitle
    }
    const folder = productFolder(buffer, path)
    return (folder.isTpr ? this.#tpr : this.#first).get(buffer, folder.from, folder.to)
  }

  /** True when the cache is full. Call `forget` when no title is in use any more. */
  get isFull(): boolean {
    const interned = this.#beta.size + this.#tpr.size + this.#first.size
    return interned + this.#delta.size + this.#epsilon.size + this.#depots.size > maxInterned
  }

  forget(): void {
    this.#byKey = new Map()
    this.#depots = new Map()
    this.#recent = []
    for (const part of [this.#beta, this.#tpr, this.#first, this.#delta, this.#epsilon]) {
      part.clear()
    }
  }

  #depot(depot: number): Title {
    const place = depot & (recentDepots - 1)
    const recent = this.#recent[place]
    if (recent?.depot === depot) return recent.title
    const title = this.#depots.getOrInsertComputed(depot, () => this.#title(`alpha:${depot}`))
    this.#recent[place] = { depot, title }
    return title
  }

  #segment(segment: string | null): Title {
    return segment === null ? noTitle : this.#title(`gamma:${segment}`)
  }

  #title(text: string): Title {
    const key = text.slice(0, rowLimits.titleKey)
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const title = { key, index: this.#byKey.size + 1, day: -1 }
    this.#byKey.set(key, title)
    return title
  }
}

const slash = 0x2f
const question = 0x3f

/** Path part of a target: without a leading `http://host` and without the query. */
function pathOf(buffer: Uint8Array, { from, to }: ByteSpan): ByteSpan {
  let start = from
  if (buffer[start] !== slash) {
    const scheme = latin1Prefix(buffer, from, Math.min(to, from + 8)).toLowerCase()
    if (!scheme.startsWith('http://') && !scheme.startsWith('https://')) return { from, to: from }
    start = from + scheme.indexOf('://') + 3
    while (start < to && buffer[start] !== slash) start++
  }
  let end = start
  while (end < to && buffer[end] !== question) end++
  return { from: start, to: end }
}

const latin1Prefix = (buffer: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...buffer.subarray(from, to))

/** The title key of one request, for callers with strings; empty without one. */
export function titleKeyOf(service: string, target: string, host: string): string {
  const platform = platformOf(service)
  if (platform === null) return ''
  const bytes = Buffer.from(target + host)
  const split = Buffer.byteLength(target)
  const reader = new TitleReader()
  const hostSpan = { from: split, to: bytes.length }
  return reader.read(platform, bytes, { from: 0, to: split }, hostSpan).key
}

export interface TitleDescription {
  platform: Platform | null
  gameName: string | null
  gameAppId: number | null
  betaAppId: string | null
  epsilonProductId: string | null
  depotId: number | null
}

const nothing: TitleDescription = {
  platform: null,
  gameName: null,
  gameAppId: null,
  betaAppId: null,
  epsilonProductId: null,
  depotId: null,
}

/** What is known about a title without a catalogue. Never throws; unknown facts are null. */
export function describeTitle(titleKey: string, service: string): TitleDescription {
  const platform = platformOf(service)
  const colon = titleKey.indexOf(':')
  if (colon < 0) return { ...nothing, platform }
  const name = titleKey.slice(0, colon)
  const value = titleKey.slice(colon + 1)
  if (name === 'alpha') {
    const number = Number(value)
    const depotId = Number.isSafeInteger(number) ? number : null
    const known = depotId === null ? undefined : knownDepot(depotId)
    const gameAppId = known?.appId ?? null
    return { ...nothing, platform: name, depotId, gameAppId, gameName: known?.name ?? null }
  }
  if (name === 'gamma') return { ...nothing, platform: name, gameName: gammaName(value) }
  if (name === 'delta') return { ...nothing, platform: name, gameName: deltaName(value) }
  if (name === 'beta') {
    return { ...nothing, platform: name, gameName: isLauncherPath(value) ? betaLauncherName : null }
  }
  if (name === 'epsilon') return { ...nothing, platform: name }
  return { ...nothing, platform }
}
