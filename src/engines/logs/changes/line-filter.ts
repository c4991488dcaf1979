import { ByteInterner, latin1 } from '../../titles/bytes.ts'
import { platformOf, TitleReader } from '../../titles/titles.ts'
import { cacheHit, cacheMiss, Line } from '../lines/line.ts'
import { normalisedPath } from '../../cache/format/key-scheme.ts'
import { targetText } from '../lines/object-keys.ts'
import { looksDetailed } from '../lines/parse-detailed.ts'
import { parseLine, type SeriesHint } from '../lines/parse-line.ts'
import { serviceOfTag } from '../lines/service-name.ts'
import type { LineFilter, LogObservation } from '../../inputs.ts'
import { maxFilterEntries } from '../limits.ts'

export type { LineFilter, LogObservation } from '../../inputs.ts'

export class FilterTooLarge extends Error {}

export interface LineMatcher {
  /** Whether all lines of the file match, none can, or each line must be checked. */
  readonly scope: 'all' | 'none' | 'lines'
  /** Whether the line (without its line feed) matches. An unreadable line never does. */
  matches(buffer: Uint8Array, from: number, to: number): boolean
}

type Judge = (line: Line, buffer: Uint8Array) => boolean

const cacheNames = new Map<number, LogObservation['cache']>([
  [cacheHit, 'hit'],
  [cacheMiss, 'miss'],
])
const maxInternedTags = 20_000
const openBracket = 0x5b
const closeBracket = 0x5d
const space = 0x20

/** The comparable form of a line, used to select lines for a later removal. */
export const observationOf = (line: Line, buffer: Uint8Array): LogObservation => ({
  at: line.timeS,
  client: line.client.address,
  tag: line.tag.text,
  method: line.methodFirst === 0 ? '' : String.fromCharCode(line.methodFirst),
  target: latin1(buffer, line.target.from, line.target.to),
  status: line.status,
  bytes: line.bytes,
  cache: cacheNames.get(line.cache) ?? 'none',
  host: latin1(buffer, line.host.from, line.host.to),
  range: latin1(buffer, line.range.from, line.range.to),
})

const observationKey = (it: LogObservation): string =>
  [it.at, it.client, it.tag, it.method, it.status, it.bytes, it.cache].join('\n') +
  `\n${it.target}\n${it.host}\n${it.range}`

const objectName = (tag: string, path: string): string => `${tag.toLowerCase()}\n${path}`

function checkSize(entries: readonly unknown[]): void {
  if (entries.length > maxFilterEntries) {
    throw new FilterTooLarge(`at most ${maxFilterEntries} entries can be removed at once`)
  }
}

function judgeTitles(filter: Extract<LineFilter, { kind: 'titles' }>): Judge {
  checkSize(filter.titleKeys)
  const service = serviceOfTag(filter.service)
  const platform = platformOf(service)
  const keys = new Set(filter.titleKeys.filter((key) => key !== ''))
  const titles = new TitleReader()
  return (line, buffer) => {
    if (platform === null || line.tag.service !== service) return false
    if (titles.isFull) titles.forget()
    return keys.has(titles.read(platform, buffer, line.target, line.host).key)
  }
}

function judgeObjects(filter: Extract<LineFilter, { kind: 'objects' }>): Judge {
  checkSize(filter.objects)
  const names = new Set(filter.objects.map(({ tag, path }) => objectName(tag, path)))
  return (line, buffer) =>
    names.has(objectName(line.tag.text, normalisedPath(targetText(line, buffer))))
}

function judgeObservations(filter: Extract<LineFilter, { kind: 'observations' }>): Judge {
  checkSize(filter.observations)
  const keys = new Set(filter.observations.map(observationKey))
  const seconds = new Set(filter.observations.map(({ at }) => at))
  // The time alone rules out most lines without creating strings.
  return (line, buffer) =>
    seconds.has(line.timeS) && keys.has(observationKey(observationOf(line, buffer)))
}

function judgeOf(filter: Exclude<LineFilter, { kind: 'service' }>): Judge {
  if (filter.kind === 'titles') return judgeTitles(filter)
  return filter.kind === 'objects' ? judgeObjects(filter) : judgeObservations(filter)
}

/** Matches readable lines of a shared or per-host file. */
class ParsedMatcher implements LineMatcher {
  readonly scope
  readonly #hint: SeriesHint
  readonly #judge: Judge
  readonly #line: Line
  readonly #span = { from: 0, to: 0 }

  constructor(hint: SeriesHint, judge: Judge, timeZone: string) {
    this.scope = hint.isFallback ? ('none' as const) : ('lines' as const)
    this.#hint = hint
    this.#judge = judge
    this.#line = new Line(timeZone)
  }

  matches(buffer: Uint8Array, from: number, to: number): boolean {
    Object.assign(this.#span, { from, to })
    if (this.#line.isFull) this.#line.forget()
    if (parseLine(this.#line, this.#hint, buffer, this.#span) !== 'parsed') return false
    return this.#judge(this.#line, buffer)
  }
}

/** Matches by the tag only, which is present even in otherwise unreadable lines. */
class TagMatcher implements LineMatcher {
  readonly scope = 'lines'
  readonly #rest: LineMatcher
  readonly #tags

  constructor(service: string, hint: SeriesHint, timeZone: string) {
    this.#tags = new ByteInterner((text) => isText(text) && serviceOfTag(text) === service)
    this.#rest = new ParsedMatcher(hint, (line) => line.tag.service === service, timeZone)
  }

  matches(buffer: Uint8Array, from: number, to: number): boolean {
    // JSON lines, lines without a tag, and those with leading spaces.
    if (buffer[from] !== openBracket) return this.#rest.matches(buffer, from, to)
    if (looksDetailed(buffer, from, to)) return false
    let end = from + 1
    while (end < to && buffer[end] !== space) end++
    if (end >= to || buffer[end - 1] !== closeBracket) return false
    // An empty tag may also begin a request too malformed to have one.
    if (end - from === 2) return this.#rest.matches(buffer, from, to)
    if (this.#tags.size > maxInternedTags) this.#tags.clear()
    return this.#tags.get(buffer, from + 1, end - 1)
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Whether a tag, one character per byte, is valid UTF-8; invalid ones never match. */
export function isText(tag: string): boolean {
  try {
    strict.decode(Buffer.from(tag, 'latin1'))
    return true
  } catch {
    return false
  }
}

const constant = (scope: 'all' | 'none'): LineMatcher => ({
  scope,
  matches: () => scope === 'all',
})

/** Compiles a filter for the lines of one series. Throws FilterTooLarge. */
export function matcherFor(filter: LineFilter, hint: SeriesHint, timeZone = 'UTC'): LineMatcher {
  if (hint.isFallback) return constant('none')
  if (filter.kind === 'service') {
    const service = serviceOfTag(filter.service)
    if (hint.tag !== null) return constant(hint.tag.service === service ? 'all' : 'none')
    return new TagMatcher(service, hint, timeZone)
  }
  return new ParsedMatcher(hint, judgeOf(filter), timeZone)
}
